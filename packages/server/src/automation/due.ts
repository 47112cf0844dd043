/**
 * Work of the queue `automation`: what an org has configured to happen, due at a time. Each item says that there is work
 * in its scope, and its handler takes it, moves it or removes it. Visits last as long as others take to answer, so they
 * go on beside each other, within a share for each org: a slow receiver of one org delays no other.
 */
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import { type DueItem, type Item, type OpenedStore, type Scope, ScopeClosed } from '../store/port.ts';
import { json, table } from '../store/table.ts';
import { ignoreConflict } from '../store/transact.ts';
import { type Environment, ownerOfScope } from '../tenancy/port.ts';

/** Something due, and where. Whose it is, the scope says alone: nothing in the value names an org or a workspace. */
export interface DueWork {
  readonly env: Environment;
  readonly scope: Scope;
  readonly orgCode: string;
  /** Undefined in the scope of an org. */
  readonly tenantCode: string | undefined;
  readonly item: Item;
}

/** One visit. What it leaves due is visited again at the next look. */
export type DueHandler = (work: DueWork) => Promise<void>;

export interface DueJob {
  /** The `job` member of the items that it visits. */
  readonly name: string;
  readonly run: DueHandler;
  /** It delivers events. */
  readonly isDelivery?: true;
}

export interface DueRunnerOptions {
  readonly spaces: Readonly<Record<Environment, OpenedStore>>;
  readonly jobs: readonly DueJob[];
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** What is due in a scope, by name. By `job` it finds its handler, whose own the other members are. */
export const dues = table(
  (name: string) => ({ pk: 'due', sk: name }),
  json<{ readonly job: string }>('piece of due work', { job: 'string' }),
);

/** When something is due that a builder waits for: from the beginning of time, whatever was known of it before. */
export const askedAt = 0;

const turnMilliseconds = 1000;
const entriesPerRead = 256;
/** Visits at once on this node, of all orgs. They mostly wait for others. */
const visitsMax = 256;
/** Of one org in one environment: deliveries, and apart from them everything else, which no dead endpoint holds up. */
const visitsOfOrgMax = 8;
const afterFailureMilliseconds = 5000;
const putOffMillisecondsMax = 30_000;
const closedMilliseconds = 60_000;

export class DueRunner {
  readonly #options: DueRunnerOptions;
  readonly #visits = new Map<string, Promise<void>>();
  readonly #ofOrg = new Map<string, number>();
  /** Scopes that took no commit, and when that was: what is due in them stays until they are removed. */
  readonly #closedScopes = new BoundedMap<string, number>(10_000);
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;
  #isPoked = false;
  #isFull = false;
  #looking: Promise<void> | undefined;

  constructor(options: DueRunnerOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.wake(), turnMilliseconds);
    this.#timer.unref();
  }

  /** Looks for what is due now instead of at the next turn. */
  wake(): void {
    this.#isPoked = true;
    if (this.#looking !== undefined || this.#isClosed) return;
    this.#looking = this.#look()
      .catch(this.#options.onError)
      .finally(() => {
        this.#looking = undefined;
        // Woken between its last look and now.
        if (this.#isPoked) this.wake();
      });
  }

  /** Looks again at a time that is nearer than the next turn; milliseconds since the epoch. */
  wakeAt(at: number): void {
    const wait = at - this.#options.clock.now();
    if (wait < turnMilliseconds) setTimeout(() => this.wake(), Math.max(wait, 0)).unref();
  }

  /** Begins no visit any more, and ends with the last. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#looking;
    await Promise.all(this.#visits.values());
  }

  async #look(): Promise<void> {
    while (this.#isPoked && !this.#isClosed) {
      this.#isPoked = false;
      for (const env of ['test', 'prod'] as const) await this.#takeDue(env);
    }
  }

  async #takeDue(env: Environment): Promise<void> {
    const { spaces, clock, onError } = this.#options;
    const over = new Map<string, number>();
    for (let limit = entriesPerRead; ; ) {
      const due = await spaces[env].maintenance.due('automation', clock.now(), limit);
      let staying = 0;
      for (const entry of due) {
        this.#isFull = this.#visits.size >= visitsMax;
        if (this.#isFull || this.#isClosed) return;
        const stays = await this.#take(env, entry, over).catch((error: unknown) => {
          if (!(error instanceof ScopeClosed)) onError(error);
          return true;
        });
        if (stays) staying += 1;
      }
      if (due.length < limit) return;
      limit = entriesPerRead + staying;
    }
  }

  /** True where the entry stays due for now: it is being visited, or nothing can be done about it. */
  async #take(env: Environment, { scope: name, item }: DueItem, over: Map<string, number>): Promise<boolean> {
    const { spaces, jobs, clock } = this.#options;
    const key = `${env} ${name} ${item.pk} ${item.sk}`;
    const closedAt = this.#closedScopes.get(`${env} ${name}`);
    const isShut = closedAt !== undefined && clock.now() - closedAt < closedMilliseconds;
    const owner = ownerOfScope(name);
    if (this.#visits.has(key) || isShut || owner === undefined) return true;
    const scope = spaces[env].store.scope(name);
    const named = dues.row(scope, item).value.job;
    const job = jobs.find(({ name: own }) => own === named);
    // That of a newer release, which another node runs.
    if (job === undefined) return true;
    const org = `${env} ${owner.orgCode} ${job.isDelivery === true ? 'deliveries' : 'others'}`;
    if ((this.#ofOrg.get(org) ?? 0) >= visitsOfOrgMax) {
      // Put off, it would not be known as asked for any more.
      if (item.due?.at === askedAt) return true;
      const before = over.get(org) ?? 0;
      over.set(org, before + 1);
      const turns = 1 + Math.floor(before / visitsOfOrgMax);
      await putOff(scope, item, clock.now() + Math.min(turns * turnMilliseconds, putOffMillisecondsMax));
      return false;
    }
    this.#begin(key, org, job.run, { env, scope, ...owner, item });
    return true;
  }

  #begin(key: string, org: string, handler: DueHandler, work: DueWork): void {
    this.#ofOrg.set(org, (this.#ofOrg.get(org) ?? 0) + 1);
    const ended = (): void => {
      this.#visits.delete(key);
      const left = (this.#ofOrg.get(org) ?? 1) - 1;
      if (left > 0) this.#ofOrg.set(org, left);
      else this.#ofOrg.delete(org);
      if (this.#isFull) this.wake();
    };
    this.#visits.set(key, this.#visit(handler, work).finally(ended));
  }

  async #visit(handler: DueHandler, work: DueWork): Promise<void> {
    const { clock, onError } = this.#options;
    const { env, scope, item } = work;
    try {
      await handler(work);
    } catch (error) {
      if (error instanceof ScopeClosed) this.#closedScopes.set(`${env} ${scope.name}`, clock.now());
      else {
        onError(error);
        await putOff(scope, item, clock.now() + afterFailureMilliseconds).catch(onError);
      }
    }
  }
}

/** What another has moved meanwhile stays where that has put it. */
async function putOff(scope: Scope, { pk, sk, value, version }: Item, at: number): Promise<void> {
  const put = { kind: 'put', pk, sk, value, if: { version }, due: { at, queue: 'automation' } } as const;
  await scope.commit([put], { priority: 'background' }).catch(ignoreConflict);
}
