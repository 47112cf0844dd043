import type { BoundedMeasure, BoundedRead, BoundedSelect } from '../../engine.ts';
import { longReadTurns } from '../../long-read-turns.ts';
import {
  type LookedAt,
  limits,
  type Measured,
  ownerOf,
  type ScopeName,
  type Selected,
  Unavailable,
} from '../../port.ts';
import type { Connection, Value } from '../connections/connection.ts';
import { describeError, endsSession, isServerError, SessionLost } from '../connections/postgres-error.ts';
import { isWritable, textBounds } from '../rows.ts';
import type { ServerPools } from '../servers/server-pools.ts';
import type { SqlStatement } from '../statements.ts';
import { MeasuringWindows } from './measuring-windows.ts';
import { Selecting } from './selecting.ts';
import type { Progress, Send, WindowedRead } from './window.ts';
import { type PageRow, pageStatement, valuesOf, type WindowValues } from './window-sql.ts';

export interface LongReadLimits {
  /** A plain statement looks at so many rows, and no more is read item by item at once. */
  readonly rowsMin: number;
  /** Sums of doubles are within 1e-12 of the sum of their magnitudes where there are no more than 5,000. */
  readonly rowsMax: number;
  /** Of a whole read, about. */
  readonly milliseconds: number;
}

const defaultLimits: LongReadLimits = { rowsMin: 200, rowsMax: 5000, milliseconds: limits.longReadMilliseconds };

const windowMilliseconds = 100;
const windowBytes = 8 * 1024 * 1024;
const pageBytes = 1024 * 1024;

/** Of all stores of the process; servers bound how many are under way. */
const processTurns = longReadTurns(Number.POSITIVE_INFINITY);

/** Behind every `sk`, which has at most {@link limits.keyBytesMax} bytes. */
const aboveAllKeys = '\u{10ffff}'.repeat(limits.keyBytesMax / 4 + 1);

type Part = Pick<BoundedRead, 'pk' | 'from' | 'isFromIncluded' | 'to' | 'isReverse'> &
  Pick<BoundedSelect, 'rowsMax' | 'signal'>;

interface Place {
  readonly scope: ScopeName;
  readonly now: number;
}

/**
 * Selects and measures. What is answered within {@link LongReadLimits.rowsMin} rows is one plain statement. Everything else is windows of
 * one transaction, on connections that serve nothing else.
 */
export class LongReads {
  readonly #pools: Pick<ServerPools, 'read' | 'long'>;
  readonly #schema: string;
  readonly #limits: LongReadLimits;
  readonly #closing = new AbortController();

  constructor(pools: Pick<ServerPools, 'read' | 'long'>, schema: string, set = defaultLimits) {
    this.#pools = pools;
    this.#schema = schema;
    this.#limits = set;
  }

  async select(scope: ScopeName, read: BoundedSelect, now: number): Promise<Selected> {
    if (read.limit === 0) return { entries: [], rows: 0, next: '' };
    return this.#answer({ scope, now }, read, () => new Selecting(this.#schema, read));
  }

  async measure(scope: ScopeName, read: BoundedMeasure, now: number): Promise<Measured> {
    return this.#answer({ scope, now }, read, () => new MeasuringWindows(this.#schema, read));
  }

  /** Ends what waits and what is under way, which opens no more connections. */
  close(): void {
    this.#closing.abort(new Unavailable('the store is closed'));
  }

  async #answer<T>(place: Place, part: Part, begin: () => WindowedRead<T>): Promise<T> {
    part.signal?.throwIfAborted();
    if (!isWritable(part.pk)) return begin().answer({ rows: 0, next: undefined });
    if (part.rowsMax === 0) return begin().answer({ rows: 0, next: undefined, endedBy: 'rows' });
    return (await this.#atOnce(place, part, begin())) ?? this.#inTurn(place, part, begin);
  }

  /** Undefined where that is not enough. */
  async #atOnce<T>(place: Place, part: Part, read: WindowedRead<T>): Promise<T | undefined> {
    const rows = Math.min(this.#limits.rowsMin, part.rowsMax);
    const send: Send = (statement, values) => this.#pools.read(statement, values);
    try {
      const progress = await read.window(send, windowOf(place, part, { rows, bytes: pageBytes }));
      if (progress === undefined) return undefined;
      const looked = lookedAfter(progress, part.rowsMax);
      return looked === undefined ? undefined : read.answer(looked);
    } catch (error) {
      if (error instanceof Unavailable) return undefined;
      throw error;
    }
  }

  async #inTurn<T>(place: Place, whole: Part, begin: () => WindowedRead<T>): Promise<T> {
    const closing = this.#closing.signal;
    const signal = whole.signal === undefined ? closing : AbortSignal.any([whole.signal, closing]);
    const part = { ...whole, signal };
    const read = async (connection: Connection, assertInTime: () => void): Promise<T> => {
      signal.throwIfAborted();
      assertInTime();
      return new Snapshot(connection).use((snapshot) => this.#walk(snapshot, { place, part, read: begin() }));
    };
    const run = (assertInTime: () => void) =>
      this.#pools.long(place.scope, (connection) => read(connection, assertInTime), signal);
    try {
      const work = (assertInTime: () => void) =>
        run(assertInTime).catch((error: unknown) => {
          signal.throwIfAborted();
          // It changes nothing, so it is made again on another session.
          if (endsSession(error)) return run(assertInTime);
          throw error;
        });
      return await processTurns.run({ owner: ownerOf(place.scope), pk: whole.pk }, work, signal);
    } catch (error) {
      if (!isServerError(error) && !(error instanceof SessionLost)) throw error;
      throw new Unavailable('the store cannot be read', { cause: describeError(error) });
    }
  }

  async #walk<T>(snapshot: Snapshot, { place, part, read }: Walk<T>): Promise<T> {
    const endAt = performance.now() + this.#limits.milliseconds;
    let left = part;
    let rows = 0;
    const { rowsMin } = this.#limits;
    for (let size = rowsMin; ; ) {
      const startedAt = performance.now();
      const wanted = { rows: Math.min(size, left.rowsMax), bytes: windowBytes };
      const window = windowOf(place, left, wanted);
      const progress = await snapshot.attempt((send) => read.window(send, window));
      if (progress === undefined && wanted.rows > rowsMin) {
        size = rowsMin;
        continue;
      }
      const done = progress ?? (await this.#byItems(snapshot, { window, part, read }));
      rows += done.rows;
      const looked = lookedAfter(done, left.rowsMax);
      if (looked !== undefined) return read.answer({ ...looked, rows });
      part.signal?.throwIfAborted();
      if (performance.now() > endAt) return read.answer({ rows, next: done.last, endedBy: 'time' });
      left = { ...behind(left, done.last), rowsMax: left.rowsMax - done.rows };
      size = this.#sizeAfter(wanted.rows, performance.now() - startedAt);
    }
  }

  #sizeAfter(rows: number, milliseconds: number): number {
    const { rowsMin, rowsMax } = this.#limits;
    const factor = Math.min(4, Math.max(0.25, windowMilliseconds / Math.max(milliseconds, 1)));
    return Math.min(rowsMax, Math.max(rowsMin, Math.floor(rows * factor)));
  }

  async #byItems<T>(
    snapshot: Snapshot,
    { window, part, read }: Pick<Walk<T>, 'part' | 'read'> & { readonly window: WindowValues },
  ): Promise<Progress> {
    const statement = pageStatement({ ...part, schema: this.#schema });
    const page = await snapshot.send<PageRow>(statement, valuesOf(statement, { ...window, bytes: pageBytes }));
    for (const [index, [sk, version, value]] of page.entries()) {
      const outcome = read.item({ sk, version, value });
      if (outcome !== 'more') return { rows: index + 1, last: sk, outcome };
    }
    return { rows: page.length, last: page.at(-1)?.[0], outcome: page.length === 0 ? 'end' : 'more' };
  }
}

interface Walk<T> {
  readonly place: Place;
  readonly part: Part;
  readonly read: WindowedRead<T>;
}

/** Undefined where the read goes on. */
function lookedAfter({ rows, last, outcome }: Progress, rowsLeft: number): LookedAt | undefined {
  switch (outcome) {
    case 'end':
      return { rows, next: undefined };
    case 'enough':
      return { rows, next: last };
    case 'groups':
      return { rows, next: last, endedBy: 'groups' };
    case 'more':
      return rows < rowsLeft ? undefined : { rows, next: last, endedBy: 'rows' };
  }
}

function windowOf({ scope, now }: Place, part: Part, size: Pick<WindowValues, 'rows' | 'bytes'>): WindowValues {
  const { from, to } = textBounds(part);
  return { scope, now, pk: part.pk, from, to: to ?? aboveAllKeys, ...size };
}

function behind(part: Part, last: string | undefined): Part {
  if (last === undefined) return part;
  return part.isReverse ? { ...part, to: last } : { ...part, from: last, isFromIncluded: false };
}

/** A transaction that only reads. A statement that the server could not run to its end leaves it as it was. */
class Snapshot {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async use<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    await this.#connection.send(begin);
    try {
      return await work(this);
    } finally {
      // A session that does not end it is of no use.
      await this.#connection.send(end).catch(() => this.#connection.end());
    }
  }

  async send<Row extends readonly unknown[]>(
    statement: SqlStatement,
    values: readonly Value[],
  ): Promise<readonly Row[]> {
    return (await this.#connection.send<Row>({ text: statement.text }, values)).rows;
  }

  /** Undefined where a value or the time made an end of the statement. */
  async attempt<T>(work: (send: Send) => Promise<T>): Promise<T | undefined> {
    try {
      return await work((statement, values) => this.send(statement, values));
    } catch (error) {
      if (!isServerError(error) || !ofValueOrTime.test(error.code ?? '')) throw error;
      await this.#connection.send(again);
      return undefined;
    }
  }
}

const begin: SqlStatement = { text: 'begin isolation level repeatable read read only; savepoint before_window' };
const again: SqlStatement = { text: 'rollback to savepoint before_window' };
const end: SqlStatement = { text: 'rollback' };

/** Values that are no JSON or out of range, values nested too deep, and statements over their time. */
const ofValueOrTime = /^(22...|54...|57014)$/;
