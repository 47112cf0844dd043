/** Which entries of an index are of the records that a filter lets through. */

import {
  afterAll,
  type CompiledIndex,
  type IndexKind,
  indexPrefix,
  indexStart,
  presentPrefix,
} from '../../../schema/port.ts';
import type { Range } from '../../../store/port.ts';
import type { Filter } from '../filter.ts';

interface EntriesOfIndex {
  readonly pk: string;
  readonly isIndex: true;
  readonly index: IndexName;
}

export function entriesOf({ pk, name, kind }: CompiledIndex): EntriesOfIndex {
  return { pk, isIndex: true, index: { name, kind: kind === 'elements' ? 'field' : kind } };
}

export /** The part of an index that holds every record a filter lets through, and perhaps a few more. */
function rangeOf(filter: Filter): Pick<Range, 'prefix' | 'after' | 'before'> | undefined {
  switch (filter.operator) {
    case 'eq':
      return { prefix: indexPrefix(encodedValue(filter, 0)) };
    case 'startswith':
      return { prefix: indexStart(encodedValue(filter, 0)) };
    case 'gt':
    case 'gte':
      return { after: indexStart(encodedValue(filter, 0)) };
    case 'lt':
    case 'lte':
      return { after: presentPrefix, before: indexStart(encodedValue(filter, 0)) + afterAll };
    case 'between':
      return { after: indexStart(encodedValue(filter, 0)), before: indexStart(encodedValue(filter, 1)) + afterAll };
    default:
      return undefined;
  }
}

export function encodedValue(filter: Filter, index: number): string {
  return filter.encoded[index] ?? '';
}

/** The index that entries are of, as the state of an entity names it. */
export interface IndexName {
  readonly name: string;
  readonly kind: IndexKind;
}

/** The records of another entity by which records are found whose lookups point to them. */
export interface FoundThrough {
  readonly entity: string;
  readonly index: IndexName;
  /** How many others there are. */
  readonly records: number;
}
