/** How the records of a list come in the order of the records to which a lookup points. */
import { fieldIndex } from '../../../schema/port.ts';
import type { Item, Range } from '../../../store/port.ts';
import { dataOf } from '../../record.ts';
import type { RecordCall } from '../../writing/write-loop.ts';
import { findItems } from '../find-record.ts';
import type { LookupSort } from '../sorting/asked-sort.ts';
import { compoundPlan } from './compound-plan.ts';
import type { IndexName } from './index-name.ts';
import { rangeOf } from './index-range.ts';
import { type LookupIndex, type OthersRange, ownIndex } from './lookup-plan.ts';

export interface LookupOrder {
  /** The other records, in their order. */
  readonly others: Omit<OthersRange, 'counter'>;
  /** The index of the lookup, in which the records that point to one of them are in creation order. */
  readonly own: LookupIndex;
  /** Of both indexes. */
  readonly isReverse: boolean;
  /** Whether records are asked for too that point to nothing. */
  readonly isWhole: boolean;
  /** The other records with these ids that are there. */
  readonly read: (ids: readonly string[]) => Promise<readonly Item[]>;
  readonly idOf: (item: Item) => string;
}

export function lookupOrder(call: Pick<RecordCall, 'entity' | 'workspace'>, sort: LookupSort): LookupOrder {
  const { field, entity, implied } = sort;
  const own = ownIndex(call.entity, field);
  if (own === undefined) throw new TypeError(`no index of the lookup ${field}`);
  const { range, ...others } = othersInOrder(sort);
  return {
    others: { entity: entity.name, ...others, range },
    own,
    isReverse: range.reverse === true,
    isWhole: implied.length === 0,
    read: (ids) => findItems({ workspace: call.workspace, entity }, ids),
    idOf: (item) => dataOf(entity, item).id,
  };
}

interface OrderedOthers {
  readonly index: IndexName;
  readonly pk: string;
  readonly range: Range;
}

/** Whether they meet what narrows the range is tested with each record of the list. */
function othersInOrder({ entity, sortKeys, descending, implied }: LookupSort): OrderedOthers {
  const compound = compoundPlan(entity, { filters: implied, sortKeys, descending });
  if (compound !== undefined) return { index: compound.index, pk: compound.pk, range: compound.range };
  const [key, ...more] = sortKeys;
  const index = key && fieldIndex(entity, key.field);
  if (index?.isReady !== true || more.length > 0) throw new TypeError('no index for the order of a lookup');
  const narrowing = implied.find((filter) => filter.field === index.name && rangeOf(filter) !== undefined);
  const range = narrowing === undefined ? {} : rangeOf(narrowing);
  return { index: { name: index.name, kind: 'field' }, pk: index.pk, range: { ...range, reverse: descending } };
}
