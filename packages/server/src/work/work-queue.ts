import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import {
  type Due,
  type DueItem,
  type Item,
  type Maintenance,
  type Scope,
  ScopeClosed,
  type Store,
} from '../store/port.ts';
import { ignoreConflict } from '../store/transact.ts';

/** A data space whose work is done. The composition may pass more of it to the jobs. */
export interface JobSpace {
  readonly store: Store;
  readonly maintenance: Maintenance;
}

export interface WorkQueueOptions<Space extends JobSpace> {
  readonly queue: 'work' | 'automation';
  readonly spaces: readonly Space[];
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** The amount that this node does at once. */
  readonly atOnce: number;
}

/** The way a piece of work is done. */
export interface WorkItem {
  /** Work of one share takes a bounded part of what is done at once; left out, it has no bound of its own. */
  readonly share?: string;
  readonly run: () => Promise<void>;
}

/** Takes a piece of work; undefined where another node has to do it. */
export type Take<Space> = (space: Space, entry: DueItem, isClosed: () => boolean) => WorkItem | undefined;

/** The due time of work that a builder waits for: from the beginning of time, whatever was known of it before. */
export const immediately = 0;

const turnMilliseconds = 1000;
const entriesPerReadMin = 10;
const perShare = 8;
const failuresPerTurnMax = 10;
const deferMillisecondsMax = 30_000;
const closedMilliseconds = 60_000;

/** Looks each second, or when it is woken, for what is due in a queue, and has it done within bounds. */
export class WorkQueue<Space extends JobSpace> {
  readonly #options: WorkQueueOptions<Space>;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #ofShare = new Map<string, number>();
  /** Since it was woken: what failed may still be due, and is tried again in another turn. */
  readonly #failed = new Set<string>();
  /** Scopes that took no commit, and when that was: what is due in them stays until they are removed. */
  readonly #closedScopes = new BoundedMap<string, number>(10_000);
  #take: Take<Space> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #isPoked = false;
  #isFull = false;
  /** The space that is looked at first: work of one keeps none of another waiting. */
  #first = 0;
  #looking: Promise<void> | undefined;

  constructor(options: WorkQueueOptions<Space>) {
    this.#options = options;
  }

  /** Nothing is looked for before. */
  begin(take: Take<Space>): void {
    this.#take = take;
    this.#timer = setInterval(() => this.wake(), turnMilliseconds);
    this.#timer.unref();
  }

  /** Looks for what is due now instead of at the next turn. */
  wake(): void {
    this.#failed.clear();
    this.#resume();
  }

  #resume(): void {
    this.#isPoked = true;
    if (this.#looking !== undefined || this.#isClosed || this.#take === undefined) return;
    this.#looking = this.#look(this.#take)
      .catch(this.#options.onError)
      .finally(() => {
        this.#looking = undefined;
        // Woken between its last look and now.
        if (this.#isPoked) this.#resume();
      });
  }

  /** Looks again at a time that is nearer than the next turn; milliseconds since the epoch. */
  wakeAt(at: number): void {
    const wait = at - this.#options.clock.now();
    if (wait < turnMilliseconds) setTimeout(() => this.wake(), Math.max(wait, 0)).unref();
  }

  /** Begins nothing any more, and ends when what is under way has ended, or has come to the end of a step. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#looking;
    await Promise.all(this.#underWay.values());
  }

  async #look(take: Take<Space>): Promise<void> {
    const { length } = this.#options.spaces;
    while (this.#isPoked && !this.#isClosed) {
      this.#isPoked = false;
      for (let count = 0, first = this.#first; count < length; count++)
        await this.#takeDue(take, (first + count) % length);
    }
  }

  async #takeDue(take: Take<Space>, index: number): Promise<void> {
    const { queue, spaces, clock, onError, atOnce } = this.#options;
    const space = spaces[index];
    const perRead = Math.max(atOnce, entriesPerReadMin);
    const over = new Map<string, number>();
    for (let limit = perRead; space !== undefined && this.#takesMore(); ) {
      const due = await space.maintenance.due(queue, clock.now(), limit);
      let staying = 0;
      for (const entry of due) {
        if (!this.#takesMore()) return;
        const stays = await this.#begin({ take, space, index, over }, entry).catch((error: unknown) => {
          if (!(error instanceof ScopeClosed)) onError(error);
          return true;
        });
        if (stays) staying += 1;
      }
      if (due.length < limit) return;
      limit = perRead + staying;
    }
  }

  #takesMore(): boolean {
    this.#isFull = this.#underWay.size >= this.#options.atOnce;
    return !this.#isFull && !this.#isClosed && this.#failed.size < failuresPerTurnMax;
  }

  /** True where the entry stays due for now: it is under way, or nothing can be done about it. */
  async #begin({ take, space, index, over }: ScannedSpace<Space>, entry: DueItem): Promise<boolean> {
    const { clock, queue, spaces } = this.#options;
    const { scope, item } = entry;
    const place = `${index} ${scope}`;
    const key = `${place} ${item.pk} ${item.sk}`;
    const closedAt = this.#closedScopes.get(place);
    const isShut = closedAt !== undefined && clock.now() - closedAt < closedMilliseconds;
    if (this.#underWay.has(key) || this.#failed.has(key) || isShut) return true;
    const taken = take(space, entry, () => this.#isClosed);
    if (taken === undefined) return true;
    const share = taken.share ?? key;
    if ((this.#ofShare.get(share) ?? 0) >= perShare) {
      // Deferred, it would not be known as asked for any more.
      if (item.due?.at === immediately) return true;
      const before = over.get(share) ?? 0;
      over.set(share, before + 1);
      const turns = 1 + Math.floor(before / perShare);
      const at = clock.now() + Math.min(turns * turnMilliseconds, deferMillisecondsMax);
      await defer(space.store.scope(scope), item, { at, queue });
      return false;
    }
    this.#ofShare.set(share, (this.#ofShare.get(share) ?? 0) + 1);
    this.#first = (index + 1) % spaces.length;
    const ended = (): void => {
      this.#underWay.delete(key);
      const left = (this.#ofShare.get(share) ?? 1) - 1;
      if (left > 0) this.#ofShare.set(share, left);
      else this.#ofShare.delete(share);
      if (this.#isFull) this.#resume();
    };
    this.#underWay.set(key, this.#run(taken, place, key).finally(ended));
    return true;
  }

  async #run({ run }: WorkItem, place: string, key: string): Promise<void> {
    const { clock, onError } = this.#options;
    try {
      await run();
    } catch (error) {
      if (error instanceof ScopeClosed) this.#closedScopes.set(place, clock.now());
      else {
        this.#failed.add(key);
        onError(error);
      }
    }
  }
}

interface ScannedSpace<Space> {
  readonly take: Take<Space>;
  readonly space: Space;
  readonly index: number;
  /** By share: the number of items deferred in this scan. */
  readonly over: Map<string, number>;
}

/** An item that another has moved meanwhile stays where that has put it. */
export async function defer(scope: Scope, { pk, sk, value, version }: Item, due: Due): Promise<void> {
  const put = { kind: 'put', pk, sk, value, if: { version }, due } as const;
  await scope.commit([put], { priority: 'background' }).catch(ignoreConflict);
}
