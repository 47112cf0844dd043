/**
 * The records of a list as one scrolls through them: read page by page by cursors, of which all are kept, while of the
 * pages only the last used ones are. A page that was let go is read again by its cursor.
 */
import type { PartialReason } from '../figures/part-words.ts';
import type { Row } from '../on-list.ts';

export interface Page {
  readonly items: readonly Row[];
  readonly nexttoken: string | null;
  /** Whether the page ended at the scan budget, before it was full. */
  readonly partial?: boolean;
  /** By which limit it ended there: of the records that a call looks at, or of its time. */
  readonly partial_reason?: PartialReason;
  /** Of the first page: how many records the list has. */
  readonly total?: number | { readonly atLeast: number };
  readonly explain?: Explain;
}

export interface Explain {
  readonly index: { readonly name: string; readonly kind: string } | null;
  readonly budget: { readonly items: number };
}

/** Reads a page. @param token undefined for the first. @throws what the screen shows. */
export type ReadPage = (token: string | undefined, signal: AbortSignal) => Promise<Page>;

export interface PagesState {
  /** The number of records that are known to be there, from the first on. */
  readonly known: number;
  readonly isLoading: boolean;
  /** Whether the last known record is the last of the list. */
  readonly isComplete: boolean;
  /** Whether the reading stopped at the scan budget, and goes on when it is asked to. */
  readonly isStopped: boolean;
  /** The limit at which the last page that was read on ended. */
  readonly stoppedBy: Page['partial_reason'];
  /** The number of records that were read since the list last grew, to find the next ones. */
  readonly readInVain: number;
  readonly total: Page['total'];
  readonly index: Explain['index'] | undefined;
  readonly error: unknown;
}

interface PagePosition {
  readonly token: string | undefined;
  readonly start: number;
  readonly ids: { readonly count: number; readonly last: string | undefined };
}

const pagesKept = 20;
/** Browsers show no page that is much higher than the rows of so many records. */
export const recordsMax = 500_000;
/** How far behind the last shown record the next page is asked for. */
const recordsAhead = 60;

const atFirst: PagesState = {
  known: 0,
  isLoading: true,
  isComplete: false,
  isStopped: false,
  stoppedBy: undefined,
  readInVain: 0,
  total: undefined,
  index: undefined,
  error: undefined,
};

export class RecordPages {
  readonly #read: ReadPage;
  readonly #aborter = new AbortController();
  readonly #listeners = new Set<() => void>();
  /** In the order of the list. */
  #known: PagePosition[] = [];
  /** By their places in `#known`, the last used at the end. */
  readonly #kept = new Map<number, readonly Row[]>();
  /** Pages that are read again when they are shown. */
  readonly #stale = new Set<number>();
  readonly #underWay = new Set<number>();
  #next: string | undefined;
  #state = atFirst;

  constructor(read: ReadPage) {
    this.#read = read;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The same object until something has changed. */
  readonly state = (): PagesState => this.#state;

  /** Ends the reading. */
  close(): void {
    this.#aborter.abort();
    this.#listeners.clear();
  }

  /** The record at a place of the list; undefined if its page is not in memory. */
  rowAt(place: number): Row | undefined {
    const page = this.#pageAt(place);
    return this.#kept.get(page)?.[place - (this.#known[page]?.start ?? 0)];
  }

  /** All records in memory, in the order of the list. */
  rows(): readonly Row[] {
    return [...this.#kept.entries()].toSorted(([left], [right]) => left - right).flatMap(([, rows]) => rows);
  }

  /** Reads what is missing of the records from `first` to `last`, and the page behind them when they come near to it. */
  show(first: number, last: number): void {
    for (let page = this.#pageAt(first); page <= this.#pageAt(last); page++) this.#use(page);
    const { isComplete, isStopped, error, known } = this.#state;
    const isNear = last + recordsAhead >= known && known < recordsMax;
    if (isNear && !isComplete && !isStopped && error === undefined) this.#readOn();
  }

  /** Goes on behind the scan budget, or after an error. */
  resume(): void {
    const isFailed = this.#state.error !== undefined;
    this.#change({ isStopped: false, error: undefined });
    if (!isFailed || this.#known.length === 0) this.#readOn();
    this.#readWhereEmpty();
  }

  /** Reads the pages again that are in memory, each when it is next shown. Until then their records stay. */
  refresh(): void {
    for (const page of [...this.#kept.keys(), ...this.#underWay]) this.#stale.add(page);
    this.#change({ error: undefined, isStopped: false });
    this.#readWhereEmpty();
  }

  /** A list without records shows no row, so nothing else asks for its page. */
  #readWhereEmpty(): void {
    if (this.#state.known === 0) this.#use(0);
  }

  #use(page: number): void {
    const rows = this.#kept.get(page);
    if (rows !== undefined) {
      this.#kept.delete(page);
      this.#kept.set(page, rows);
    }
    const known = this.#known[page];
    if (known !== undefined && (rows === undefined || this.#stale.has(page))) this.#readAgain(page, known);
  }

  #readOn(): void {
    const [page, token] = [this.#known.length, this.#next];
    const isWanted = () => page === this.#known.length && token === this.#next;
    void this.#readAt(page, token, (read) => isWanted() && this.#append(page, read));
  }

  #readAgain(page: number, known: PagePosition): void {
    if (this.#state.error !== undefined) return;
    const take = ({ items, nexttoken, total = this.#state.total }: Page): void => {
      if (this.#known[page] !== known) return;
      const { count, last } = known.ids;
      // Where records came or went meanwhile, what is behind the page is read once more.
      if (items.length !== count || items.at(-1)?.id !== last) this.#forgetBehind(page, known.start + items.length);
      if (page === this.#known.length - 1) this.#endAt(nexttoken);
      this.#keep(page, { token: known.token, start: known.start, items });
      this.#change({ total });
    };
    void this.#readAt(page, known.token, take);
  }

  #append(page: number, { items, nexttoken, partial, partial_reason, total, explain }: Page): void {
    const { known, readInVain, ...before } = this.#state;
    if (items.length > 0 || page === 0) this.#keep(page, { token: this.#next, start: known, items });
    this.#endAt(nexttoken);
    const read = explain?.budget.items ?? 0;
    this.#change({
      known: known + items.length,
      isStopped: partial === true && nexttoken !== null,
      stoppedBy: partial_reason,
      readInVain: items.length > 0 ? 0 : readInVain + read,
      total: page === 0 ? total : before.total,
      index: explain === undefined ? before.index : explain.index,
    });
  }

  #endAt(nexttoken: string | null): void {
    this.#next = nexttoken ?? undefined;
    this.#change({ isComplete: nexttoken === null });
  }

  #keep(page: number, { token, start, items }: Pick<PagePosition, 'token' | 'start'> & Pick<Page, 'items'>): void {
    this.#known[page] = { token, start, ids: { count: items.length, last: items.at(-1)?.id } };
    this.#kept.delete(page);
    this.#kept.set(page, items);
    for (const oldest of this.#kept.keys()) if (this.#kept.size > pagesKept) this.#kept.delete(oldest);
  }

  #forgetBehind(page: number, known: number): void {
    for (const kept of [...this.#kept.keys()]) if (kept > page) this.#kept.delete(kept);
    this.#known = this.#known.slice(0, page + 1);
    this.#change({ known, isStopped: false });
  }

  async #readAt(page: number, token: string | undefined, take: (read: Page) => void): Promise<void> {
    if (this.#underWay.has(page)) return;
    this.#underWay.add(page);
    // Not when the page has come: a refresh meanwhile asks for what was written since.
    this.#stale.delete(page);
    this.#change({ isLoading: true });
    const { signal } = this.#aborter;
    try {
      const read = await this.#read(token, signal);
      if (!signal.aborted) take(read);
    } catch (error) {
      this.#stale.add(page);
      if (!signal.aborted) this.#change({ error });
    }
    this.#underWay.delete(page);
    if (signal.aborted) return;
    this.#change({ isLoading: this.#underWay.size > 0 });
    this.#readWhereEmpty();
  }

  /** The page that holds a place, by halving; the last one for a place behind all. */
  #pageAt(place: number): number {
    let [low, high] = [0, Math.max(this.#known.length - 1, 0)];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#known[middle]?.start ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #change(changed: Partial<PagesState>): void {
    this.#state = { ...this.#state, ...changed };
    for (const listener of this.#listeners) listener();
  }
}
