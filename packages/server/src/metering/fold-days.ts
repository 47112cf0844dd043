import type { Item, Put, Scope } from '../store/port.ts';
import { asRead, removeAsRead } from '../store/table.ts';
import { ignoreConflict } from '../store/transact.ts';
import { addDays, type Day, dayOf } from './calendar.ts';
import {
  addTallies,
  dayTallies,
  foldedWorkspaces,
  readDays,
  readOldest,
  readWorkspaceDays,
  type Tally,
  type UsageRow,
  type WorkspaceRow,
} from './usage-rows.ts';
import { addWork, noWork, readWork, type WorkRow, workDone } from './work-units/work-rows.ts';

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
  let held: Held = folded?.item;
  const live = rows.filter(({ kind }) => kind === 'live');
  for (let at = 0; at < live.length; at += rowsPerCommit) {
    const some = live.slice(at, at + rowsPerCommit);
    for (const { tally } of some) sum = addTallies(sum, tally);
    held = await commitFold(scope, dayTallies.put({ day }, sum, { if: asRead(held) }), some);
  }
}

async function foldWorkspaces(scope: Scope, day: Day, rows: readonly WorkspaceRow[]): Promise<void> {
  const folded = rows.find(({ node }) => node === undefined);
  const sums = new Map<string, Tally>(Object.entries(folded?.tallies ?? {}));
  let held: Held = folded?.item;
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
  let held: Held = folded?.item;
  const live = rows.filter(({ node }) => node !== undefined);
  for (let at = 0; at < live.length; at += rowsPerCommit) {
    const some = live.slice(at, at + rowsPerCommit);
    for (const { done } of some) sum = addWork(sum, done);
    held = await commitFold(scope, workDone.put({ day }, sum, { if: asRead(held) }), some);
  }
}

/** The row that holds the sum already. */
type Held = Pick<Item, 'version'> | undefined;

/** Puts the sum in the place of what it is the sum of. */
async function commitFold(scope: Scope, sum: Put, rows: readonly { readonly item: Item }[]): Promise<Held> {
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
