/** Compares the rows of aggregates with the records that they follow from. */
import type { Item, Key } from '../../../store/port.ts';
import { bothFigures, readTally, tallyText } from '../../../store/tally.ts';
import type { RecordData } from '../../record.ts';
import { type CompiledAggregate, figuresOf, groupKey } from './kept-rows.ts';

/** A group whose row is not what its records come to. */
export interface WrongGroup {
  readonly aggregate: CompiledAggregate;
  readonly key: Key;
  /** As it is stored; undefined where there is none. */
  readonly item: Item | undefined;
  /** As it should be; undefined where there should be none. */
  readonly value: string | undefined;
}

interface ComparedGroup {
  readonly aggregate: CompiledAggregate;
  readonly key: Key;
  item: Item | undefined;
  label: string | undefined;
  figures: readonly bigint[];
}

/** Of an aggregate with more of them nothing is said, so that memory does not grow with the records. */
const groupsMax = 50_000;

/** Of one workspace: rows and records in any order. */
export class AggregateComparison {
  /** By the partition of an aggregate, by the place of a group. */
  readonly #groups = new Map<string, Map<string, ComparedGroup>>();

  noteRow(aggregate: CompiledAggregate, item: Item): void {
    const group = this.#groupAt(aggregate, item);
    if (group !== undefined) group.item = item;
  }

  noteRecord(aggregates: readonly CompiledAggregate[], data: RecordData): void {
    for (const aggregate of aggregates) {
      const { label, figures } = figuresOf(aggregate, data);
      const group = this.#groupAt(aggregate, groupKey(aggregate, label));
      if (group === undefined) continue;
      group.label = label;
      group.figures = bothFigures(group.figures, figures);
    }
  }

  *wrong(): Generator<WrongGroup> {
    for (const groups of this.#groups.values()) {
      if (groups.size > groupsMax) continue;
      for (const { aggregate, key, item, label, figures } of groups.values()) {
        const value = label === undefined ? undefined : tallyText({ label, figures });
        if (item?.value !== value) yield { aggregate, key, item, value };
      }
    }
  }

  #groupAt(aggregate: CompiledAggregate, { pk, sk }: Key): ComparedGroup | undefined {
    const groups = this.#groups.get(pk) ?? new Map<string, ComparedGroup>();
    this.#groups.set(pk, groups);
    const known = groups.get(sk);
    if (known !== undefined || groups.size > groupsMax) return known;
    const group = { aggregate, key: { pk, sk }, item: undefined, label: undefined, figures: [] };
    groups.set(sk, group);
    return group;
  }
}

/** After "the row of a group ". */
export function wrongText({ item, value }: WrongGroup): string {
  if (item === undefined) return `is missing: there are ${countIn(value)} records`;
  if (value === undefined) return 'is there, and no record is of it';
  const [row, records] = [countIn(item.value), countIn(value)];
  return row === records ? 'has sums that are not those of its records' : `counts ${row} records of ${records}`;
}

function countIn(value: string | undefined): string {
  try {
    return String(readTally(value ?? '').figures[0]);
  } catch {
    return 'no number of';
  }
}
