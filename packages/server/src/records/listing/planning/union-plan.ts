/** Which parts of an index hold the records that have one of several values. */
import { compareBytes } from '../../../lib/byte-order.ts';
import { fieldIndex, indexPrefix, isAloneInIndex } from '../../../schema/port.ts';
import type { Key, Scope } from '../../../store/port.ts';
import { recordCounter } from '../../indexes/derive.ts';
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
  /** Whether all records of the answer are read, and not those of a page. */
  readonly isWhole: boolean;
  /** Counts all records of the entity. */
  readonly counter: Key;
}

/** By the filter with the fewest values; undefined where there is none by an index. */
export function unionPlan(
  call: Pick<RecordCall, 'entity' | 'workspace'>,
  filters: readonly Filter[],
): Omit<UnionPlan, 'isWhole'> | undefined {
  const { entity } = call;
  const [filter] = filters
    .filter(({ operator, field }) => operator === 'in' && fieldIndex(entity, field)?.isReady === true)
    .toSorted((left, right) => left.encoded.length - right.encoded.length);
  const index = filter && fieldIndex(entity, filter.field);
  if (filter === undefined || index === undefined) return undefined;
  return {
    own: { index: { name: index.name, kind: 'field' }, pk: index.pk, prefixOf: (prefix) => prefix },
    prefixes: partsOf(filter),
    counter: recordCounter(entity.name),
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

/** Measured: to find a record by the parts takes as long as to go through so many. */
const recordsPerEntry = 8;
const countedMax = 10_000;

/** Whether the records of the parts are expected to be read sooner than all records. A page is soon full in either way. */
export async function isSooner(scope: Scope, { isWhole, own, prefixes, counter }: UnionPlan): Promise<boolean> {
  if (!isWhole) return true;
  const [all] = await scope.get([counter]);
  const most = Math.min(Math.floor(Number(all?.value ?? 0) / recordsPerEntry), countedMax);
  let count = 0;
  for (const prefix of prefixes) {
    count += await scope.count(own.pk, { prefix }, most + 1 - count);
    if (count > most) return false;
  }
  return true;
}
