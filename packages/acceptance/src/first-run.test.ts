import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { call } from './call.ts';
import { type Gateways, type Platform, startPlatform, temporaryDirectory } from './platform.ts';

/** There is a demo on the embedded store alone, whatever store the other tests run on. */
const demo = { FREEHOLD_DEMO: 'on', FREEHOLD_STORE: 'sqlite:' };

/** A first start in development, as a newcomer makes it: an empty data directory and nothing else set. */
const platform = await startPlatform({ env: demo });
test.after(() => platform.kill());
const said = () => `${platform.stdout()}\n${platform.stderr()}`;
await demoIsShown(platform);

/** A line as it is marked and copied from the terminal. */
function linesOf(shown: Platform, start: string): readonly string[] {
  const lines = shown.stdout().split('\n');
  return lines.map((line) => line.trim()).filter((line) => line.startsWith(start));
}

async function paste(line: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-c', line], { timeout: 60_000 });
  return stdout;
}

test('a first start prints both addresses, the org code and the client id', () => {
  for (const address of [platform.app, platform.management]) assert.ok(said().includes(address), address);
  assert.match(said(), /org/i);
  assert.match(said(), /test_[\w-]+/);
});

test('of the two printed `curl` lines one lists records, and the other is denied with its reason', async () => {
  const [token, ...others] = linesOf(platform, 'TOKEN=');
  assert.ok(token !== undefined && others.length === 0, said());
  const lines = linesOf(platform, 'curl ');
  assert.equal(lines.length, 2, said());
  assert.ok(
    lines.every((line) => line.length < 130),
    lines.join('\n'),
  );
  const [first = '', second = ''] = await Promise.all(lines.map((line) => paste(`${token}\n${line}`)));
  const [allowed, denied] = first.includes('access_denied') ? [second, first] : [first, second];
  const page = JSON.parse(allowed.slice(allowed.indexOf('{')).trim()) as { items: readonly unknown[] };
  assert.ok(page.items.length > 0, allowed);
  const problem = JSON.parse(denied.slice(denied.indexOf('{')).trim()) as Record<string, unknown>;
  assert.deepEqual([problem.status, problem.code], [403, 'access_denied']);
  assert.match(String(problem.reason), /^(?:implicit|explicit)_deny$/);
});

test('the demo has 2,000 records in two workspaces, a release, a change since, and denials in each workspace', async () => {
  const builder = await builderOf(platform, platform.dataDir);
  assert.deepEqual(await builder.recordsByEntity(), { comment: 830, customer: 90, tag: 20, ticket: 800, time: 260 });
  const releases = await builder.itemsOf('/deploy/history');
  assert.deepEqual(
    releases.map(({ version, live }) => [version, live]),
    [[1, true]],
  );
  const differing = await builder.itemsOf('/deploy/diff');
  assert.deepEqual(
    differing.map(({ name, change }) => [name, change]),
    [['ticket', 'modified']],
  );
  for (const code of ['lumen', 'harbour']) {
    const denials = (await builder.itemsOf('/acl/decisions')).filter(({ tenant_code }) => tenant_code === code);
    assert.deepEqual([...new Set(denials.map(({ decision }) => decision))].sort(), ['explicit_deny', 'implicit_deny']);
    assert.equal(new Set(denials.map(({ user_id }) => user_id)).size, 3);
  }
  const [refused] = await builder.itemsOf('/audit?action=deploy.rollback_refused');
  assert.deepEqual(refused?.detail, {
    code: 'no_previous_version',
    reason: 'there is no earlier activation to go back to',
  });
});

test('a second start on the same data makes no second demo, and has denials to look at too', async () => {
  const dataDir = platform.dataDir;
  await platform.terminate();
  const tokenFile = join(dataDir, 'demo.jwt');
  chmodSync(tokenFile, 0o644);
  const again = await startPlatform({ dataDir, env: demo });
  await demoIsShown(again);
  assert.equal(statSync(tokenFile).mode & 0o777, 0o600);
  assert.doesNotMatch(again.stdout() + again.stderr(), /internal_error|"level":"(?:warn|error)"|"level":[45]0/);
  const builder = await builderOf(again, dataDir);
  const { comment, ticket } = await builder.recordsByEntity();
  assert.deepEqual([comment, ticket], [830, 800]);
  assert.ok((await builder.itemsOf('/acl/decisions')).length > 10);
  await again.kill();
});

test('a demo whose making is ended or killed, at whatever step, is completed by the next start', async (t) => {
  const dataDir = temporaryDirectory();
  for (const commits of [0, 2, 20, 40, 60]) {
    const started = await startPlatform({ dataDir, env: demo });
    t.after(() => started.kill());
    while (!isShown(started) && (await commitsOf(started)) < commits);
    const ended = await (commits === 0 ? started.terminate() : started.kill());
    assert.equal(ended.code, commits === 0 ? 0 : null, started.stderr());
    assert.doesNotMatch(started.stderr(), /the demo could not be made/);
  }
  const last = await startPlatform({ dataDir, env: demo });
  t.after(() => last.kill());
  await demoIsShown(last);
  const builder = await builderOf(last, dataDir);
  assert.deepEqual(await builder.recordsByEntity(), { comment: 830, customer: 90, tag: 20, ticket: 800, time: 260 });
  assert.equal((await builder.itemsOf('/deploy/history')).length, 1);
});

test('a start on the data of a demo of an earlier version makes nothing, and says nothing of it', async (t) => {
  const dataDir = temporaryDirectory();
  const first = await startPlatform({ dataDir, env: { ...demo, FREEHOLD_DEMO: 'off' } });
  const body = {
    email: 'b@demo.example',
    password: 'correct horse battery',
    name: 'B',
    org_name: 'Demo',
    org_code: 'demo',
  };
  assert.equal((await call('POST', `${first.management}/auth/signup`, { body })).status, 201);
  await first.terminate();
  const { email, password } = body;
  writeFileSync(
    join(dataDir, 'demo.json'),
    JSON.stringify({ org: 'demo', client_id: 'test_1', builder: { email, password } }),
  );
  const again = await startPlatform({ dataDir, env: demo });
  t.after(() => again.kill());
  await again.terminate();
  assert.match(again.stdout(), /^ready \S+ \S+\n$/);
  assert.doesNotMatch(again.stderr(), /demo/);
});

type Item = Readonly<Record<string, unknown>>;

/** The builder whose password lies in the data directory. */
async function builderOf({ management }: Gateways, dataDir: string) {
  const { builder } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as { readonly builder: object };
  const login = await call<{ readonly token: string }>('POST', `${management}/auth/login`, { body: builder });
  assert.equal(login.status, 200);
  const itemsOf = async (path: string) => {
    const { body } = await call<{ readonly items: readonly Item[] }>('GET', `${management}${path}`, {
      token: login.body.token,
    });
    return body.items;
  };
  const recordsByEntity = async (): Promise<Readonly<Record<string, number>>> =>
    Object.fromEntries((await itemsOf('/api/entities')).map(({ name, records }) => [name, Number(records)]));
  return { itemsOf, recordsByEntity };
}

/** How many commits to the test environment the process has made. */
async function commitsOf({ management }: Gateways): Promise<number> {
  const { text } = await call('GET', `${management}/metrics`);
  return Number(/^freehold_store_seconds_count\{space="test",call="commit"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

function isShown(shown: Platform): boolean {
  return linesOf(shown, 'curl ').length >= 2;
}

/** The demo is shown after the platform is ready: it is made through its own API. */
async function demoIsShown(shown: Platform): Promise<void> {
  const patience = AbortSignal.timeout(60_000);
  while (!isShown(shown) && shown.child.stdout !== null) {
    await once(shown.child.stdout, 'data', { signal: patience });
  }
}
