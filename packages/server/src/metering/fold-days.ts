import type { Item, Put, Scope } from '../store/port.ts';
import { asRead, removeAsRead } from '../store/table.ts';
import { ignoreConflict } from '../store/transact.ts';
import {
  addDays,
  addTallies,
  addWork,
  type Day,
  dayOf,
  dayTallies,
  eachRow,
  eachWorkspaceRow,
  foldedWorkspaces,
  noWork,
  readDays,
  readOldest,
  readWork,
  readWorkspaceDays,
  type Tally,
  type UnreadableRow,
  type UsageRow,
  unreadableWork,
  type WorkRow,
  type WorkspaceUsageRow,
  workDone,
} from './usage-rows.ts';

/** For how many days usage is kept by the day. */
const daysKept = 400;

/** A node stores a day until the next one is over; an hour more, for clocks that differ. */
const graceMilliseconds = 25 * 60 * 60 * 1000;
const rowsPerCommit = 500;
/** Codes and figures of some ten thousand workspaces; the rows of more stay as they are. */
const foldedCharactersMax = 1_000_000;

/**
 * Makes one row of each day that is over, whatever number of nodes and starts have counted on it, and lets go of what is
 * too old. Several nodes may do so at once: of two that fold the same rows one is refused, and has nothing left to do.
 */
export async function foldDays(scope: Scope, now: number): Promise<void> {
  const firstOpen = dayOf(now - graceMilliseconds);
  const oldest = addDays(firstOpen, -daysKept);
  try {
    await removeBefore(scope, oldest);
    const days = await readDays(scope, oldest);
    for (const [day, rows] of byDay(days, firstOpen)) await foldDay(scope, day, rows);
    const workspaces = await readWorkspaceDays(scope, oldest);
    for (const [day, rows] of byDay(workspaces, firstOpen)) await foldWorkspaces(scope, day, rows);
    for (const [day, rows] of byDay(await readWork(scope, oldest), firstOpen)) await foldWork(scope, day, rows);
  } catch (error) {
    ignoreConflict(error);
  }
}

function byDay<Row extends { readonly day: Day }>(rows: readonly Row[], before: Day): ReadonlyMap<Day, readonly Row[]> {
  return Map.groupBy(
    rows.filter(({ day }) => day < before),
    ({ day }) => day,
  );
}

async function foldDay(scope: Scope, day: Day, rows: readonly UsageRow[]): Promise<void> {
  const folded = rows.find(({ kind }) => kind === 'folded');
  let sum: Tally = folded?.tally ?? { calls: 0, records: 0 };
  let held: HeldVersion = folded?.item;
  const live = rows.filter(({ kind }) => kind === 'live');
  for (let at = 0; at < live.length; at += rowsPerCommit) {
    const some = live.slice(at, at + rowsPerCommit);
    for (const { tally } of some) sum = addTallies(sum, tally);
    held = await commitFold(scope, dayTallies.put({ day }, sum, { if: asRead(held) }), some);
  }
}

async function foldWorkspaces(scope: Scope, day: Day, rows: readonly WorkspaceUsageRow[]): Promise<void> {
  const folded = rows.find(({ node }) => node === undefined);
  const sums = new Map<string, Tally>(Object.entries(folded?.tallies ?? {}));
  let held: HeldVersion = folded?.item;
  const live = rows.filter(({ node }) => node !== undefined);
  for (let at = 0; at < live.length; at += rowsPerCommit) {
    const some = live.slice(at, at + rowsPerCommit);
    for (const { tallies } of some)
      for (const [code, tally] of Object.entries(tallies)) sums.set(code, addTallies(sums.get(code), tally));
    const value = Object.fromEntries(sums);
    if (JSON.stringify(value).length > foldedCharactersMax) return;
    held = await commitFold(scope, foldedWorkspaces.put(day, value, { if: asRead(held) }), some);
  }
}

async function foldWork(scope: Scope, day: Day, rows: readonly WorkRow[]): Promise<void> {
  const folded = rows.find(({ node }) => node === undefined);
  let sum = folded?.done ?? noWork;
  let held: HeldVersion = folded?.item;
  const live = rows.filter(({ node }) => node !== undefined);
  for (let at = 0; at < live.length; at += rowsPerCommit) {
    const some = live.slice(at, at + rowsPerCommit);
    for (const { done } of some) sum = addWork(sum, done);
    held = await commitFold(scope, workDone.put({ day }, sum, { if: asRead(held) }), some);
  }
}

/** The row that holds the sum already. */
type HeldVersion = Pick<Item, 'version'> | undefined;

/** Puts the sum in the place of what it is the sum of. */
async function commitFold(scope: Scope, sum: Put, rows: readonly { readonly item: Item }[]): Promise<HeldVersion> {
  const changes = [sum, ...rows.map(({ item }) => removeAsRead(item))];
  return { version: (await scope.commit(changes, { priority: 'background' })).seq };
}

async function removeBefore(scope: Scope, oldest: Day): Promise<void> {
  for (;;) {
    const items = (await readOldest(scope, rowsPerCommit)).flat().filter(({ sk }) => sk < oldest);
    if (items.length === 0) return;
    await scope.commit(items.map(removeAsRead), { priority: 'background' });
  }
}

/** The sums of the rows of an org's calls in an environment, and their contradictions. */
interface CheckedDays {
  readonly days: readonly Day[];
  readonly calls: number;
  readonly problems: readonly DayProblem[];
}

interface DayProblem {
  readonly day: Day;
  /** A sentence, but for its period. */
  readonly problem: string;
}

const firstDay: Day = '1970-01-02';

/**
 * Compares what is stored of each day as a whole with what is stored of its workspaces: a node writes both in one commit.
 * Months are nowhere stored, they are the sums of these days. Memory grows with the days, not with the workspaces.
 */
export async function checkDays(scope: Scope): Promise<CheckedDays> {
  const wholes = new Map<Day, Tally>();
  const parts = new Map<Day, Tally>();
  const problems: DayProblem[] = [];
  const note = (sums: Map<Day, Tally>, row: { readonly day: Day; readonly tally: Tally } | UnreadableRow): void => {
    if ('place' in row) problems.push({ day: row.day, problem: `the row ${row.place} cannot be read` });
    else sums.set(row.day, sum(sums.get(row.day), row.tally));
  };
  for await (const row of eachRow(scope, firstDay)) note(wholes, row);
  for await (const row of eachWorkspaceRow(scope, firstDay)) note(parts, row);
  for await (const row of unreadableWork(scope, firstDay)) note(parts, row);
  for (const day of [...new Set([...wholes.keys(), ...parts.keys()])].sort()) {
    const [whole, part] = [wholes.get(day) ?? nothing, parts.get(day) ?? nothing];
    for (const what of ['calls', 'records'] as const)
      if (whole[what] !== part[what])
        problems.push({ day, problem: `${whole[what]} ${words[what]} in all, ${part[what]} in its workspaces` });
  }
  const calls = [...wholes.values()].reduce((before, tally) => before + tally.calls, 0);
  return { days: [...wholes.keys()], calls, problems };
}

const nothing: Tally = { calls: 0, records: 0 };
const words = { calls: 'calls', records: 'records added' } as const;

function sum(left: Tally = nothing, right: Tally): Tally {
  return { calls: left.calls + right.calls, records: left.records + right.records };
}
