/** The way usage lies in the org's scope of an environment. Nothing here knows an org: the scope is given. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { timestamp } from '../lib/clock.ts';
import type { Item, Scope } from '../store/port.ts';
import { json, table } from '../store/table.ts';

/** The amounts that are counted of a day: calls that were answered, and records made less records removed. */
export interface Tally {
  readonly calls: number;
  readonly records: number;
}

/** `live` rows are of one start of one node, which writes them again and again; the others are what became of them. */
export type UsageRow =
  | { readonly kind: 'live'; readonly item: Item; readonly day: Day; readonly node: string; readonly tally: Tally }
  | { readonly kind: 'folded'; readonly item: Item; readonly day: Day; readonly tally: Tally };

const callsPartition = 'usage;calls';
const workspacesPartition = 'usage;workspaces';
const workPartition = 'usage;work';

// The figures are not looked at as they are read: a verification finds those that are none.
const tally = json<Tally>('row of usage', {});

/** The counts of a node for an org in a day, as a whole; without a node those of all of them, once the day is over. */
export const dayTallies = table(
  ({ day, node }: { readonly day: Day; readonly node?: string }) => ({
    pk: callsPartition,
    sk: node === undefined ? day : `${day}#${node}`,
  }),
  tally,
);

/** The counts of one workspace; `''` is for calls of no workspace. */
export const workspaceTallies = table(
  ({ day, node, code }: { readonly day: Day; readonly node: string; readonly code: string }) => ({
    pk: workspacesPartition,
    sk: `${day}#${node}#${code}`,
  }),
  tally,
);

type WorkspaceTallies = Readonly<Record<string, Tally>>;

/** The workspaces of a day that is over, in one value by their codes. */
export const foldedWorkspaces = table(
  (day: Day) => ({ pk: workspacesPartition, sk: day }),
  json<WorkspaceTallies>('row of usage', {}),
);

export interface WorkspaceUsageRow {
  readonly item: Item;
  readonly day: Day;
  /** Undefined once it is folded. */
  readonly node: string | undefined;
  readonly tallies: WorkspaceTallies;
}

/** The days of an org from this one on, in their order. */
export async function readDays(scope: Scope, from: Day): Promise<readonly UsageRow[]> {
  const rows: UsageRow[] = [];
  for await (const item of itemsFrom(scope, callsPartition, from)) rows.push(usageRow(scope, item));
  return rows;
}

export async function readWorkspaceDays(scope: Scope, from: Day): Promise<readonly WorkspaceUsageRow[]> {
  const rows: WorkspaceUsageRow[] = [];
  for await (const some of eachOfWorkspaceDays(scope, from)) rows.push(...some);
  return rows;
}

/** The same as many at a time as are read in one moment. */
export async function* eachOfWorkspaceDays(scope: Scope, from: Day): AsyncGenerator<readonly WorkspaceUsageRow[]> {
  for await (const items of pagesFrom(scope, workspacesPartition, from))
    yield items.map((item) => workspaceRow(scope, item));
}

/** A row that holds something else than whole numbers, or is of no day. */
export interface UnreadableRow {
  readonly day: Day;
  readonly place: string;
}

interface DayTally {
  readonly day: Day;
  readonly tally: Tally;
}

/** The sums of the rows of days one after the other, and the rows that cannot be read. */
export function eachRow(scope: Scope, from: Day): AsyncGenerator<DayTally | UnreadableRow> {
  return readEach(itemsFrom(scope, callsPartition, from), (item) => {
    const { day, tally } = usageRow(scope, item);
    return { day, tally };
  });
}

/** The result of the workspaces of a row. */
export function eachWorkspaceRow(scope: Scope, from: Day): AsyncGenerator<DayTally | UnreadableRow> {
  return readEach(itemsFrom(scope, workspacesPartition, from), (item) => {
    const { day, tallies } = workspaceRow(scope, item);
    let tally: Tally = { calls: 0, records: 0 };
    for (const one of Object.values(tallies)) tally = addTallies(tally, one);
    return { day, tally };
  });
}

async function* readEach(
  items: AsyncIterable<Item>,
  read: (item: Item) => DayTally,
): AsyncGenerator<DayTally | UnreadableRow> {
  for await (const item of items) {
    const row = readSafely(item, read);
    yield row ?? { day: item.sk.slice(0, 'YYYY-MM-DD'.length), place: JSON.stringify(item.sk) };
  }
}

function readSafely(item: Item, read: (item: Item) => DayTally): DayTally | undefined {
  try {
    const row = read(item);
    const { calls, records } = row.tally;
    const isSound = Number.isSafeInteger(calls) && calls >= 0 && Number.isSafeInteger(records);
    return isSound && dayForm.test(row.day) ? row : undefined;
  } catch {
    return undefined;
  }
}

const dayForm = /^\d{4}-\d{2}-\d{2}$/;

function usageRow(scope: Scope, item: Item): UsageRow {
  const [day = '', node] = item.sk.split('#');
  const tally = dayTallies.row(scope, item).value;
  return node === undefined ? { kind: 'folded', item, day, tally } : { kind: 'live', item, day, node, tally };
}

function workspaceRow(scope: Scope, item: Item): WorkspaceUsageRow {
  const [day = '', node, code = ''] = item.sk.split('#');
  const tallies =
    node === undefined ? foldedWorkspaces.row(scope, item).value : { [code]: workspaceTallies.row(scope, item).value };
  return { item, day, node, tallies };
}

const rowsPerRead = 500;

async function* itemsFrom(scope: Scope, pk: string, from: Day): AsyncGenerator<Item> {
  for await (const items of pagesFrom(scope, pk, from)) yield* items;
}

async function* pagesFrom(scope: Scope, pk: string, from: Day): AsyncGenerator<readonly Item[]> {
  // Behind all rows of the day before: none of them goes on with a `~`.
  let after = `${addDays(from, -1)}~`;
  for (;;) {
    const items = await scope.range(pk, { after, limit: rowsPerRead });
    yield items;
    const last = items.at(-1);
    if (last === undefined || items.length < rowsPerRead) return;
    after = last.sk;
    // Reads need not wait for anything, and others want to be served too.
    await nextTurn();
  }
}

export function addTallies(left: Tally | undefined, right: Tally): Tally {
  return { calls: (left?.calls ?? 0) + right.calls, records: (left?.records ?? 0) + right.records };
}

/** The first days that a scope has rows of. */
export function readOldest(scope: Scope, limit: number): Promise<readonly (readonly Item[])[]> {
  return Promise.all([callsPartition, workspacesPartition, workPartition].map((pk) => scope.range(pk, { limit })));
}

/** A day of UTC, such as `2026-01-31`. Days compare as the texts that they are. */
export type Day = string;

export const dayMilliseconds = 86_400_000;

export function dayOf(time: number): Day {
  return timestamp(time).slice(0, 10);
}

export function startOfDay(day: Day): number {
  return Date.parse(day);
}

/** Also of days that come before: `by` may be negative. */
export function addDays(day: Day, by: number): Day {
  return dayOf(startOfDay(day) + by * dayMilliseconds);
}

/** The first day of the month that a day is in. */
export function firstOfMonth(day: Day): Day {
  return `${day.slice(0, 7)}-01`;
}

/** The time at which the month of a day ends. */
export function endOfMonth(day: Day): number {
  const start = new Date(startOfDay(firstOfMonth(day)));
  return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1);
}

/** The kinds of work that are counted by day: runs started, attempts at deliveries, milliseconds of scripts, mails. */
export const works = ['runs', 'deliveries', 'script_ms', 'mails'] as const;

export type WorkKind = (typeof works)[number];

export type WorkDone = Readonly<Record<WorkKind, number>>;

export const noWork: WorkDone = { runs: 0, deliveries: 0, script_ms: 0, mails: 0 };

/** A row of a node is written again and again; without a node it is what became of all rows of its day. */
export interface WorkRow {
  readonly item: Item;
  readonly day: Day;
  readonly node: string | undefined;
  readonly done: WorkDone;
}

export const workDone = table(
  ({ day, node }: { readonly day: Day; readonly node?: string }) => ({
    pk: workPartition,
    sk: node === undefined ? day : `${day}#${node}`,
  }),
  json<WorkDone>('row of work', {}),
);

/** From a day on, in the order of the days. */
export async function readWork(scope: Scope, from: Day): Promise<readonly WorkRow[]> {
  const rows: WorkRow[] = [];
  for await (const item of itemsFrom(scope, workPartition, from)) rows.push(workRow(scope, item));
  return rows;
}

/** The rows of work that cannot be read. */
export async function* unreadableWork(scope: Scope, from: Day): AsyncGenerator<UnreadableRow> {
  for await (const item of itemsFrom(scope, workPartition, from))
    if (!isSound(scope, item))
      yield { day: item.sk.slice(0, 'YYYY-MM-DD'.length), place: `${workPartition} ${JSON.stringify(item.sk)}` };
}

function isSound(scope: Scope, item: Item): boolean {
  try {
    const { day, done } = workRow(scope, item);
    return dayForm.test(day) && works.every((work) => Number.isSafeInteger(done[work]) && done[work] >= 0);
  } catch {
    return false;
  }
}

function workRow(scope: Scope, item: Item): WorkRow {
  const [day = '', node] = item.sk.split('#');
  return { item, day, node, done: workDone.row(scope, item).value };
}

export function addWork(left: WorkDone, right: WorkDone): WorkDone {
  return {
    runs: left.runs + right.runs,
    deliveries: left.deliveries + right.deliveries,
    script_ms: left.script_ms + right.script_ms,
    mails: left.mails + right.mails,
  };
}
