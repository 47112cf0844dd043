/** The records of one entity in one workspace as their only writer knows them. */
import { isDeepStrictEqual } from 'node:util';
import type { StoredRecord } from '../org.ts';

export class RecordLedger {
  readonly #records = new Map<string, StoredRecord>();

  get size(): number {
    return this.#records.size;
  }

  take(records: readonly StoredRecord[]): void {
    for (const record of records) this.#records.set(record.id, record);
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) this.#records.delete(id);
  }

  all(): readonly StoredRecord[] {
    return [...this.#records.values()];
  }

  any(count = 1): readonly StoredRecord[] {
    const all = this.all();
    const from = Math.floor(Math.random() * Math.max(1, all.length - count));
    return all.slice(from, from + count);
  }

  /** What is wrong with what was read; undefined where it is what was written. */
  differenceTo(read: readonly StoredRecord[], expected = this.all()): string | undefined {
    const found = new Map(read.map((record) => [record.id, record]));
    if (found.size !== read.length) return 'a record is listed twice';
    const lost = expected.filter(({ id }) => !found.has(id));
    if (lost.length > 0) return `${lost.length} of ${expected.length} records are not there: ${lost[0]?.id}`;
    if (read.length > expected.length) return `${read.length - expected.length} records should not be there`;
    const changed = expected.find((record) => !isDeepStrictEqual(record, found.get(record.id)));
    if (changed === undefined) return undefined;
    return `${JSON.stringify(changed)} reads as ${JSON.stringify(found.get(changed.id))}`;
  }
}
