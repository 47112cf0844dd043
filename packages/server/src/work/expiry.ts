import type { Clock } from '../lib/clock.ts';
import { paceBackground } from '../lib/scheduling/event-loop.ts';
import { type Repeated, repeat } from '../lib/scheduling/repeat.ts';
import { type DueItem, type Key, type Scope, ScopeClosed, type ScopeName } from '../store/port.ts';
import { ignoreConflict, tryCommit } from '../store/transact.ts';
import { works } from './job.ts';
import { Lease, type LeaseTerms } from './lease.ts';
import type { JobSpace } from './work-queue.ts';

export interface ExpirySweepOptions {
  readonly spaces: readonly JobSpace[];
  /** The scope in which the nodes of a platform agree which of them sweeps. */
  readonly shared: Scope;
  /** Names the process among those that may sweep. */
  readonly nodeId: string;
  readonly clock: Clock;
}

/** Which node sweeps, as this one knows it. */
export interface LeaseState {
  readonly holder: 'this_node' | 'another_node' | 'none';
  /** The id of the holder; undefined for a node of a release that did not write it. */
  readonly node: string | undefined;
  /** In milliseconds since the epoch. */
  readonly until: number | undefined;
}

/** The sweep as a job beside others. */
export const sweepJob = 'expiry';

const leaseName = '#expiry';
const turnMilliseconds = 60_000;
/** Ends before the node's next turn, so that the node goes on sweeping while it lives, and another one when it has died. */
const leaseMilliseconds = 50_000;
const renewAfterMilliseconds = 20_000;
const itemsPerStep = 1000;
/** The contents of closed scopes is looked past up to here: what is behind it waits until these scopes are removed. */
const itemsReadMax = 20_000;
const scopesAtOnce = 64;

/**
 * Removes what has expired, on one node at a time. Nothing depends on when: an expired item reads as absent from its
 * time on.
 */
export class ExpirySweep {
  readonly #options: ExpirySweepOptions;
  /** Of an item that expires: the node that writes it where there is none has the sweep until then. */
  readonly #terms: LeaseTerms;
  #lease: Lease | undefined;
  #turns: Repeated | undefined;
  #isClosed = false;

  constructor(options: ExpirySweepOptions) {
    const { shared: scope, clock, nodeId: node } = options;
    this.#options = options;
    this.#terms = {
      ...{ scope, clock, node, key: works.key(leaseName), options: { priority: 'background' } },
      ...{ milliseconds: leaseMilliseconds, renewAfter: renewAfterMilliseconds },
      put: (leased, condition) => [
        works.put(leaseName, { job: sweepJob, leased }, { if: condition, due: { queue: 'expire', at: leased.until } }),
      ],
    };
  }

  /** Does a turn each minute. @param turn of this sweep, as it is watched. */
  begin(onError: (error: unknown) => void, turn = (): Promise<void> => this.turn()): void {
    this.#turns = repeat(turn, { milliseconds: turnMilliseconds, onError });
  }

  /** Ends when nothing is left to remove, or another node sweeps. */
  async turn(): Promise<void> {
    const { spaces, clock } = this.#options;
    const goesOn = async (): Promise<boolean> => !this.#isClosed && (await this.#isHeld());
    for (const space of spaces) await sweep(space, clock.now(), goesOn);
  }

  /** Ends between two steps of a turn. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#turns?.close();
  }

  async lease(): Promise<LeaseState> {
    const held = await works.read(this.#terms.scope, leaseName);
    if (held === undefined) return { holder: 'none', node: undefined, until: undefined };
    const isOwn = held.version === this.#lease?.version;
    return { holder: isOwn ? 'this_node' : 'another_node', node: held.value.leased?.by, until: held.due?.at };
  }

  /** Takes or keeps the lease. False where another node has it. */
  async #isHeld(): Promise<boolean> {
    const isKept = await this.#lease?.renew().then(() => true, ignoreConflict);
    if (isKept === true) return true;
    const [held] = await this.#terms.scope.get([this.#terms.key]);
    this.#lease = held === undefined ? await Lease.take(this.#terms, undefined) : undefined;
    return this.#lease !== undefined;
  }
}

/** Items of a closed scope cannot be removed and stay due, so a step looks past as many of them as the last one met. */
async function sweep({ store, maintenance }: JobSpace, now: number, goesOn: () => Promise<boolean>): Promise<void> {
  const closed = new Set<ScopeName>();
  const pace = paceBackground();
  for (let limit = itemsPerStep; limit <= itemsReadMax; ) {
    if (!(await goesOn())) return;
    const due = await maintenance.due('expire', now, limit);
    const scopes = [...byScope(due)].filter(([name]) => !closed.has(name));
    for (let from = 0; from < scopes.length; from += scopesAtOnce) {
      const removals = scopes.slice(from, from + scopesAtOnce).map(async ([name, keys]) => {
        if (!(await removeExpired(store.scope(name), keys))) closed.add(name);
      });
      await Promise.all(removals);
      await pace();
    }
    if (due.length < limit) return;
    limit = itemsPerStep + due.filter(({ scope }) => closed.has(scope)).length;
  }
}

function byScope(due: readonly DueItem[]): ReadonlyMap<ScopeName, readonly Key[]> {
  const found = new Map<ScopeName, Key[]>();
  for (const { scope, item } of due) {
    const keys = found.get(scope) ?? [];
    found.set(scope, keys);
    keys.push({ pk: item.pk, sk: item.sk });
  }
  return found;
}

/**
 * In one commit, which spares an item that was written again: expired items read as absent. False where the scope takes
 * no commits any more.
 */
async function removeExpired(scope: Scope, keys: readonly Key[]): Promise<boolean> {
  const remove = (absent: readonly Key[]) =>
    tryCommit(
      scope,
      absent.map((key) => ({ kind: 'remove', ...key, if: 'absent' })),
      { priority: 'background' },
    );
  try {
    if (await remove(keys)) return true;
    const current = await scope.get(keys);
    const absent = keys.filter((_, index) => current[index] === undefined);
    // If one of them is written again just now, all of them are left for the next step.
    if (absent.length > 0) await remove(absent);
    return true;
  } catch (error) {
    if (error instanceof ScopeClosed) return false;
    throw error;
  }
}
