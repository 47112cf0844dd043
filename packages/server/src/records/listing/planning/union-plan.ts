/** Which parts of an index hold the records that have one of several values. */
import { compareBytes } from '../../../lib/byte-order.ts';
import { fieldIndex, indexPrefix, isAloneInIndex } from '../../../schema/port.ts';
import { dataOf } from '../../record.ts';
import type { RecordCall } from '../../writing/write-loop.ts';
import type { Filter } from '../filter.ts';
import { findItems } from '../find-record.ts';
import type { MergedPlan } from './lookup-plan.ts';

/** Parts of an index, each in creation order, that hold every record of the answer, and perhaps a few more. */
export interface UnionPlan extends MergedPlan {
  readonly prefixes: readonly string[];
  /** Whether all records in the parts meet all filters. */
  readonly isExact: boolean;
}

/** By the filter with the fewest values; undefined where there is none by an index. */
export function unionPlan(
  call: Pick<RecordCall, 'entity' | 'workspace'>,
  filters: readonly Filter[],
): UnionPlan | undefined {
  const { entity } = call;
  const [filter] = filters
    .filter(({ operator, field }) => operator === 'in' && fieldIndex(entity, field)?.isReady === true)
    .toSorted((left, right) => left.encoded.length - right.encoded.length);
  const index = filter && fieldIndex(entity, filter.field);
  if (filter === undefined || index === undefined) return undefined;
  return {
    own: { index: { name: index.name, kind: 'field' }, pk: index.pk, prefixOf: (prefix) => prefix },
    prefixes: partsOf(filter),
    isExact:
      filters.length === 1 && filter.encoded.every((encoded) => encoded !== undefined && isAloneInIndex(encoded)),
    read: (ids) => findItems(call, ids),
    idOf: (item) => dataOf(entity, item).id,
  };
}

/** What the entries of each value begin with, in the order of the values. */
export function partsOf({ encoded }: Filter): readonly string[] {
  const prefixes = encoded.flatMap((value) => (value === undefined ? [] : [indexPrefix(value)]));
  return [...new Set(prefixes)].toSorted(compareBytes);
}
