import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Environment, OrgScopes } from '../../tenancy/port.ts';
import type { CallMeter } from '../call-meter.ts';
import { isReached, type WorkUsage, workExceeded } from '../plans/limits.ts';
import type { PlanGateDeps } from '../plans/plan-gate.ts';
import type { Limits, Plans, WorkLimit } from '../plans.ts';
import {
  addDays,
  addWork,
  type Day,
  dayMilliseconds,
  noWork,
  readWork,
  startOfDay,
  type WorkDone,
  type WorkKind,
  workDone,
  works,
} from '../usage-rows.ts';

interface WorkLedgerDeps extends Pick<PlanGateDeps, 'planChanges'> {
  readonly clock: Clock;
  readonly orgScopes: OrgScopes;
  /** The day that is counted on, and the name under which it is stored. */
  readonly calendar: Pick<CallMeter, 'today' | 'node'>;
  readonly plans: Pick<Plans, 'of'>;
  readonly onError: (error: unknown) => void;
}

/** For how long what is over is kept, in milliseconds. */
interface RetentionDays {
  readonly runs: number;
  readonly receipts: number;
}

/** The counts of this node for an org in an environment on a day. */
interface WorkCell {
  readonly orgCode: string;
  readonly env: Environment;
  readonly day: Day;
  /** The name under which it is stored. */
  readonly node: string;
  done: WorkDone;
  stored: WorkDone;
}

/** The stored state of an org, without the counts in this node's memory. */
interface LoadedWork {
  readonly limits: Limits;
  readonly others: WorkDone;
  readonly at: number;
  readonly today: Day;
  readonly node: string;
  /** Changes of the plan that were made before it was read. */
  readonly planChanges: number;
}

const environments: readonly Environment[] = ['test', 'prod'];
const commitsAtOnce = 128;
const knownMax = 10_000;
const freshMilliseconds = 2000;
const restMilliseconds = 60 * 60 * 1000;
const keptDays = { runs: 7, receipts: 7 } as const;

/**
 * Counts in memory what automation does, and stores it as absolute values under the name of this start of this node, as
 * calls are stored. It is held apart from calls and records: a limit of work that is reached closes no write.
 */
export class WorkLedger {
  readonly #deps: WorkLedgerDeps;
  /** By org, and there by environment, day and name. */
  readonly #orgs = new Map<string, Map<string, WorkCell>>();
  readonly #dirty = new Set<WorkCell>();
  readonly #known = new BoundedMap<string, LoadedWork>(knownMax);
  readonly #loading = new Map<string, Promise<LoadedWork | undefined>>();

  constructor(deps: WorkLedgerDeps) {
    this.#deps = deps;
  }

  /** @param by what is not greater than 0 counts for nothing. */
  add({ orgCode, env }: { readonly orgCode: string; readonly env: Environment }, what: WorkKind, by: number): void {
    if (!(by > 0)) return;
    const cell = this.#cellOf(orgCode, env);
    cell.done = { ...cell.done, [what]: cell.done[what] + Math.ceil(by) };
    this.#dirty.add(cell);
  }

  /**
   * Counts of other nodes are at most two seconds old. Where usage cannot be read, there is room: work is no way around
   * the gate, which holds each write by itself. @throws Problem `plan_limit_exceeded`.
   */
  check(orgCode: string, what: WorkKind): void | Promise<void> {
    const known = this.#fresh(orgCode);
    if (known !== undefined) return this.#assertRoom(orgCode, what, known);
    return this.#read(orgCode).then((read) => this.#assertRoom(orgCode, what, read));
  }

  /** For what can wait: until when, in milliseconds since the epoch, and no longer than an hour; undefined where there is room. */
  fullUntil(orgCode: string, what: WorkKind): number | undefined | Promise<number | undefined> {
    const until = (known: LoadedWork | undefined): number | undefined => {
      if (known === undefined || !isReached(workLimitOf[what], known.limits, workUsage(this.#used(orgCode, known))))
        return undefined;
      const now = this.#deps.clock.now();
      return Math.min(startOfDay(known.today) + dayMilliseconds, now + restMilliseconds);
    };
    const known = this.#fresh(orgCode);
    return known === undefined ? this.#read(orgCode).then(until) : until(known);
  }

  /** By the plan of the org. @throws what the store throws. */
  async kept(orgCode: string): Promise<RetentionDays> {
    const limits = this.#fresh(orgCode)?.limits ?? (await this.#deps.plans.of(orgCode)).limits;
    return {
      runs: (limits.run_days ?? keptDays.runs) * dayMilliseconds,
      receipts: (limits.receipt_days ?? keptDays.receipts) * dayMilliseconds,
    };
  }

  /** Today's work in the words of its limits. @throws what the store throws. */
  async usage(orgCode: string): Promise<WorkUsage> {
    const today = this.#deps.calendar.today();
    const days = await Promise.all(environments.map((env) => this.days(orgCode, env, today)));
    return workUsage(days.reduce((sum, byDay) => addWork(sum, byDay.get(today) ?? noWork), noWork));
  }

  /** By day, by all nodes. */
  async days(orgCode: string, env: Environment, from: Day): Promise<ReadonlyMap<Day, WorkDone>> {
    const days = await this.#stored(orgCode, env, from);
    for (const { day, done } of this.#own(orgCode, env))
      if (day >= from) days.set(day, addWork(days.get(day) ?? noWork, done));
    return days;
  }

  /** The plan of an org has changed. */
  forget(orgCode: string): void {
    this.#known.delete(orgCode);
    this.#loading.delete(orgCode);
  }

  /** Stores what has changed. What could not be stored waits for the next time. @returns the orgs of which all is stored, and what failed. */
  async flush(): Promise<{ readonly orgCodes: ReadonlySet<string>; readonly failures: readonly unknown[] }> {
    this.#recallOver();
    const cells = [...this.#dirty];
    const orgCodes = new Set(cells.map(({ orgCode }) => orgCode));
    const failures: unknown[] = [];
    const store = (cell: WorkCell) =>
      this.#store(cell).catch((error: unknown) => {
        failures.push(error);
        orgCodes.delete(cell.orgCode);
      });
    for (let at = 0; at < cells.length; at += commitsAtOnce)
      await Promise.all(cells.slice(at, at + commitsAtOnce).map(store));
    return { orgCodes, failures };
  }

  #cellOf(orgCode: string, env: Environment): WorkCell {
    const { calendar } = this.#deps;
    const day = calendar.today();
    const { node } = calendar;
    const cells = this.#orgs.get(orgCode) ?? new Map<string, WorkCell>();
    this.#orgs.set(orgCode, cells);
    const key = `${env} ${day} ${node}`;
    const cell = cells.get(key) ?? { orgCode, env, day, node, done: noWork, stored: noWork };
    cells.set(key, cell);
    return cell;
  }

  #own(orgCode: string, env: Environment): readonly WorkCell[] {
    return [...(this.#orgs.get(orgCode)?.values() ?? [])].filter((cell) => cell.env === env);
  }

  /** The contents of the store, without what this node holds in memory. */
  async #stored(orgCode: string, env: Environment, from: Day): Promise<Map<Day, WorkDone>> {
    const rows = await readWork(this.#deps.orgScopes(orgCode)[env], from);
    const own = this.#own(orgCode, env);
    const days = new Map<Day, WorkDone>();
    for (const { day, node, done } of rows) {
      const isOwn = own.some((cell) => cell.day === day && cell.node === node);
      if (!isOwn) days.set(day, addWork(days.get(day) ?? noWork, done));
    }
    return days;
  }

  async #store(cell: WorkCell): Promise<void> {
    const { orgCode, env, day, node, done } = cell;
    this.#dirty.delete(cell);
    try {
      await this.#deps.orgScopes(orgCode)[env].commit([workDone.put({ day, node }, done, { if: 'any' })]);
      cell.stored = done;
    } catch (error) {
      this.#dirty.add(cell);
      throw error;
    }
  }

  /**
   * Lets go of days that others may have folded by now, and of those from before the clock was set back. What was not
   * stored of them goes on to today.
   */
  #recallOver(): void {
    const { calendar } = this.#deps;
    const oldest = addDays(calendar.today(), -1);
    for (const [orgCode, cells] of this.#orgs) {
      for (const [key, cell] of [...cells]) {
        if (cell.day >= oldest && cell.node === calendar.node) continue;
        cells.delete(key);
        this.#dirty.delete(cell);
        for (const what of works) this.add(cell, what, cell.done[what] - cell.stored[what]);
      }
      if (cells.size === 0) this.#orgs.delete(orgCode);
    }
  }

  #fresh(orgCode: string): LoadedWork | undefined {
    const known = this.#known.get(orgCode);
    const { calendar, clock } = this.#deps;
    if (known === undefined || known.today !== calendar.today() || known.node !== calendar.node) return undefined;
    if (known.planChanges !== this.#planChanges(orgCode)) return undefined;
    return Math.abs(clock.now() - known.at) < freshMilliseconds ? known : undefined;
  }

  #planChanges(orgCode: string): number {
    return this.#deps.planChanges?.current(orgCode) ?? 0;
  }

  #used(orgCode: string, { others, today }: LoadedWork): WorkDone {
    let used = others;
    for (const { day, done } of this.#orgs.get(orgCode)?.values() ?? []) if (day === today) used = addWork(used, done);
    return used;
  }

  #assertRoom(orgCode: string, what: WorkKind, known: LoadedWork | undefined): void {
    if (known === undefined) return;
    const { limits, today } = known;
    const usage = workUsage(this.#used(orgCode, known));
    const limit = workLimitOf[what];
    if (isReached(limit, limits, usage)) throw workExceeded(limit, { limits, usage, today }, this.#deps.clock.now());
  }

  /** Undefined where it cannot be read. Of an org one reading is under way at most. */
  #read(orgCode: string): Promise<LoadedWork | undefined> {
    const under = this.#loading.get(orgCode);
    if (under !== undefined) return under;
    // The plan may have changed meanwhile.
    const isStill = (): boolean => this.#loading.get(orgCode) === reading;
    const reading: Promise<LoadedWork | undefined> = this.#load(orgCode)
      .then((known) => {
        if (isStill()) this.#known.set(orgCode, known);
        return known;
      })
      .catch((error: unknown) => {
        this.#deps.onError(error);
        return undefined;
      })
      .finally(() => {
        if (isStill()) this.#loading.delete(orgCode);
      });
    this.#loading.set(orgCode, reading);
    return reading;
  }

  async #load(orgCode: string): Promise<LoadedWork> {
    const { calendar, clock, plans } = this.#deps;
    const at = clock.now();
    const planChanges = this.#planChanges(orgCode);
    const today = calendar.today();
    const { node } = calendar;
    const { limits } = await plans.of(orgCode);
    const isLimited = works.some((what) => limits[workLimitOf[what]] !== undefined);
    const stored = isLimited ? await Promise.all(environments.map((env) => this.#stored(orgCode, env, today))) : [];
    const others = stored.reduce((sum, days) => addWork(sum, days.get(today) ?? noWork), noWork);
    return { limits, others, at, today, node, planChanges };
  }
}

const workLimitOf = {
  runs: 'runs_per_day',
  deliveries: 'deliveries_per_day',
  script_ms: 'script_seconds_per_day',
  mails: 'mails_per_day',
} as const satisfies Readonly<Record<WorkKind, WorkLimit>>;

/** In the words of the limits. */
export function workUsage({ runs, deliveries, script_ms, mails }: WorkDone): WorkUsage {
  return {
    runs_per_day: runs,
    deliveries_per_day: deliveries,
    script_seconds_per_day: Math.floor(script_ms / 1000),
    mails_per_day: mails,
  };
}
