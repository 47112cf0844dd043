/** The order of an index that is not there: its records are sorted when they are listed. */
import { type CompiledEntity, indexPrefix, keyOrder, namedBehaviour } from '../../../schema/port.ts';
import { dataOf, type RecordData } from '../../record.ts';
import type { RecordCall } from '../../writing/write-loop.ts';
import { findItems } from '../find-record.ts';
import { ascendingFirst, type LookupSort, type Sort } from './read-sort.ts';

export interface SortedOrder {
  /** Reads what the places of these records depend on. Gives how many other records it read. */
  readonly prepare?: (records: readonly RecordData[]) => Promise<number>;
  /** The place that a record would have in the index. */
  readonly keyOf: (data: RecordData) => string;
  readonly isReverse: boolean;
}

/**
 * The order of the index on the field, or of one on the fields whose first one is ascending: a list with a descending first
 * field reads that index in reverse, so that equal values are reversed too.
 */
export function sortedOrder(
  entity: CompiledEntity,
  { sortKeys, descending }: Pick<Sort, 'sortKeys' | 'descending'>,
): SortedOrder {
  const parts = ascendingFirst(sortKeys).map((key) => {
    const encode = namedBehaviour(entity, key.field)?.encode;
    if (encode === undefined) throw new TypeError(`the values of ${key.field} have no order`);
    return ({ [key.field]: value }: RecordData): string => {
      const encoded = value === undefined ? undefined : encode(value);
      return sortKeys.length === 1 ? indexPrefix(encoded) : keyOrder.tuplePart(encoded, key);
    };
  });
  return { keyOf: (data) => parts.map((partOf) => partOf(data)).join('') + data.id, isReverse: descending };
}

/** The number of places of other records that are held. */
const placesMax = 10_000;
const readAtOnce = 100;

/**
 * As indexes on the lookup and on the fields of the records that it points to would have it: those that point to a record
 * that is gone come last in either direction. The caller may get each of the others.
 */
export function orderOverLookup({ workspace }: Pick<RecordCall, 'workspace'>, sort: LookupSort): SortedOrder {
  const { field, entity } = sort;
  const { keyOf: placeOf, isReverse } = sortedOrder(entity, sort);
  const [empty, others, missing] = isReverse ? ['1', '2', '0'] : ['0', '1', '2'];
  /** By ids; undefined for a record that is not there. */
  let places = new Map<string, string | undefined>();
  const idIn = ({ [field]: id }: RecordData): string | undefined => (typeof id === 'string' ? id : undefined);
  return {
    isReverse,
    prepare: async (records) => {
      const wanted = new Set(records.flatMap((data) => idIn(data) ?? []));
      if (places.size + wanted.size > placesMax) places = new Map();
      const unread = [...wanted].filter((id) => !places.has(id));
      for (let start = 0; start < unread.length; start += readAtOnce) {
        const ids = unread.slice(start, start + readAtOnce);
        for (const id of ids) places.set(id, undefined);
        for (const item of await findItems({ workspace, entity }, ids)) {
          const data = dataOf(entity, item);
          places.set(data.id, placeOf(data));
        }
      }
      return unread.length;
    },
    keyOf: (data) => {
      const id = idIn(data);
      if (id === undefined) return empty + data.id;
      const place = places.get(id);
      return (place === undefined ? missing + id : others + place) + data.id;
    },
  };
}
