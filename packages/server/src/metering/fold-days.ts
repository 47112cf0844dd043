import { type Change, Conflict, type Item, type Scope } from '../store/port.ts';
import { addDays, type Day, dayOf } from './calendar.ts';
import {
  addTallies,
  foldedKey,
  foldedWorkspacesKey,
  readDays,
  readOldest,
  readWorkspaceDays,
  type Tally,
  type UsageRow,
  type WorkspaceRow,
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
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
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
  let sum = folded?.tally;
  let held = folded?.item;
  const live = rows.filter(({ kind }) => kind === 'live');
  for (let at = 0; at < live.length; at += rowsPerCommit) {
    const some = live.slice(at, at + rowsPerCommit);
    for (const { tally } of some) sum = addTallies(sum, tally);
    const key = foldedKey(day);
    const version = await commitFold(scope, { key, held, items: some.map(({ item }) => item), value: sum });
    held = { ...key, version, value: '' };
  }
}

async function foldWorkspaces(scope: Scope, day: Day, rows: readonly WorkspaceRow[]): Promise<void> {
  const folded = rows.find(({ node }) => node === undefined);
  const sums = new Map<string, Tally>(Object.entries(folded?.tallies ?? {}));
  let held = folded?.item;
  const live = rows.filter(({ node }) => node !== undefined);
  for (let at = 0; at < live.length; at += rowsPerCommit) {
    const some = live.slice(at, at + rowsPerCommit);
    for (const { tallies } of some)
      for (const [code, tally] of Object.entries(tallies)) sums.set(code, addTallies(sums.get(code), tally));
    const value = Object.fromEntries(sums);
    if (JSON.stringify(value).length > foldedCharactersMax) return;
    const key = foldedWorkspacesKey(day);
    const version = await commitFold(scope, { key, held, items: some.map(({ item }) => item), value });
    held = { ...key, version, value: '' };
  }
}

interface Fold {
  readonly key: { readonly pk: string; readonly sk: string };
  readonly held: Item | undefined;
  readonly items: readonly Item[];
  readonly value: unknown;
}

async function commitFold(scope: Scope, { key, held, items, value }: Fold): Promise<number> {
  const condition = held === undefined ? 'absent' : { version: held.version };
  const changes: Change[] = [{ kind: 'put', ...key, value: JSON.stringify(value), if: condition }];
  for (const { pk, sk, version } of items) changes.push({ kind: 'remove', pk, sk, if: { version } });
  return (await scope.commit(changes, { priority: 'background' })).seq;
}

async function removeBefore(scope: Scope, oldest: Day): Promise<void> {
  for (;;) {
    const items = (await readOldest(scope, rowsPerCommit)).flat().filter(({ sk }) => sk < oldest);
    if (items.length === 0) return;
    const changes = items.map(({ pk, sk, version }): Change => ({ kind: 'remove', pk, sk, if: { version } }));
    await scope.commit(changes, { priority: 'background' });
  }
}
