/** A round: a platform is killed under load, started again, and held to what it had answered. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { type AppUser, defineEntity, definition, foundedOrg, type Org, type StoredRecord } from '../org.ts';
import { type Platform, type StartOptions, startPlatform, temporaryDirectory, verifyToEnd } from '../platform.ts';
import { multiOrg, refreshed } from '../workspaces.ts';
import { actAll } from './actors.ts';
import { checkOrders } from './check-orders.ts';
import { checkPeople } from './check-people.ts';
import { type Entry, Ledger } from './ledger.ts';

/** Their fields, as the actors fill them. */
export const orders = {
  ...definition('order', [
    { name: 'title', colType: 'string', index: true },
    { name: 'code', colType: 'string' },
    { name: 'nr', colType: 'autoincrement' },
    { name: 'secret', colType: 'encrypted' },
  ]),
  UniqueIndexes: [{ indexName: 'code', fields: ['code'] }],
};

/** What goes on from round to round. */
export interface CrashRun {
  readonly platform: Platform;
  readonly founder: AppUser;
  readonly multi: Org;
  readonly orders: ReadonlyMap<string, StoredRecord>;
}

export async function begin(): Promise<CrashRun> {
  const platform = await startPlatform({ realPasswords: true });
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, orders);
  return { platform, founder, multi: await multiOrg(platform), orders: new Map() };
}

/** The same run on a platform that is started on what the one before has left. */
export async function startAgain(run: CrashRun, options: Pick<StartOptions, 'nodeFlags'> = {}): Promise<CrashRun> {
  const platform = await startPlatform({ ...options, dataDir: run.platform.dataDir, realPasswords: true });
  return { ...run, platform, founder: movedUser(platform, run.founder), multi: movedTo(platform, run.multi) };
}

/**
 * What was asked for and answered until a moment of chance. It comes after a first order was answered, however slow the
 * machine is: a kill before that would show nothing.
 */
export async function writeUntilKilled(run: CrashRun, chance: () => number): Promise<readonly Entry[]> {
  const ledger = new Ledger(join(temporaryDirectory(), 'ledger.jsonl'));
  const acting = actAll({ ...run, ledger, chance }, [...run.orders.values()]);
  await Promise.race([acting, ledger.hasOrder.then(() => after(400 + chance() * 1000))]);
  await run.platform.kill();
  await acting;
  return ledger.read();
}

/** Throws an `AssertionError` at the first thing that is not as it should be. */
export async function holdTo(
  killed: CrashRun,
  entries: readonly Entry[],
): Promise<{ readonly next: CrashRun; readonly report: string }> {
  const { code, stdout, stderr } = await verifyToEnd(killed.platform.dataDir);
  assert.equal(code, 0, `the files have drifted:\n${stdout}${stderr}`);
  const startedAt = performance.now();
  const run = await startAgain(killed).catch((cause: Error) =>
    assert.fail(`it does not start again: ${cause.message}`),
  );
  const startMilliseconds = Math.round(performance.now() - startedAt);
  const founder = await refreshed(run.founder);
  const next = { ...run, founder, orders: await checkOrders(founder, run.orders, entries) };
  await checkPeople(next, entries);
  const answered = entries.filter(({ answer }) => answer !== undefined).length;
  const open = entries.length - answered;
  return {
    next,
    report: `${answered} answered, ${open} not, ready after ${startMilliseconds} ms, ${next.orders.size} orders`,
  };
}

export function movedUser(platform: Platform, user: AppUser): AppUser {
  return { ...user, org: movedTo(platform, user.org) };
}

function movedTo({ app, management }: Platform, org: Org): Org {
  return { ...org, app, management };
}
