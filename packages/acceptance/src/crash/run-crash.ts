/**
 * Kills a platform under load, starts it again and holds it to what it had answered.
 *
 *   npm run crash -- [--rounds 30] [--seed 1]
 *
 * In each round eight callers write; what they ask and are answered stands in a ledger. `kill -9` comes at a moment of
 * chance. Nothing may have drifted in the files as they were left, and after the start each line of the ledger has to be
 * read again; what had no answer is whole or absent, and counts once when it is repeated. Before the rounds, damage is
 * planted, and the rounds have to find it.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type AppUser, defineEntity, definition, foundedOrg, type Org, type StoredRecord } from '../org.ts';
import { type Platform, startPlatform, temporaryDirectory, verifyToEnd } from '../platform.ts';
import { multiOrg, refreshed } from '../workspaces.ts';
import { actAll } from './actors.ts';
import { checkOrders } from './check-orders.ts';
import { checkPeople } from './check-people.ts';
import { type Entry, Ledger } from './ledger.ts';
import { plantedDamage } from './planted-damage.ts';

const orders = {
  ...definition('order', [
    { name: 'title', colType: 'string', index: true },
    { name: 'code', colType: 'string' },
    { name: 'nr', colType: 'autoincrement' },
    { name: 'secret', colType: 'encrypted' },
  ]),
  UniqueIndexes: [{ indexName: 'code', fields: ['code'] }],
};

/** What goes on from round to round. */
interface Run {
  readonly platform: Platform;
  readonly founder: AppUser;
  readonly multi: Org;
  readonly orders: ReadonlyMap<string, StoredRecord>;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } },
  });
  const chance = chances(Number(values.seed));
  let [passed, failed] = [0, 0];
  const judge = async (what: string, work: () => Promise<string>): Promise<void> => {
    try {
      console.log(`ok    ${what}: ${await work()}`);
      passed += 1;
    } catch (error) {
      console.log(`FAIL  ${what}: ${error instanceof Error ? error.message : String(error)}`);
      failed += 1;
    }
  };
  for (const [name, damage] of Object.entries(plantedDamage))
    await judge(`planted: ${name}`, () => findDamage(chance, damage));
  let run = await begin();
  for (let round = 1; round <= Number(values.rounds) && failed === 0; round++)
    await judge(`round ${round}`, async () => {
      const { next, told } = await crash(run, chance);
      run = next;
      return told;
    });
  if (failed > 0) console.log(`the data folder was ${run.platform.dataDir}`);
  console.log(`\n${passed} passed, ${failed} failed`);
  // Platforms of rounds that failed still run; they end with this process.
  process.exit(failed > 0 ? 1 : 0);
}

async function begin(): Promise<Run> {
  const platform = await startPlatform();
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, orders);
  return { platform, founder, multi: await multiOrg(platform), orders: new Map() };
}

async function crash(
  run: Run,
  chance: () => number,
  damage?: (dataDir: string) => void,
): Promise<{ readonly next: Run; readonly told: string }> {
  const { dataDir } = run.platform;
  const entries = await writeUntilKilled(run, chance);
  damage?.(dataDir);
  const { code, stdout, stderr } = await verifyToEnd(dataDir);
  assert.equal(code, 0, `the files have drifted:\n${stdout}${stderr}`);
  const begun = performance.now();
  const platform = await startPlatform({ dataDir });
  const startMilliseconds = Math.round(performance.now() - begun);
  const founder = await refreshed(movedUser(platform, run.founder));
  const multi = movedTo(platform, run.multi);
  const next = { platform, founder, multi, orders: await checkOrders(founder, run.orders, entries) };
  await checkPeople(next, entries);
  const answered = entries.filter(({ answer }) => answer !== undefined).length;
  const open = entries.length - answered;
  return {
    next,
    told: `${answered} answered, ${open} not, ready after ${startMilliseconds} ms, ${next.orders.size} orders`,
  };
}

async function writeUntilKilled(run: Run, chance: () => number): Promise<readonly Entry[]> {
  const ledger = new Ledger(join(temporaryDirectory(), 'ledger.jsonl'));
  const acting = actAll({ ...run, ledger, chance }, [...run.orders.values()]);
  await Promise.race([acting, after(400 + chance() * 1000)]);
  await run.platform.kill();
  await acting;
  return ledger.read();
}

/** Passes where a round with this damage fails. */
async function findDamage(chance: () => number, damage: (dataDir: string) => void): Promise<string> {
  const begun = await begin();
  // What was there before the round is out of the damage's reach.
  await begun.platform.terminate();
  const platform = await startPlatform({ dataDir: begun.platform.dataDir });
  const [founder, multi] = [movedUser(platform, begun.founder), movedTo(platform, begun.multi)];
  try {
    await crash({ ...begun, platform, founder, multi }, chance, damage);
  } catch (error) {
    if (error instanceof assert.AssertionError) return `found, as ${error.message.split('\n', 1)[0]}`;
    throw error;
  }
  throw new Error('it was not found');
}

function movedUser(platform: Platform, user: AppUser): AppUser {
  return { ...user, org: movedTo(platform, user.org) };
}

function movedTo({ app, management }: Platform, org: Org): Org {
  return { ...org, app, management };
}

/** The mulberry32 generator: the same numbers for the same seed. */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

await main();
