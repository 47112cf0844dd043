import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { call } from './call.ts';
import { builderOf, demo, demoIsShown, linesOf } from './demo-platform.ts';
import { netMilliseconds } from './eventually.ts';
import { startPlatform, temporaryDirectory } from './platform.ts';

/** A first start in development, as a newcomer makes it: an empty data directory and nothing else set. */
const platform = await startPlatform({ env: demo });
test.after(() => platform.kill());
const output = () => `${platform.stdout()}\n${platform.stderr()}`;
await demoIsShown(platform);

async function paste(line: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-c', line], { timeout: netMilliseconds });
  return stdout;
}

test('a first start prints both addresses, the org code and the client id', () => {
  for (const address of [platform.app, platform.management]) assert.ok(output().includes(address), address);
  assert.match(output(), /org/i);
  assert.match(output(), /test_[\w-]+/);
});

test('of the two printed `curl` lines one lists records, and the other is denied with its reason', async () => {
  const [token, ...others] = linesOf(platform, 'TOKEN=');
  assert.ok(token !== undefined && others.length === 0, output());
  const lines = linesOf(platform, 'curl ');
  assert.equal(lines.length, 2, output());
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
  assert.deepEqual(await builder.recordsOnceComplete(), {
    comment: 830,
    customer: 90,
    tag: 20,
    ticket: 802,
    time: 258,
  });
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

test('the demo has events, logic blocks, a schedule, a hook and a secret, and each was used once', async () => {
  const { itemsOf, itemsOnce } = await builderOf(platform, platform.dataDir);
  const deliveries = await itemsOnce('/events/deliveries?state=delivered', 3);
  assert.deepEqual(deliveries.map(({ event }) => event).sort(), ['new-ticket', 'new-ticket', 'ticket-closed']);
  const runs = await itemsOnce('/runs?state=done', 4);
  assert.deepEqual(runs.map(({ block }) => block).sort(), [
    'alarm',
    'morning-report',
    'receive-ticket',
    'receive-ticket',
  ]);
  assert.deepEqual(await itemsOf('/runs?state=failed'), []);
  const mails = await itemsOnce('/inbox?to=desk@helpdesk.example', 2);
  assert.match(mails.map(({ subject }) => subject).join(), /Ticket \d+ is closed/);
  assert.match(mails.map(({ subject }) => subject).join(), /\d+ tickets are open in lumen/);
  const [schedule] = await itemsOf('/schedules');
  assert.deepEqual([schedule?.name, schedule?.workspaces], ['morning-report', 'all']);
  const [hook] = await itemsOf('/hooks');
  assert.deepEqual([hook?.name, hook?.ready], ['alarm', true]);
  const [secret] = await itemsOf('/secrets?references=true');
  assert.equal(secret?.name, 'monitoring');
  assert.deepEqual(await itemsOf('/runs?env=prod'), []);
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
  const { comment, ticket } = await builder.recordsOnceComplete();
  assert.deepEqual([comment, ticket], [830, 802]);
  assert.ok((await builder.itemsOf('/acl/decisions')).length > 10);
  await again.kill();
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
