import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Scope } from '../store/port.ts';
import type { Day } from './calendar.ts';
import type { CallMeter, Environment, OrgScopes, OwnDays } from './call-meter.ts';
import { addTallies, eachWorkspaceDay, readDays, type Tally, type WorkspaceRow } from './usage-rows.ts';

/**
 * What was counted, by all nodes: what they have stored, and what this one holds in memory. Gate, report and alerts read
 * nothing else.
 */
export interface Ledger {
  /** By day, what other nodes have counted, and what this one does not hold in memory any more. */
  stored(orgCode: string, env: Environment, from: Day): Promise<ReadonlyMap<Day, Tally>>;
  /** By day, all of it. */
  days(orgCode: string, env: Environment, from: Day): Promise<ReadonlyMap<Day, Tally>>;
  /** All of it by workspace, a day after the other; `''` is the code of calls of no workspace. */
  workspaceDays(orgCode: string, env: Environment, from: Day): AsyncIterable<WorkspacesOfDay>;
}

export interface WorkspacesOfDay {
  readonly day: Day;
  readonly workspaces: ReadonlyMap<string, Tally>;
}

export function createLedger(meter: CallMeter, orgScopes: OrgScopes): Ledger {
  const readStored = async (orgCode: string, env: Environment, from: Day) => {
    // What this node holds may leave its memory while it reads: then all of it goes by how it was.
    const own: OwnDays = new Map(meter.own(orgCode, env));
    const days = new Map<Day, Tally>();
    for (const row of await readDays(orgScopes(orgCode)[env], from))
      if (row.kind === 'folded' || row.node !== meter.node || !own.has(row.day))
        days.set(row.day, addTallies(days.get(row.day), row.tally));
    return { days, own };
  };

  return {
    stored: async (orgCode, env, from) => (await readStored(orgCode, env, from)).days,
    days: async (orgCode, env, from) => {
      const { days, own } = await readStored(orgCode, env, from);
      for (const [day, { total }] of own) if (day >= from) days.set(day, addTallies(days.get(day), total));
      return days;
    },
    workspaceDays: (orgCode, env, from) => {
      const own: OwnDays = new Map(meter.own(orgCode, env));
      const isOwn = ({ day, node }: WorkspaceRow) => node === meter.node && own.has(day);
      return joined(eachOfWorkspaces(orgScopes(orgCode)[env], from, isOwn), own, from);
    },
  };
}

/** Puts the days that this node holds to those that are stored, both in the order of the days. */
async function* joined(
  stored: AsyncIterable<WorkspacesOfDay>,
  own: OwnDays,
  from: Day,
): AsyncGenerator<WorkspacesOfDay> {
  const waiting = [...own.keys()].filter((day) => day >= from).sort();
  const take = (): readonly WorkspacesOfDay[] => {
    const day = waiting.shift();
    return day === undefined ? [] : [{ day, workspaces: own.get(day)?.workspaces ?? new Map() }];
  };
  for await (const { day, workspaces } of stored) {
    while ((waiting[0] ?? day) < day) yield* take();
    const sums = new Map(workspaces);
    if (waiting[0] === day)
      for (const one of take())
        for (const [code, tally] of one.workspaces) sums.set(code, addTallies(sums.get(code), tally));
    yield { day, workspaces: sums };
  }
  while (waiting.length > 0) yield* take();
}

/** What is stored of the workspaces, a day at a time. */
async function* eachOfWorkspaces(
  scope: Scope,
  from: Day,
  isLeftOut: (row: WorkspaceRow) => boolean,
): AsyncGenerator<WorkspacesOfDay> {
  let open: { readonly day: Day; readonly workspaces: Map<string, Tally> } | undefined;
  for await (const row of eachWorkspaceDay(scope, from)) {
    if (row.day !== open?.day) {
      if (open !== undefined) yield open;
      // Reads need not wait for anything, and others want to be served too.
      await nextTurn();
      open = { day: row.day, workspaces: new Map() };
    }
    if (isLeftOut(row)) continue;
    for (const [code, tally] of Object.entries(row.tallies))
      open.workspaces.set(code, addTallies(open.workspaces.get(code), tally));
  }
  if (open !== undefined) yield open;
}
