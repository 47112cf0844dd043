import type { Clock } from '../lib/clock.ts';
import { type Day, firstOfMonth } from './calendar.ts';
import type { CallMeter, Environment, MeteredPlace } from './call-meter.ts';
import type { Ledger } from './ledger.ts';
import type { Standing, Usage } from './limits.ts';
import type { Limits } from './plan.ts';
import type { Plans } from './plans.ts';
import type { RecordsOf } from './records-of.ts';
import type { Tally } from './usage-rows.ts';

export interface StandingParts {
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
  readonly at: number;
  /** For how long all this is gone by. */
  readonly freshMilliseconds: number;
}

const environments: readonly Environment[] = ['test', 'prod'];
const freshMilliseconds = 1000;
/** Of very many workspaces the records take long to add up, so that is done more seldom. */
const restPerWork = 20;

/**
 * How an org stands to its plan, as this node knows it. What others do is at most a second old. The records are exact as
 * far as they are written here: the store is asked while no write of the org is under way on this node, and from then
 * on every write takes its place before it commits.
 */
export class OrgStanding {
  readonly #parts: StandingParts;
  readonly #orgCode: string;
  #known: Known | undefined;
  #records = 0;
  #underWay = 0;
  #whenIdle: (() => void) | undefined;
  #loading: Promise<void> | undefined;
  #changes = 0;
  lastAsked = 0;

  constructor(parts: StandingParts, orgCode: string) {
    this.#parts = parts;
    this.#orgCode = orgCode;
  }

  /** Undefined where what is known will do; else a promise that ends when something newer is known. */
  whenReady(): Promise<void> | undefined {
    const now = this.#parts.clock.now();
    this.lastAsked = now;
    const known = this.#known;
    if (this.#loading === undefined && known !== undefined && Math.abs(now - known.at) < known.freshMilliseconds)
      return undefined;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** What is known is not believed any more. */
  forget(): void {
    this.#changes += 1;
    this.#known = undefined;
  }

  get isIdle(): boolean {
    return this.#loading === undefined && this.#underWay === 0;
  }

  /** @throws Error where nothing is known. */
  current(): Standing {
    const known = this.#known;
    if (known === undefined) throw new Error('how the org stands to its plan is not known');
    const today = this.#parts.meter.today();
    return { limits: known.limits, usage: this.#usage(known, today), today };
  }

  /** Takes a place for a write that adds so many records; nothing is asked of the store until it is given back. */
  enter(records: number): void {
    this.#underWay += 1;
    if (records > 0) this.#records += records;
  }

  /** @param outcome `unknown` where nobody knows whether the write stands. */
  leave(place: MeteredPlace, records: number, outcome: 'written' | 'refused' | 'unknown'): void {
    this.#underWay -= 1;
    if (outcome === 'written') {
      this.#parts.meter.noteRecords(place, records);
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
      if (day >= month) monthCalls += calls;
    };
    for (const days of stored) for (const [day, tally] of days) add(day, tally);
    for (const env of environments)
      for (const [day, { total }] of this.#parts.meter.own(this.#orgCode, env)) add(day, total);
    return { api_calls_per_day: todayCalls, api_calls_per_month: monthCalls, records: this.#records };
  }

  async #load(): Promise<void> {
    const { clock, plans, ledger, meter, recordsOf } = this.#parts;
    const changes = this.#changes;
    const { limits } = await plans.of(this.#orgCode);
    const isCounting = limits.api_calls_per_day !== undefined || limits.api_calls_per_month !== undefined;
    const from = firstOfMonth(meter.today());
    const stored = isCounting
      ? await Promise.all(environments.map((env) => ledger.stored(this.#orgCode, env, from)))
      : [];
    const began = clock.now();
    if (limits.records !== undefined) {
      await this.#idle();
      const workspaces = await recordsOf(this.#orgCode);
      this.#records = workspaces.reduce((sum, { records }) => sum + records, 0);
    }
    if (changes !== this.#changes) return;
    const rest = restPerWork * (clock.now() - began);
    this.#known = { limits, stored, at: clock.now(), freshMilliseconds: Math.max(freshMilliseconds, rest) };
  }

  /** Ends when no write of the org is under way; those that come wait for the end of the loading. */
  #idle(): Promise<void> {
    if (this.#underWay === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle = () => {
        this.#whenIdle = undefined;
        resolve();
      };
    });
  }
}
