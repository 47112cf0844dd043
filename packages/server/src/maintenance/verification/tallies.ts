import type { Derived, RecordData } from '../../records/port.ts';
import { numberKey, recordCounter } from '../../records/port.ts';
import type { Item, Key } from '../../store/port.ts';
import type { Drift } from './findings.ts';
import type { KeptEntity } from './kept-entity.ts';

interface Tally {
  readonly key: Key;
  readonly number: number;
}

/** What the counters of a workspace say, and what its records come to. */
export class Tallies {
  readonly #counters = new Map<string, Tally>();
  readonly #records = new Map<string, Tally>();
  readonly #largest = new Map<string, Tally>();

  noteCounter({ pk, sk, value }: Item): void {
    set(this.#counters, { pk, sk }, Number(value));
  }

  noteRecord({ entity }: KeptEntity, data: RecordData, { counter }: Derived): void {
    set(this.#records, counter, numberOf(this.#records, counter) + 1);
    for (const { name, behaviour } of entity.fields.values()) {
      const value = data[name];
      if (behaviour.isNumbered !== true || typeof value !== 'number') continue;
      const key = numberKey(entity.name, entity.stored.inStore(name));
      set(this.#largest, key, Math.max(value, numberOf(this.#largest, key)));
    }
  }

  /** Where counters and records contradict each other, once all of both are noted. */
  *drift(): Generator<Pick<Drift, 'kind' | 'key' | 'problem'>> {
    const counts = [...this.#counters.values()].filter(({ key }) => key.pk === recordCounter('').pk);
    for (const { key } of new Map(
      [...counts, ...this.#records.values()].map((tally) => [tally.key.sk, tally]),
    ).values()) {
      const [counted, found] = [numberOf(this.#counters, key), numberOf(this.#records, key)];
      if (counted !== found)
        yield { kind: 'count', key, problem: `counts ${counted} records where there are ${found}` };
    }
    for (const { key, number } of this.#largest.values()) {
      const given = numberOf(this.#counters, key);
      if (given < number) yield { kind: 'number', key, problem: `is at ${given}, but a record already has ${number}` };
    }
  }
}

function set(tallies: Map<string, Tally>, key: Key, number: number): void {
  tallies.set(`${key.pk}\0${key.sk}`, { key, number });
}

function numberOf(tallies: ReadonlyMap<string, Tally>, { pk, sk }: Key): number {
  return tallies.get(`${pk}\0${sk}`)?.number ?? 0;
}
