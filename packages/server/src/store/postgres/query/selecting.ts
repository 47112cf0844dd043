import { meetsWhere } from '../../../lib/where.ts';
import type { BoundedSelect } from '../../engine.ts';
import type { FollowedEntry, LookedAt, Selected } from '../../port.ts';
import type { Progress, Send, WindowedRead } from './window.ts';
import { type SelectedRow, selectStatement, valuesOf, type WindowValues } from './window-sql.ts';

/** Odd rows and the last one of a window come beside those that match. */
const rowsBeside = 20;

export class Selecting implements WindowedRead<Selected> {
  readonly #schema: string;
  readonly #read: BoundedSelect;
  readonly #entries: FollowedEntry[] = [];
  #bytes = 0;

  constructor(schema: string, read: BoundedSelect) {
    this.#schema = schema;
    this.#read = read;
  }

  async window(send: Send, window: WindowValues): Promise<Progress> {
    const take = Math.min(this.#read.limit - this.#entries.length, window.rows) + rowsBeside;
    const statement = selectStatement({ ...this.#read, schema: this.#schema }, { where: this.#read.where, take });
    const rows = await send<SelectedRow>(statement, valuesOf(statement, window));
    for (const [place, sk, version, isMatch, , , value] of rows) {
      if (isMatch === false || value === null) continue;
      if (isMatch === null && !this.#matches(value)) continue;
      if (this.#take({ sk, version, value }) === 'enough') return { rows: place, last: sk, outcome: 'enough' };
    }
    const last = rows.at(-1);
    if (last === undefined) return { rows: 0, last: undefined, outcome: 'end' };
    const [place, sk, , , isLast, bytes] = last;
    const isAtEnd = isLast && place < window.rows && bytes <= window.bytes;
    return { rows: place, last: sk, outcome: isAtEnd ? 'end' : 'more' };
  }

  item(entry: FollowedEntry): 'more' | 'enough' {
    return this.#matches(entry.value) ? this.#take(entry) : 'more';
  }

  answer(looked: LookedAt): Selected {
    return { entries: this.#entries, ...looked };
  }

  #matches(value: string): boolean {
    const record: unknown = JSON.parse(value);
    return meetsWhere(this.#read.where, record);
  }

  #take(entry: FollowedEntry): 'more' | 'enough' {
    this.#entries.push(entry);
    this.#bytes += Buffer.byteLength(entry.value);
    return this.#entries.length < this.#read.limit && this.#bytes <= this.#read.bytesMax ? 'more' : 'enough';
  }
}
