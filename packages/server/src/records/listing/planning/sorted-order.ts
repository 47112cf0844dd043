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

/** How many places of other records are held. */
const placesMax = 10_000;
const readAtOnce = 100;

/**
 * As indexes on the lookup and on the fields of the records that it points to would have it: those that point to a record
 * that is gone come last in either direction. The caller may get each of the others.
 */
export class OrderOverLookup implements SortedOrder {
  readonly isReverse: boolean;
  readonly #call: Pick<RecordCall, 'workspace'>;
  readonly #sort: LookupSort;
  readonly #others: SortedOrder;
  /** By ids; undefined for a record that is not there. */
  #places = new Map<string, string | undefined>();

  constructor(call: Pick<RecordCall, 'workspace'>, sort: LookupSort) {
    this.#call = call;
    this.#sort = sort;
    this.#others = sortedOrder(sort.entity, sort);
    this.isReverse = this.#others.isReverse;
  }

  async prepare(records: readonly RecordData[]): Promise<number> {
    const wanted = new Set(records.flatMap((data) => this.#idIn(data) ?? []));
    if (this.#places.size + wanted.size > placesMax) this.#places = new Map();
    const missing = [...wanted].filter((id) => !this.#places.has(id));
    const { entity } = this.#sort;
    for (let start = 0; start < missing.length; start += readAtOnce) {
      const ids = missing.slice(start, start + readAtOnce);
      for (const id of ids) this.#places.set(id, undefined);
      for (const item of await findItems({ workspace: this.#call.workspace, entity }, ids)) {
        const data = dataOf(entity, item);
        this.#places.set(data.id, this.#others.keyOf(data));
      }
    }
    return missing.length;
  }

  keyOf(data: RecordData): string {
    const [empty, others, missing] = this.isReverse ? ['1', '2', '0'] : ['0', '1', '2'];
    const id = this.#idIn(data);
    if (id === undefined) return empty + data.id;
    const place = this.#places.get(id);
    return (place === undefined ? missing + id : others + place) + data.id;
  }

  #idIn(data: RecordData): string | undefined {
    const id = data[this.#sort.field];
    return typeof id === 'string' ? id : undefined;
  }
}
