import type { Clock } from '../lib/clock.ts';
import type { Environment, OrgScopes } from '../tenancy/port.ts';
import {
  addDays,
  addTallies,
  type Day,
  dayMilliseconds,
  dayOf,
  dayTallies,
  startOfDay,
  type Tally,
  workspaceTallies,
} from './usage-rows.ts';

/** Whose usage it is. A call that is in no workspace has the code `''`. */
export interface MeteredWorkspace {
  readonly orgCode: string;
  readonly env: Environment;
  readonly tenantCode: string;
}

interface CallMeterDeps {
  readonly clock: Clock;
  readonly orgScopes: OrgScopes;
  /** Names this start of this node, as no other start is named. */
  readonly node: string;
}

/** The amounts that were counted in a day since this node started. */
interface MeteredCalls {
  calls: number;
  records: number;
  /** The part of it that is known to be stored. */
  stored: Tally;
}

/** Of one workspace; `''` is the code of calls of none. */
interface CallCell extends MeteredCalls {
  readonly code: string;
  isDirty: boolean;
}

interface MeteredDay {
  readonly day: Day;
  /** Under which name it is stored. */
  readonly node: string;
  readonly orgCode: string;
  readonly env: Environment;
  readonly total: MeteredCalls;
  readonly workspaces: Map<string, CallCell>;
  dirty: CallCell[];
  /** Since when something of it waits to be stored, or is being stored. */
  waitsSince: number | undefined;
}

/** The days of an org in an environment that this node holds in memory. */
export type OwnDays = ReadonlyMap<Day, { readonly total: Tally; readonly workspaces: ReadonlyMap<string, Tally> }>;

const none: OwnDays = new Map();
/** So many make a group of the store, which is one sync of the disk; more would hold up requests for longer. */
const commitsAtOnce = 128;
const cellsPerCommit = 1000;
const overdueMilliseconds = 10_000;
/** A clock that is set back by less over midnight stays on its day. */
const backMilliseconds = 60 * 60 * 1000;

/**
 * Counts in memory. What is stored of it are absolute values under the name of this start of this node, so that writing
 * them once more changes nothing. INVARIANT: a day is stored until the end of the next one, and folded after that. In each
 * commit what is stored of the org is the sum of what is stored of its workspaces.
 */
export class CallMeter {
  readonly #deps: CallMeterDeps;
  #orgs = noOrgs();
  /** The number of times the clock was set back by days: rows stored before that are as good as another start's. */
  #timesBack = 0;
  #day: Day;
  #dayEnds: number;
  #dirty: MeteredDay[] = [];

  constructor(deps: CallMeterDeps) {
    this.#deps = deps;
    this.#day = dayOf(deps.clock.now());
    this.#dayEnds = startOfDay(this.#day) + dayMilliseconds;
  }

  get node(): string {
    const { node } = this.#deps;
    return this.#timesBack === 0 ? node : `${node}.${this.#timesBack}`;
  }

  /** The day that is counted on: that of the clock, which may be set right after it was wrong. */
  today(): Day {
    const now = this.#deps.clock.now();
    const isBack = now < this.#dayEnds - dayMilliseconds - backMilliseconds;
    if (now >= this.#dayEnds || isBack) {
      this.#day = dayOf(now);
      this.#dayEnds = startOfDay(this.#day) + dayMilliseconds;
      if (isBack) this.#beginAnew();
      else this.#forgetBefore(addDays(this.#day, -1));
    }
    return this.#day;
  }

  count(workspace: MeteredWorkspace): void {
    this.#add(workspace, 1, 0);
  }

  /** Records that were made, or removed where `by` is negative. */
  noteRecords(workspace: MeteredWorkspace, by: number): void {
    if (by !== 0) this.#add(workspace, 0, by);
  }

  own(orgCode: string, env: Environment): OwnDays {
    this.today();
    return this.#orgs[env].get(orgCode) ?? none;
  }

  /** Whether something of an org has waited too long to be stored. */
  isOverdue(orgCode: string): boolean {
    const now = this.#deps.clock.now();
    const days = [...(this.#orgs.test.get(orgCode)?.values() ?? []), ...(this.#orgs.prod.get(orgCode)?.values() ?? [])];
    return days.some(({ waitsSince }) => waitsSince !== undefined && now - waitsSince > overdueMilliseconds);
  }

  /** Stores what has changed. What could not be stored waits for the next time. @returns the orgs of which all is stored, and what failed. */
  async flush(): Promise<{ readonly orgCodes: ReadonlySet<string>; readonly failures: readonly unknown[] }> {
    const oldest = addDays(this.today(), -1);
    for (const day of this.#dirty.splice(0))
      if (day.day < oldest || day.node !== this.node) this.#recall(day);
      else this.#dirty.push(day);
    const days = this.#dirty.splice(0);
    const orgCodes = new Set(days.map(({ orgCode }) => orgCode));
    const failures: { readonly orgCode: string; readonly error: unknown }[] = [];
    const store = (day: MeteredDay) =>
      this.#store(day).catch((error: unknown) => failures.push({ orgCode: day.orgCode, error }));
    for (let at = 0; at < days.length; at += commitsAtOnce)
      await Promise.all(days.slice(at, at + commitsAtOnce).map(store));
    for (const { orgCode } of failures) orgCodes.delete(orgCode);
    return { orgCodes, failures: failures.map(({ error }) => error) };
  }

  #add(workspace: MeteredWorkspace, calls: number, records: number): void {
    const day = this.#dayOf(workspace, this.today());
    let cell = day.workspaces.get(workspace.tenantCode);
    if (cell === undefined) {
      cell = { code: workspace.tenantCode, isDirty: false, ...nothing() };
      day.workspaces.set(workspace.tenantCode, cell);
    }
    for (const one of [day.total, cell]) {
      one.calls += calls;
      one.records += records;
    }
    this.#markDirty(day, cell);
  }

  #markDirty(day: MeteredDay, cell: CallCell): void {
    if (cell.isDirty) return;
    cell.isDirty = true;
    if (day.dirty.length === 0) this.#dirty.push(day);
    day.dirty.push(cell);
    day.waitsSince ??= this.#deps.clock.now();
  }

  #dayOf({ orgCode, env }: MeteredWorkspace, day: Day): MeteredDay {
    const orgs = this.#orgs[env];
    let days = orgs.get(orgCode);
    if (days === undefined) {
      days = new Map();
      orgs.set(orgCode, days);
    }
    let found = days.get(day);
    if (found === undefined) {
      found = {
        day,
        node: this.node,
        orgCode,
        env,
        total: nothing(),
        workspaces: new Map(),
        dirty: [],
        waitsSince: undefined,
      };
      days.set(day, found);
    }
    return found;
  }

  /** Counts that could not be stored on their day move to today: others may have folded that day already. */
  #recall(day: MeteredDay): void {
    for (const cell of day.dirty.splice(0)) {
      const { calls, records } = difference(cell);
      cell.isDirty = false;
      this.#add({ orgCode: day.orgCode, env: day.env, tenantCode: cell.code }, calls, records);
    }
    day.waitsSince = undefined;
  }

  async #store(day: MeteredDay): Promise<void> {
    const scope = this.#deps.orgScopes(day.orgCode)[day.env];
    const cells = day.dirty.splice(0);
    const takenAt = this.#deps.clock.now();
    for (const cell of cells) cell.isDirty = false;
    for (let at = 0; at < cells.length; at += cellsPerCommit) {
      const some = cells.slice(at, at + cellsPerCommit);
      const values = some.map(({ calls, records }): Tally => ({ calls, records }));
      const whole = some.map(difference).reduce(addTallies, day.total.stored);
      try {
        await scope.commit([
          dayTallies.put(day, whole, { if: 'any' }),
          ...some.map(({ code, calls, records }) =>
            workspaceTallies.put({ ...day, code }, { calls, records }, { if: 'any' }),
          ),
        ]);
      } catch (error) {
        for (const cell of cells.slice(at)) this.#markDirty(day, cell);
        throw error;
      }
      day.total.stored = whole;
      for (const [index, cell] of some.entries()) cell.stored = values[index] ?? cell.stored;
    }
    day.waitsSince = day.dirty.length === 0 ? undefined : takenAt;
  }

  /**
   * The rows of the days that come may have been written, forgotten and folded before: under another name none is
   * written over. What was not stored goes on to today.
   */
  #beginAnew(): void {
    this.#timesBack += 1;
    const left = this.#orgs;
    this.#orgs = noOrgs();
    for (const orgs of Object.values(left))
      for (const days of orgs.values()) for (const day of days.values()) this.#recall(day);
  }

  #forgetBefore(oldest: Day): void {
    for (const orgs of Object.values(this.#orgs))
      for (const [orgCode, days] of orgs)
        for (const [day, metered] of [...days]) {
          if (day >= oldest) continue;
          this.#recall(metered);
          days.delete(day);
          if (days.size === 0) orgs.delete(orgCode);
        }
  }
}

function noOrgs(): Record<Environment, Map<string, Map<Day, MeteredDay>>> {
  return { test: new Map(), prod: new Map() };
}

function nothing(): MeteredCalls {
  return { calls: 0, records: 0, stored: { calls: 0, records: 0 } };
}

function difference({ calls, records, stored }: MeteredCalls): Tally {
  return { calls: calls - stored.calls, records: records - stored.records };
}
