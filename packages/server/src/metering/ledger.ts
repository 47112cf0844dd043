import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Scope } from '../store/port.ts';
import type { Environment, OrgScopes } from '../tenancy/port.ts';
import type { CallMeter, MeteredWorkspace, OwnDays } from './call-meter.ts';
import {
  addTallies,
  type Day,
  eachOfWorkspaceDays,
  foldedWorkspaces,
  readDays,
  type Tally,
  type WorkspaceUsageRow,
} from './usage-rows.ts';

/**
 * The counts of all nodes: the stored ones, and those that this one holds in memory. Gate, report and alerts read
 * nothing else.
 */
export interface Ledger {
  /** By day, the counts of other nodes, and those that this one does not hold in memory any more. */
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
    // Counts of this node may leave its memory while it reads: then all of it goes by how it was.
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
      const isOwn = ({ day, node }: WorkspaceUsageRow) => node === meter.node && own.has(day);
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
    if (waiting[0] === day) for (const one of take()) addAll(sums, one.workspaces);
    yield { day, workspaces: sums };
  }
  while (waiting.length > 0) yield* take();
}

/** A day that is being read. */
interface OpenDay extends WorkspacesOfDay {
  readonly workspaces: Map<string, Tally>;
  /** The version of the row that it was folded into by then; undefined where it was not. */
  folded: number | undefined;
  /** Whether it may go on in what is read at another moment. */
  isCut: boolean;
}

type IsLeftOut = (row: WorkspaceUsageRow) => boolean;

/** The data that are stored of the workspaces, a day at a time, and never a part of a day that was folded meanwhile. */
async function* eachOfWorkspaces(scope: Scope, from: Day, isLeftOut: IsLeftOut): AsyncGenerator<WorkspacesOfDay> {
  let open: OpenDay | undefined;
  for await (const rows of eachOfWorkspaceDays(scope, from)) {
    for (const row of rows) {
      if (row.day !== open?.day) {
        if (open !== undefined) yield await whole(scope, open, isLeftOut);
        // Reads need not wait for anything, and others want to be served too.
        await nextTurn();
        open = { day: row.day, workspaces: new Map(), folded: undefined, isCut: false };
      }
      if (row.node === undefined) open.folded = row.item.version;
      if (!isLeftOut(row)) addAll(open.workspaces, Object.entries(row.tallies));
    }
    if (open !== undefined) open.isCut = true;
  }
  if (open !== undefined) yield await whole(scope, open, isLeftOut);
}

/** The day as it was read, or read again where rows of it were folded between two reads. */
async function whole(scope: Scope, read: OpenDay, isLeftOut: IsLeftOut): Promise<WorkspacesOfDay> {
  if (!read.isCut) return read;
  const [folded] = await scope.get([foldedWorkspaces.key(read.day)]);
  if (folded?.version === read.folded) return read;
  const { value } = await eachOfWorkspaces(scope, read.day, isLeftOut).next();
  return value?.day === read.day ? value : { day: read.day, workspaces: new Map() };
}

function addAll(sums: Map<string, Tally>, tallies: Iterable<readonly [string, Tally]>): void {
  for (const [code, tally] of tallies) sums.set(code, addTallies(sums.get(code), tally));
}

/** The number of an entity's records in a workspace, by the counter that every write of one moves in its commit. */
export interface EntityRecords extends Pick<MeteredWorkspace, 'env' | 'tenantCode'> {
  readonly entity: string;
  readonly records: number;
}

/** Of all entities that builders define, in all workspaces of an org. */
export type RecordsOf = (orgCode: string) => Promise<readonly EntityRecords[]>;
