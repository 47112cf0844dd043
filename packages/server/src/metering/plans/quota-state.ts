import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { CallMeter, MeteredWorkspace } from '../call-meter.ts';
import type { Ledger, RecordsOf } from '../ledger.ts';
import { type Limits, metrics, type Plans } from '../plans.ts';
import { addDays, type Day, firstOfMonth, type Tally } from '../usage-rows.ts';
import type { QuotaUsage, Usage } from './limits.ts';

export interface QuotaStateDeps {
  readonly clock: Clock;
  readonly plans: Pick<Plans, 'of'>;
  readonly ledger: Pick<Ledger, 'stored'>;
  readonly meter: CallMeter;
  readonly recordsOf: RecordsOf;
  /** The state that all orgs of this node share; left out, an org has it for itself. */
  readonly recounts?: Recounts;
}

/** The share of its time that a node spends on adding records up again that it knows already. */
export class Recounts {
  #isTaken = false;
  #restUntil = Number.NEGATIVE_INFINITY;

  isFree(now: number): boolean {
    return !this.#isTaken && now >= this.#restUntil;
  }

  take(): void {
    this.#isTaken = true;
  }

  end(now: number, workMilliseconds: number): void {
    this.#isTaken = false;
    this.#restUntil = now + near.restPerWork * workMilliseconds;
  }
}

interface LoadedQuota {
  readonly limits: Limits;
  /** The contents of the store of calls, without what this node holds in memory. */
  readonly stored: readonly ReadonlyMap<Day, Tally>[];
  /** The time at which the reading started. */
  readonly at: number;
  readonly today: Day;
  readonly freshMilliseconds: number;
}

/** The records as they were added up, workspace by workspace. */
interface AddedUp {
  /** The number that there were, less what the days from `from` on said by then was added. */
  readonly base: number;
  readonly from: Day;
  readonly at: number;
  readonly workMilliseconds: number;
  /** The data that were stored as added from `from` on, while what is removed by that may have been off already. */
  readonly doubted: number | undefined;
}

const environments: readonly Environment[] = ['test', 'prod'];
const freshMilliseconds = 1000;
/**
 * The times at which the records are added up again: near the limit each second, else each minute, and of very many
 * workspaces, which take long, more seldom. Near means that other nodes may fill the remaining room in a second or two.
 */
const near = { share: 0.1, records: 1000, milliseconds: freshMilliseconds, restPerWork: 20 } as const;
const far = { milliseconds: 60_000, restPerWork: 1000 } as const;
/** A node has stored its writes as added by then. */
const doubtMilliseconds = 2000;
/** A write that takes longer is not waited for: calls that wait for it are refused. */
const idleMilliseconds = 10_000;

/**
 * The state of an org against its plan, as this node knows it. Other nodes' counts are at most a second old. The
 * records are those that were added up once, with all that the days of the org have added since, here or elsewhere; no
 * workspace is read for that. They are exact for writes here: they are added up while no write of the org is under way
 * on this node, and from then on every write takes its place before it commits. Writes of other nodes right before, not
 * yet stored as added, may count twice; their removals are not taken off again. So the records are added up again now
 * and then, more often near the limit; that also finds the counts that a node has not stored because it died.
 */
export class QuotaState {
  readonly #deps: QuotaStateDeps;
  readonly #orgCode: string;
  #known: LoadedQuota | undefined;
  #addedUp: AddedUp | undefined;
  /** Of writes under way. */
  #reserved = 0;
  #underWay = 0;
  #whenIdle: (() => void) | undefined;
  #loading: Promise<void> | undefined;
  #changes = 0;
  lastQueried = 0;
  /** Changes of the plan, by whichever node, that are behind what is known. */
  planChanges = 0;

  constructor(deps: QuotaStateDeps, orgCode: string) {
    this.#deps = deps;
    this.#orgCode = orgCode;
  }

  /** Undefined where what is known will do; else a promise that ends when something newer is known. */
  whenReady(): Promise<void> | undefined {
    const now = this.#deps.clock.now();
    this.lastQueried = now;
    if (this.#loading === undefined && this.#isFresh(now)) return undefined;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** The cached state is discarded. */
  forget(): void {
    this.#changes += 1;
    this.#known = undefined;
    this.#addedUp = undefined;
  }

  /** Lets go of what is read again when it is asked for, and keeps what took long to add up. @returns whether it keeps anything. */
  rest(): boolean {
    this.#known = undefined;
    return this.#addedUp !== undefined;
  }

  get isIdle(): boolean {
    return this.#loading === undefined && this.#underWay === 0;
  }

  /** @throws Error where nothing is known. */
  current(): QuotaUsage {
    const known = this.#known;
    if (known === undefined) throw new Error('the usage of the org is not known');
    const today = this.#deps.meter.today();
    return { limits: known.limits, usage: this.#usage(known, today), today };
  }

  /** Takes a place for a write that adds so many records; nothing is asked of the store until it is given back. */
  enter(records: number): void {
    // It did not wait for what is being added up, so it is unknown whether that includes it.
    if (this.#loading !== undefined) this.forget();
    this.#underWay += 1;
    if (records > 0) this.#reserved += records;
  }

  /** @param outcome `unknown` if the commit may or may not be stored. */
  leave(workspace: MeteredWorkspace, records: number, outcome: 'written' | 'refused' | 'unknown'): void {
    this.#underWay -= 1;
    if (records > 0) this.#reserved -= records;
    if (outcome === 'written') this.#deps.meter.noteRecords(workspace, records);
    if (outcome === 'unknown') this.forget();
    if (this.#underWay === 0) this.#whenIdle?.();
  }

  #usage({ stored }: LoadedQuota, today: Day): Usage {
    const month = firstOfMonth(today);
    let todayCalls = 0;
    let monthCalls = 0;
    const add = (day: Day, { calls }: Tally): void => {
      if (day === today) todayCalls += calls;
      if (day >= month && day <= today) monthCalls += calls;
    };
    for (const days of stored) for (const [day, tally] of days) add(day, tally);
    for (const env of environments)
      for (const [day, { total }] of this.#deps.meter.own(this.#orgCode, env)) add(day, total);
    const records = this.#addedUp === undefined ? 0 : this.#addedUp.base + this.#addedSince(stored, this.#addedUp.from);
    return { api_calls_per_day: todayCalls, api_calls_per_month: monthCalls, records: records + this.#reserved };
  }

  /** Records that were made less those that were removed, as the days say. */
  #addedSince(stored: LoadedQuota['stored'], from: Day): number {
    let sum = addedBy(stored, from);
    for (const env of environments)
      for (const [day, { total }] of this.#deps.meter.own(this.#orgCode, env)) if (day >= from) sum += total.records;
    return sum;
  }

  /** A day that is over leaves the memory of this node, so whatever was read without it is read again. */
  #isFresh(now: number): boolean {
    const known = this.#known;
    if (known === undefined || known.today !== this.#deps.meter.today()) return false;
    return Math.abs(now - known.at) < known.freshMilliseconds;
  }

  async #load(): Promise<void> {
    const { clock, plans, ledger, meter } = this.#deps;
    const changes = this.#changes;
    const today = meter.today();
    const at = clock.now();
    const { limits } = await plans.of(this.#orgCode);
    // Days of others may still change while the next one lasts.
    const [from = today] = [firstOfMonth(today), addDays(today, -1)].toSorted();
    const [first = from] = [from, this.#addedUp?.from ?? from].toSorted();
    const isLimited = metrics.some((metric) => limits[metric] !== undefined);
    const stored = isLimited
      ? await Promise.all(environments.map((env) => ledger.stored(this.#orgCode, env, first)))
      : [];
    // State that takes long to read would else be old before any write uses it.
    const fresh = Math.max(freshMilliseconds, 2 * (clock.now() - at));
    const isStill = () => changes === this.#changes && today === meter.today();
    if (!isStill()) return;
    if (limits.records !== undefined) await this.#addUp({ stored, from, limit: limits.records, isStill });
    if (isStill()) this.#known = { limits, stored, at, today, freshMilliseconds: fresh };
  }

  async #addUp(request: LimitedUsage): Promise<void> {
    const { clock, recounts = new Recounts() } = this.#deps;
    const addedUp = this.#addedUp;
    if (addedUp === undefined) return this.#walk(request);
    const now = clock.now();
    if (!this.#isDue(addedUp, request, now) || !recounts.isFree(now)) {
      this.#addedUp = this.#goneOn(addedUp, request, now);
      return;
    }
    recounts.take();
    try {
      await this.#walk(request);
    } finally {
      recounts.end(clock.now(), this.#addedUp?.workMilliseconds ?? 0);
    }
  }

  #goneOn(addedUp: AddedUp, { stored, from }: LimitedUsage, now: number): AddedUp {
    let { base, doubted } = addedUp;
    if (doubted !== undefined) {
      const reported = addedBy(stored, addedUp.from);
      base += Math.max(0, doubted - reported);
      doubted = Math.abs(now - addedUp.at) < doubtMilliseconds ? reported : undefined;
    }
    if (addedUp.from >= from) return { ...addedUp, base, doubted };
    // Nothing changes any more of the days before.
    const closed = this.#addedSince(stored, addedUp.from) - this.#addedSince(stored, from);
    return { ...addedUp, base: base + closed, from, doubted: undefined };
  }

  #isDue({ base, from, at, workMilliseconds }: AddedUp, { stored, limit }: LimitedUsage, now: number): boolean {
    const room = limit - base - this.#addedSince(stored, from) - this.#reserved;
    const isNear = room <= Math.max(near.share * limit, near.records);
    const { milliseconds, restPerWork } = isNear ? near : far;
    return Math.abs(now - at) >= Math.max(milliseconds, restPerWork * workMilliseconds);
  }

  async #walk({ stored, from, isStill }: LimitedUsage): Promise<void> {
    const { clock, recordsOf } = this.#deps;
    await this.#idle();
    const startedAt = clock.now();
    const workspaces = await recordsOf(this.#orgCode);
    if (!isStill()) return;
    const records = workspaces.reduce((sum, { records }) => sum + records, 0);
    const at = clock.now();
    const base = records - this.#addedSince(stored, from);
    this.#addedUp = { base, from, at, workMilliseconds: at - startedAt, doubted: addedBy(stored, from) };
  }

  /**
   * Ends when no write of the org is under way; those that come wait for the end of the loading. @throws Problem
   * `unavailable` where one does not end, so that it never keeps others waiting for good.
   */
  #idle(): Promise<void> {
    if (this.#underWay === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const refuse = setTimeout(() => {
        this.#whenIdle = undefined;
        reject(new Problem('unavailable', 'a write of the org takes too long for its records to be counted'));
      }, idleMilliseconds);
      this.#whenIdle = () => {
        clearTimeout(refuse);
        this.#whenIdle = undefined;
        resolve();
      };
    });
  }
}

interface LimitedUsage {
  readonly stored: LoadedQuota['stored'];
  /** The first of the days that may still change, or are of this month. */
  readonly from: Day;
  readonly limit: number;
  /** Whether what is being read is still wanted. */
  readonly isStill: () => boolean;
}

function addedBy(days: readonly ReadonlyMap<Day, Tally>[], from: Day): number {
  let sum = 0;
  for (const some of days) for (const [day, { records }] of some) if (day >= from) sum += records;
  return sum;
}
