import type { Day } from './calendar.ts';
import type { CallMeter, Environment, OrgScopes } from './call-meter.ts';
import { addTallies, readDays, readWorkspaceDays, type Tally } from './usage-rows.ts';

/**
 * What was counted, by all nodes: what they have stored, and what this one holds in memory. Gate, report and alerts read
 * nothing else.
 */
export interface Ledger {
  /** By day, what other nodes have counted, and what this one does not hold in memory any more. */
  stored(orgCode: string, env: Environment, from: Day): Promise<ReadonlyMap<Day, Tally>>;
  /** By day, all of it. */
  days(orgCode: string, env: Environment, from: Day): Promise<ReadonlyMap<Day, Tally>>;
  /** All of it by day and workspace; `''` is the code of calls of no workspace. */
  workspaceDays(orgCode: string, env: Environment, from: Day): Promise<readonly WorkspaceDay[]>;
}

export interface WorkspaceDay extends Tally {
  readonly day: Day;
  readonly tenantCode: string;
}

export function createLedger(meter: CallMeter, orgScopes: OrgScopes): Ledger {
  const isOwn = (orgCode: string, env: Environment) => {
    const own = meter.own(orgCode, env);
    return (day: Day, node: string | undefined): boolean => node === meter.node && own.has(day);
  };

  const stored: Ledger['stored'] = async (orgCode, env, from) => {
    const rows = await readDays(orgScopes(orgCode)[env], from);
    const isInMemory = isOwn(orgCode, env);
    const days = new Map<Day, Tally>();
    for (const row of rows)
      if (row.kind === 'folded' || !isInMemory(row.day, row.node))
        days.set(row.day, addTallies(days.get(row.day), row.tally));
    return days;
  };

  return {
    stored,
    days: async (orgCode, env, from) => {
      const days = new Map(await stored(orgCode, env, from));
      for (const [day, { total }] of meter.own(orgCode, env))
        if (day >= from) days.set(day, addTallies(days.get(day), total));
      return days;
    },
    workspaceDays: async (orgCode, env, from) => {
      const rows = await readWorkspaceDays(orgScopes(orgCode)[env], from);
      const isInMemory = isOwn(orgCode, env);
      const sums = new Sums();
      for (const { day, node, tallies } of rows)
        if (!isInMemory(day, node))
          for (const [code, tally] of Object.entries(tallies)) sums.add({ day, tenantCode: code, ...tally });
      for (const [day, { workspaces }] of meter.own(orgCode, env))
        if (day >= from) for (const [code, tally] of workspaces) sums.add({ day, tenantCode: code, ...pick(tally) });
      return sums.all();
    },
  };
}

function pick({ calls, records }: Tally): Tally {
  return { calls, records };
}

class Sums {
  readonly #sums = new Map<string, WorkspaceDay>();

  add(one: WorkspaceDay): void {
    const place = `${one.day}#${one.tenantCode}`;
    this.#sums.set(place, { ...one, ...addTallies(this.#sums.get(place), one) });
  }

  all(): readonly WorkspaceDay[] {
    return [...this.#sums.values()];
  }
}
