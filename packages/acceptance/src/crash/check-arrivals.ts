/** Whether what a receiver was sent is what was written: all of it, in its order, and nothing else. */
import assert from 'node:assert/strict';
import type { StoredRecord } from '../org.ts';
import type { Orders } from './check-orders.ts';
import type { Arrival } from './flaky-receiver.ts';
import type { Entry } from './ledger.ts';

export interface Write {
  readonly op: 'create' | 'update' | 'delete';
  readonly record: string;
  /** That the record had after it; of a removal, before it. */
  readonly version: number;
}

/**
 * The writes that took place, in the order of asking. What had no answer took place if `found` shows it.
 * @param before the orders before the first entry. @param found those after the last one.
 */
export function writesIn(before: Orders, entries: readonly Entry[], found: Orders): readonly Write[] {
  const versions = new Map([...before.values()].map(({ id, version }) => [id, version]));
  const written: Write[] = [];
  const note = (op: 'create' | 'update', records: readonly StoredRecord[]): void => {
    for (const { id, version } of records) {
      versions.set(id, version);
      written.push({ op, record: id, version });
    }
  };
  for (const { command, answer } of entries) {
    if (command.kind === 'create' || command.kind === 'batch')
      note('create', answer?.records ?? madeOf(command, found));
    else if (command.kind === 'update') note('update', answer?.records ?? changedBy(command, found));
    else if (command.kind === 'delete' && (answer !== undefined || !found.has(command.id)))
      written.push({ op: 'delete', record: command.id, version: versions.get(command.id) ?? Number.NaN });
  }
  return written;
}

type Making = Extract<Entry['command'], { kind: 'create' | 'batch' }>;

function madeOf(command: Making, found: Orders): readonly StoredRecord[] {
  const codes = new Set((command.kind === 'create' ? [command.body] : command.bodies).map(({ code }) => code));
  return [...found.values()].filter(({ code }) => codes.has(String(code)));
}

function changedBy(
  { id, title }: Extract<Entry['command'], { kind: 'update' }>,
  found: Orders,
): readonly StoredRecord[] {
  const now = found.get(id);
  return now?.title === title ? [now] : [];
}

/** Takes writes and arrivals as they come. Each check throws at the first thing that is not as it should be. */
export class ArrivalCheck {
  /** By write, whether it was taken. */
  readonly #writes = new Map<string, boolean>();
  /** By event and record: the versions to come, in their order. */
  readonly #lines = new Map<string, number[]>();
  /** By `webhook-id` and by write, what belongs to it. */
  readonly #bodies = new Map<string, string>();
  readonly #ids = new Map<string, string>();
  #missing = 0;
  #repeated = 0;

  /** How many writes no call was taken for. */
  get missing(): number {
    return this.#missing;
  }

  /** How many calls repeated a call that was taken. */
  get repeated(): number {
    return this.#repeated;
  }

  expect(writes: readonly Write[]): void {
    for (const { op, record, version } of writes) {
      const write = textOf(`order.${op}`, record, version);
      assert.ok(!this.#writes.has(write), `${write} was written twice`);
      this.#writes.set(write, false);
      this.#missing += 1;
      const line = `order.${op} ${record}`;
      this.#lines.set(line, [...(this.#lines.get(line) ?? []), version]);
    }
  }

  /** The events of a kind of write arrive at one path, so the type says which event it was. */
  take(arrivals: readonly Arrival[]): void {
    for (const { id, event, type, record, version, body, isTaken } of arrivals) {
      const write = textOf(type, record, version);
      const wasTaken = this.#writes.get(write);
      assert.ok(wasTaken !== undefined, `an event without its write: ${write}`);
      assert.equal(event, pathOf(type), `${write} came for another event`);
      this.#isOne(this.#bodies, id, `${write} ${body}`, 'one id has two contents');
      this.#isOne(this.#ids, write, id, 'one write has two ids');
      const line = `${type} ${record}`;
      const [next] = this.#lines.get(line) ?? [];
      if (!wasTaken) assert.equal(version, next, `${write} came before the write that it follows was taken`);
      if (wasTaken) this.#repeated += 1;
      else if (isTaken) {
        this.#writes.set(write, true);
        this.#lines.get(line)?.shift();
        this.#missing -= 1;
      }
    }
  }

  /** Throws where a write is left that no call was taken for. */
  end(): void {
    const missing = [...this.#writes].filter(([, isTaken]) => !isTaken).map(([write]) => write);
    assert.equal(missing.length, 0, `${missing.length} writes without their event: ${missing.slice(0, 5).join('; ')}`);
  }

  #isOne(known: Map<string, string>, key: string, value: string, message: string): void {
    assert.equal(known.get(key) ?? value, value, `${message}: ${key}`);
    known.set(key, value);
  }
}

/** Where the event is sent to that is about these writes. */
export function pathOf(type: string): string {
  return `/${type}`;
}

function textOf(type: string, record: string, version: number): string {
  return `${type} of ${record} in version ${version}`;
}
