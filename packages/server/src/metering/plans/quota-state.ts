import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { Environment } from '../../tenancy/port.ts';
import { addDays, type Day, firstOfMonth } from '../calendar.ts';
import type { CallMeter, MeteredWorkspace } from '../call-meter.ts';
import type { Ledger } from '../ledger.ts';
import type { Plans } from '../plans.ts';
import type { RecordsOf } from '../records-of.ts';
import type { Tally } from '../usage-rows.ts';
import type { QuotaUsage, Usage } from './limits.ts';
import { type Limits, metrics } from './plan.ts';

export interface QuotaStateDeps {
  readonly clock: Clock;
  readonly plans: Pick<Plans, 'of'>;
  readonly ledger: Pick<Ledger, 'stored'>;
  readonly meter: CallMeter;
  readonly recordsOf: RecordsOf;
}

interface Known {
  readonly limits: Limits;
  /** What lies in the store of calls, without what this node holds in memory. */
  readonly stored: readonly ReadonlyMap<Day, Tally>[];
  /** When it was begun to be read. */
  readonly at: number;
  readonly today: Day;
  readonly freshMilliseconds: number;
}

/** The last time that the records were added up. */
interface AddedUp {
  readonly at: number;
  readonly today: Day;
  /** For how long it is gone by. */
  readonly freshMilliseconds: number;
}

const environments: readonly Environment[] = ['test', 'prod'];
const freshMilliseconds = 1000;
/** Of very many workspaces the records take long to add up, so that is done more seldom. */
const restPerWork = 20;
/** A write that takes longer is not waited for: calls that wait for it are refused. */
const idleMilliseconds = 10_000;

/**
 * How an org stands to its plan, as this node knows it. What others do is at most a second old. The records are exact as
 * far as they are written here: the store is asked while no write of the org is under way on this node, and from then
 * on every write takes its place before it commits. Until they are added up again, what other nodes say they have added
 * comes on top: up to a second's writes of theirs may then be there twice. What they say they have removed may be off
 * already, so it is taken off when the records are added up.
 */
export class QuotaState {
  readonly #deps: QuotaStateDeps;
  readonly #orgCode: string;
  #known: Known | undefined;
  #addedUp: AddedUp | undefined;
  #records = 0;
  /** What other nodes have added by what is stored of their days, as far as `#records` holds it. */
  #byOthers = 0;
  #underWay = 0;
  #whenIdle: (() => void) | undefined;
  #loading: Promise<void> | undefined;
  #changes = 0;
  lastAsked = 0;
  /** Changes of the plan, by whichever thread, that are behind what is known. */
  planChanges = 0;

  constructor(deps: QuotaStateDeps, orgCode: string) {
    this.#deps = deps;
    this.#orgCode = orgCode;
  }

  /** Undefined where what is known will do; else a promise that ends when something newer is known. */
  whenReady(): Promise<void> | undefined {
    const now = this.#deps.clock.now();
    this.lastAsked = now;
    if (this.#loading === undefined && this.#isFresh(this.#known, now)) return undefined;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** What is known is not believed any more. */
  forget(): void {
    this.#changes += 1;
    this.#known = undefined;
    this.#addedUp = undefined;
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
    if (records > 0) this.#records += records;
  }

  /** @param outcome `unknown` if the commit may or may not be stored. */
  leave(workspace: MeteredWorkspace, records: number, outcome: 'written' | 'refused' | 'unknown'): void {
    this.#underWay -= 1;
    if (outcome === 'written') {
      this.#deps.meter.noteRecords(workspace, records);
      if (records < 0) this.#records += records;
    } else if (records > 0) this.#records -= records;
    if (outcome === 'unknown') this.forget();
    if (this.#underWay === 0) this.#whenIdle?.();
  }

  #usage({ stored }: Known, today: Day): Usage {
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
    return { api_calls_per_day: todayCalls, api_calls_per_month: monthCalls, records: this.#records };
  }

  /** A day that is over leaves the memory of this node, so whatever was read without it is read again. */
  #isFresh(what: Known | AddedUp | undefined, now: number): boolean {
    if (what === undefined || what.today !== this.#deps.meter.today()) return false;
    return Math.abs(now - what.at) < what.freshMilliseconds;
  }

  async #load(): Promise<void> {
    const { clock, plans, ledger, meter } = this.#deps;
    const changes = this.#changes;
    const today = meter.today();
    const at = clock.now();
    const { limits } = await plans.of(this.#orgCode);
    // Days of others may still change while the next one lasts.
    const [from = today] = [firstOfMonth(today), addDays(today, -1)].toSorted();
    const isAsked = metrics.some((metric) => limits[metric] !== undefined);
    const stored = isAsked ? await Promise.all(environments.map((env) => ledger.stored(this.#orgCode, env, from))) : [];
    // What takes long to read would else be old before anybody goes by it.
    const fresh = Math.max(freshMilliseconds, 2 * (clock.now() - at));
    const isStill = () => changes === this.#changes && today === meter.today();
    if (limits.records !== undefined) await this.#addUp(recordsIn(stored), { today, isStill });
    if (isStill()) this.#known = { limits, stored, at, today, freshMilliseconds: fresh };
  }

  /** @param isStill whether what is being read is still wanted. */
  async #addUp(
    byOthers: number,
    { today, isStill }: { readonly today: Day; readonly isStill: () => boolean },
  ): Promise<void> {
    const { clock, recordsOf } = this.#deps;
    if (this.#isFresh(this.#addedUp, clock.now())) this.#records += Math.max(0, byOthers - this.#byOthers);
    else {
      await this.#idle();
      const began = clock.now();
      const workspaces = await recordsOf(this.#orgCode);
      if (!isStill()) return;
      this.#records = workspaces.reduce((sum, { records }) => sum + records, 0);
      const rest = restPerWork * (clock.now() - began);
      this.#addedUp = { at: clock.now(), today, freshMilliseconds: Math.max(freshMilliseconds, rest) };
    }
    this.#byOthers = byOthers;
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

function recordsIn(stored: Known['stored']): number {
  let sum = 0;
  for (const days of stored) for (const { records } of days.values()) sum += records;
  return sum;
}
