/** Work that waits in a store which an earlier release wrote is done, whatever its kind. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { mock, type TestContext, test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { temporaryFolder } from '../command.ts';
import { bearer, call, type Reply } from './calls.ts';
import { startHeld } from './held-platform.ts';
import { unpackFixture } from './older-platform.ts';
import { eventTo, type WaitingWork, waitingJobs } from './waiting-work.ts';

async function startReceiver(context: TestContext) {
  const received: { readonly type: string; readonly data: { readonly record?: { readonly title: string } } }[] = [];
  const server = createServer(async (request, reply) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    received.push(JSON.parse(body));
    reply.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

test('waiting alerts, deliveries, runs, schedules, jobs and expiries that an earlier release has stored are done', async (context) => {
  const dataDir = join(temporaryFolder(context), 'data');
  await unpackFixture('waiting', dataDir);
  const stored = readFileSync(join(import.meta.dirname, 'waiting', 'filled.json.br'));
  const filled: WaitingWork = JSON.parse(brotliDecompressSync(stored).toString());
  const { received, url } = await startReceiver(context);
  mock.timers.enable({ apis: ['setInterval'] });
  context.after(() => mock.timers.reset());
  let now = filled.filledAt;
  let isHeld = true;
  const platform = await startHeld(dataDir, { now: () => now }, () => isHeld);
  context.after(() => platform.close());
  const manage = (method: string, path: string, body?: unknown): Promise<Reply> =>
    call(method, `${platform.management}${path}`, { body, headers: bearer(filled.builder) });
  const read = async (path: string) => (await manage('GET', path)).body as Readonly<Record<string, unknown>>;
  assert.deepEqual(await platform.jobsBy(now + 30 * day), waitingJobs);
  assert.equal((await manage('PUT', '/org/alerts/webhook', { url })).status, 200);
  assert.equal((await manage('PUT', '/config/event/tell', eventTo(url))).status, 200);

  isHeld = false;
  /** A turn of the background work, before which so much time has passed. */
  const turn = async (milliseconds: number): Promise<void> => {
    now += milliseconds;
    mock.timers.tick(1000);
    for (let breath = 0; breath < 20; breath++) await new Promise((resolve) => setImmediate(resolve));
    await read('/org');
  };
  const isLeft = async (ahead: number) =>
    (await platform.jobsBy(now + ahead)).some((job) => job !== 'expiry' && job !== 'schedule');
  // Time does not leap past the lease of what is under way.
  for (let turns = 0; turns < 2000 && (await isLeft(30 * day)); turns++)
    await turn((await isLeft(minute)) ? 500 : minute);
  assert.deepEqual(received.map(({ type, data }) => data.record?.title ?? type).sort(), [
    'automation.failed',
    'held',
    'unsent',
    'webhook.test',
  ]);
  for (const run of filled.runs) assert.equal((await read(`/runs/${run}`)).state, 'done');
  assert.equal((await read(`/org/person-jobs/${filled.exportJob}`)).state, 'done');
  assert.equal((await read(`/org/workspace-template/applications/${filled.application}`)).state, 'previewed');
  const request = { headers: bearer(filled.founder) };
  const gone = await call('GET', `${platform.app}/app/shop/item/customer/${filled.removedCustomer}`, request);
  assert.equal(gone.status, 404);
  const { body: tickets } = await call('GET', `${platform.app}/app/shop/count/ticket`, request);
  assert.deepEqual((tickets as { readonly count: number }).count, 0);
  const { body: sorted } = await call('GET', `${platform.app}/app/shop/list/thing?sortby=title`, request);
  assert.deepEqual(
    (sorted as { readonly items: readonly { readonly title: string }[] }).items.map(({ title }) => title),
    ['held', 'unsent'],
  );
  const again = { entityName: 'brief', UpdateParams: [{ name: 'title' }] };
  assert.equal((await manage('POST', '/api/create-brief', again)).status, 201);
  const test = platform.stores.get('test');
  for (const code of ['third', 'fourth']) {
    const items = (await test?.maintenance.scan(`org#shop-${code}`, undefined, 100)) ?? [];
    assert.deepEqual(
      items.map(({ pk }) => pk).filter((pk) => !/^(fence|audit|chain)/.test(pk)),
      [],
      code,
    );
  }

  // Beyond the end of every session: the times of schedules, and of what expires within a day.
  for (let turns = 0; turns < 25 * 15; turns++) await turn(4 * minute);
  // A busy machine is still at what was due before.
  for (let turns = 0; turns < 2000 && (await platform.jobsBy(now - hour)).length > 0; turns++) await turn(1000);
  assert.deepEqual(await platform.jobsBy(now - hour), []);
  const runs = await test?.store.scope('org#shop').range('run-of', { limit: 100 });
  const ended = (runs ?? []).map(({ value }): { block: string; state: string } => JSON.parse(value));
  for (const name of ['nightly', 'later']) assert.equal(ended.find(({ block }) => block === name)?.state, 'done', name);
});
