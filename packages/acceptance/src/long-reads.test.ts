/** Scans of many records: how many an org has, what becomes of them when their clients leave, and when the platform ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProblemBody } from '@freehold/contract/problem';
import { type AppUser, act, appUrl, count, defineEntity, definition, foundedOrg } from './org.ts';
import { type Platform, verifyToEnd, whyNoDataDir } from './platform.ts';
import { platformOf } from './platform-for-tests.ts';
import { importFile, jsonLines } from './transfer-calls.ts';

const isLong = process.env.FREEHOLD_TEST_LONG === '1';
const records = isLong ? 1_000_000 : 40_000;
const imported = 10_000;
const drainMilliseconds = 10_000;

const text = 'a note of some length, in which what is looked for does not occur '.repeat(4);

async function filled(platform: Platform): Promise<AppUser> {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, definition('event', [{ name: 'note' }, { name: 'n', colType: 'integer' }]));
  const rows = jsonLines(Array.from({ length: imported }, (_, n) => ({ note: `${text}${n}`, n })));
  for (let made = 0; made < records; made += imported) await importFile(founder, 'event', rows);
  return founder;
}

type Outcome = { readonly status: number; readonly text: string; readonly retryAfter: string | null } | 'cut off';

/** No two of them ask for the same. */
async function scan(user: AppUser, at: number, signal: AbortSignal | null = null): Promise<Outcome> {
  const filter = `note.contains("nothing ${at}") || note.contains("zzz") || note.contains("${at} zzz")`;
  try {
    const path = `/count/event?filter=${encodeURIComponent(filter)}`;
    const headers = { authorization: `Bearer ${user.token}` };
    const reply = await fetch(appUrl(user.org, path), { headers, signal });
    return { status: reply.status, text: await reply.text(), retryAfter: reply.headers.get('retry-after') };
  } catch {
    return 'cut off';
  }
}

/** More scans than an org may have; resolves when one of them is refused, so the others are under way or wait. */
async function crowd(user: AppUser, signal: AbortSignal | null = null): Promise<readonly Promise<Outcome>[]> {
  const { promise: isFull, resolve } = Promise.withResolvers<void>();
  const scans = Array.from({ length: 60 }, async (_, at) => {
    const outcome = await scan(user, at, signal);
    if (outcome !== 'cut off' && outcome.status === 503) resolve();
    return outcome;
  });
  await isFull;
  return scans;
}

function assertClear(outcome: Exclude<Outcome, 'cut off'>): void {
  if (outcome.status === 200) return;
  const { code, detail } = JSON.parse(outcome.text) as ProblemBody;
  assert.deepEqual([outcome.status, code, outcome.retryAfter], [503, 'unavailable', '1'], outcome.text);
  assert.ok(typeof detail === 'string' && detail.length > 0);
}

test(`an org has one scan of ${records} records at a time and twenty that wait, and those whose clients leave make room`, async (context) => {
  const platform = await platformOf(context);
  const user = await filled(platform);
  const outcomes = await Promise.all(await crowd(user));
  for (const outcome of outcomes) {
    assert.ok(outcome !== 'cut off');
    assertClear(outcome);
    if (outcome.status === 503)
      assert.match(outcome.text, /at most 20 long reads of an org wait at a time: try again in a moment/);
  }
  const served = outcomes.filter((outcome) => outcome !== 'cut off' && outcome.status === 200);
  assert.ok(served.length >= 21, `${served.length}`);
  const clients = new AbortController();
  const left = await crowd(user, clients.signal);
  clients.abort();
  for (const outcome of await Promise.all(left)) assert.ok(outcome === 'cut off' || outcome.status !== 500);
  // So that the platform has seen that their connections are closed.
  for (let calls = 0; calls < 5; calls++) assert.equal((await act(user, 'GET', '/count/event')).status, 200);
  const after = await Promise.all(Array.from({ length: 20 }, (_, at) => scan(user, at)));
  for (const outcome of after) assert.ok(outcome !== 'cut off' && outcome.status === 200, JSON.stringify(outcome));
});

test(`a drain during scans of ${records} records ends with 0 in time, and the next start finds all of them`, {
  skip: whyNoDataDir,
}, async (context) => {
  const platform = await platformOf(context);
  const user = await filled(platform);
  const scans = await crowd(user);
  const begun = performance.now();
  const ended = await platform.terminate();
  const milliseconds = performance.now() - begun;
  context.diagnostic(`${Math.round(milliseconds)} ms`);
  assert.deepEqual(ended, { code: 0, signal: null }, platform.stderr());
  // wall time: what is promised is that a drain ends, whatever is under way; closing comes behind it.
  assert.ok(milliseconds < 2 * drainMilliseconds, `${milliseconds} ms`);
  for (const outcome of await Promise.all(scans)) if (outcome !== 'cut off') assertClear(outcome);
  const verified = await verifyToEnd(platform.dataDir);
  assert.equal(verified.code, 0, verified.stdout);
  const next = await platformOf(context, { dataDir: platform.dataDir });
  const moved = { ...user, org: { ...user.org, app: next.app, management: next.management } };
  assert.equal(await count(moved, 'event'), records);
  const found = await scan(moved, 0);
  assert.ok(found !== 'cut off' && found.status === 200 && found.text === '{"count":0}', JSON.stringify(found));
});
