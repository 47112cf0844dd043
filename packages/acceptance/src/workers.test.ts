/** A platform with several workers is one platform: what one of them has answered holds for the others at once. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { publishedKeys } from './app-token.ts';
import { call } from './call.ts';
import { eventually } from './eventually.ts';
import { mailsTo } from './mails.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  definition,
  foundedOrg,
  grant,
  leaveWith,
  list,
  logIn,
  manage,
  memberWith,
  newEmail,
  type Org,
  signIn,
} from './org.ts';
import { pinnedWorkers, workersBehind } from './pinned-workers.ts';
import { givePlan, operatorKey } from './plans.ts';
import { type Platform, temporaryDirectory } from './platform.ts';
import { platformOf } from './platform-for-tests.ts';
import { deploy, prodFounder, provision } from './promotion.ts';
import { orgOn, userOn } from './two-nodes.ts';
import { putSetting } from './workspaces.ts';

const env = { FREEHOLD_WORKERS: '2', FREEHOLD_OPERATOR_KEY: operatorKey, FREEHOLD_STORE: 'sqlite:' };

async function twoWorkers(t: TestContext, more: Readonly<Record<string, string>> = {}, preloaded?: string) {
  const nodeFlags = preloaded === undefined ? [] : preload(preloaded);
  const platform = await platformOf(t, { env: { ...env, ...more }, nodeFlags });
  const workers = await pinnedWorkers(t, platform);
  const { org, founder } = await foundedOrg(workers.one);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const both = [workers.one, workers.other] as const;
  /** What both workers answer a user, each by a connection of its own. */
  const statuses = (user: AppUser, path = '/list/order') =>
    Promise.all(both.map(async (worker) => (await act(userOn(worker, user), 'GET', path)).status));
  return { platform, ...workers, both, org, founder, statuses };
}

function preload(...files: readonly string[]): readonly string[] {
  return files.flatMap((file) => ['--import', new URL(file, import.meta.url).href]);
}

/** Changes that are made by both workers in turn, so that each is made where it is not seen first. */
const turns = 6;

test('a policy that one worker changes is what the other one decides by, in the next call', async (t) => {
  const { both, founder, statuses } = await twoWorkers(t);
  const member = await memberWith(founder, []);
  for (let turn = 0; turn < turns; turn++) {
    const admin = userOn(both[turn % 2] ?? both[0], founder);
    assert.deepEqual(await statuses(member), [403, 403]);
    await grant(admin, member, [allow('*', '*')]);
    assert.deepEqual(await statuses(member), [200, 200]);
    await leaveWith(admin, member, []);
  }
});

test('a member that one worker removes, and a token that it ends, are unknown to the other one at once', async (t) => {
  const { both, founder, statuses } = await twoWorkers(t);
  for (let turn = 0; turn < turns; turn++) {
    const worker = both[turn % 2] ?? both[0];
    const removed = await memberWith(founder, [allow('*', '*')]);
    const leaving = await memberWith(founder, [allow('*', '*')]);
    for (const user of [removed, leaving]) assert.deepEqual(await statuses(user), [200, 200]);
    await act(userOn(worker, founder), 'DELETE', `/delete/user/${removed.id}`);
    await act(userOn(worker, leaving), 'POST', '/user/logout', { body: { everywhere: true } });
    for (const user of [removed, leaving]) assert.deepEqual(await statuses(user), [401, 401]);
  }
});

test('A34: an account that one worker disables is refused by the other one at once', async (t) => {
  const { both, org, founder, statuses } = await twoWorkers(t);
  const user = await memberWith(founder, [allow('*', '*')]);
  let current = user;
  for (let turn = 0; turn < turns; turn++) {
    const there = orgOn(both[turn % 2] ?? both[0], org);
    const control = (action: string, body: object) =>
      manage(there, 'POST', `/org/app-users/${user.id}/${action}`, { body: { env: 'test', ...body } });
    assert.deepEqual(await statuses(current), [200, 200]);
    assert.equal((await control('disable', { reason: 'abuse' })).status, 204);
    assert.deepEqual(await statuses(current), [403, 403]);
    for (const worker of both) assert.equal((await logIn(orgOn(worker, org), user.email)).status, 403);
    assert.equal((await control('enable', {})).status, 204);
    assert.deepEqual(await statuses(current), [401, 401]);
    current = { ...user, token: (await signIn(there, user.email)).token };
  }
});

test('a workspace that one worker suspends is shut in the other one at once, and open again when it is resumed', async (t) => {
  const { both, org, founder, statuses } = await twoWorkers(t);
  for (let turn = 0; turn < turns; turn++) {
    const there = orgOn(both[turn % 2] ?? both[0], org);
    const control = (action: string, body: object) =>
      manage(there, 'POST', `/org/workspaces/main/${action}`, { body: { env: 'test', ...body } });
    assert.deepEqual(await statuses(founder), [200, 200]);
    assert.equal((await control('suspend', { reason: 'a dispute' })).status, 204);
    assert.deepEqual(await statuses(founder), [403, 403]);
    assert.equal((await control('resume', {})).status, 204);
    assert.deepEqual(await statuses(founder), [200, 200]);
  }
});

test('an entity and a setting that one worker changes are in force in the other one at once', async (t) => {
  const { both, org, founder, statuses } = await twoWorkers(t);
  for (let turn = 0; turn < turns; turn++) {
    const there = orgOn(both[turn % 2] ?? both[0], org);
    const name = `made${turn}`;
    assert.deepEqual(await statuses(founder, `/list/${name}`), [404, 404]);
    await defineEntity(there, definition(name, [{ name: 'title' }]));
    assert.deepEqual(await statuses(founder, `/list/${name}`), [200, 200]);
    const body = { UpdateParams: [{ name: 'title', validate: true, maxlength: turn + 1 }] };
    const changed = await manage(there, 'PUT', '/api/create-order', { body });
    assert.equal(changed.status, 200, changed.text);
    const long = { body: { title: 'x'.repeat(turn + 2) } };
    for (const worker of both)
      assert.equal((await act(userOn(worker, founder), 'POST', '/create/order', long)).status, 400);
    await putSetting(there, 'acl', 'cache_seconds', turn + 1);
    for (const worker of both) {
      const shown = await manage(orgOn(worker, org), 'GET', '/org/settings?env=test');
      assert.match(shown.text, new RegExp(`"cache_seconds","value":${turn + 1}\\b|"cache_seconds":${turn + 1}\\b`));
    }
  }
});

test('a release that one worker activates is what the other one serves at once', async (t) => {
  const { one, other, both, org } = await twoWorkers(t);
  await provision(org);
  await deploy(orgOn(one, org));
  const founder = await prodFounder(org);
  for (let turn = 0; turn < turns; turn++) {
    const there = orgOn(turn % 2 === 0 ? other : one, org);
    await defineEntity(there, definition(`made${turn}`, [{ name: 'title' }]));
    await deploy(there);
    for (const worker of both)
      assert.equal((await act(userOn(worker, founder), 'GET', `/list/made${turn}`)).status, 200);
  }
});

test('a signing key that one worker rotates or revokes is so in the other one at once', async (t) => {
  const { both, one, other, founder, statuses } = await twoWorkers(t);
  const operate = async (worker: { readonly management: string }, method: string, path: string) => {
    const reply = await call<{ readonly kid: string }>(method, worker.management + path, { token: operatorKey });
    assert.ok(reply.status < 300, reply.text);
    return reply.body;
  };
  const kidsOf = async (worker: { readonly app: string }) => (await publishedKeys(worker.app)).map(({ kid }) => kid);
  const [first = ''] = await kidsOf(one);
  const { kid } = await operate(other, 'POST', '/platform/keys/rotate');
  for (const worker of both) assert.deepEqual((await kidsOf(worker)).sort(), [first, kid].sort());
  assert.deepEqual(await statuses(founder, '/user/me'), [200, 200]);
  await operate(one, 'DELETE', `/platform/keys/${first}`);
  for (const worker of both) assert.deepEqual(await kidsOf(worker), [kid]);
  assert.deepEqual(await statuses(founder, '/user/me'), [401, 401]);
});

test('both workers change the signing keys at once, and agree on what came of it', async (t) => {
  const { both, one, other } = await twoWorkers(t);
  const rotate = (worker: { readonly management: string }) =>
    call('POST', `${worker.management}/platform/keys/rotate`, { token: operatorKey });
  const replies = await Promise.all(Array.from({ length: 8 }, (_, index) => rotate(both[index % 2] ?? one)));
  assert.ok(replies.every(({ status }) => status < 300));
  assert.deepEqual(await publishedKeys(one.app), await publishedKeys(other.app));
});

test('a key is not said to be revoked where a worker that serves on could not learn of it', async (t) => {
  const file = join(temporaryDirectory(), 'fail');
  const { both, one } = await twoWorkers(t, { FREEHOLD_TEST_FAIL_FILE: file }, './fail-to-read-secrets.ts');
  const [first] = await publishedKeys(one.app);
  writeFileSync(file, '');
  for (const { management } of both) {
    const reply = await call('DELETE', `${management}/platform/keys/${first?.kid}`, { token: operatorKey });
    assert.equal(reply.status, 500, reply.text);
  }
});

test('failed sign-ins count together: both workers admit no more of them than one would', async (t) => {
  const { both, org, founder } = await twoWorkers(t);
  const guesses = Array.from({ length: 16 }, (_, index) =>
    logIn(orgOn(both[index % 2] ?? both[0], org), founder.email, 'a wrong password'),
  );
  const statuses = (await Promise.all(guesses)).map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array(10).fill(401), ...Array(6).fill(429)]);
});

test('the calls of a caller count together against FREEHOLD_RATE_LIMIT_PRINCIPAL', async (t) => {
  const { both, founder } = await twoWorkers(t, { FREEHOLD_RATE_LIMIT_PRINCIPAL: '20/3600' });
  const calls = Array.from({ length: 40 }, (_, index) =>
    act(userOn(both[index % 2] ?? both[0], founder), 'GET', '/user/me'),
  );
  const admitted = (await Promise.all(calls)).filter(({ status }) => status === 200).length;
  assert.ok(admitted > 0 && admitted <= 20, `${admitted} calls were admitted`);
});

test('a plan that the operator gives holds in both workers at once', async (t) => {
  const { both, org, founder } = await twoWorkers(t);
  for (const worker of both) await create(userOn(worker, founder), 'order', { title: 'a' });
  await givePlan(orgOn(both[1], org), { records: 0 });
  for (const worker of both)
    assert.equal((await act(userOn(worker, founder), 'POST', '/create/order', { body: { title: 'b' } })).status, 429);
});

test('the denials and the mails of one worker are shown by the other one', async (t) => {
  const { both, one, other, org, founder } = await twoWorkers(t);
  const member = await memberWith(founder, []);
  for (const [worker, asked] of [
    [one, other],
    [other, one],
  ] as const) {
    const denied = await act<{ readonly decision_id: string }>(userOn(worker, member), 'GET', '/list/order');
    assert.equal(denied.status, 403);
    const path = `/acl/decisions/${denied.body.decision_id}`;
    const shown = await manage(orgOn(asked, org), 'GET', path);
    assert.equal(shown.status, 200, shown.text);
  }
  const email = newEmail('invited');
  const invited = await manage(orgOn(one, org), 'POST', '/org/users', { body: { email, role: 'developer' } });
  assert.ok(invited.status < 300, invited.text);
  for (const worker of both) assert.equal((await mailsTo(worker, email)).length, 1);
});

test('the metrics that either worker shows count the calls of both', async (t) => {
  const { both, founder } = await twoWorkers(t);
  for (let turn = 0; turn < 5; turn++)
    for (const worker of both) await act(userOn(worker, founder), 'GET', '/list/order');
  for (const worker of both) {
    const { text } = await call('GET', `${worker.management}/metrics`, { token: operatorKey });
    const line = /^freehold_call_seconds_count\{.*route="\/app\/:org\/list\/:entity".*status="2xx"\} (\d+)$/m.exec(
      text,
    );
    assert.equal(Number(line?.[1]), 10, text.slice(0, 2000));
    assert.match(text, /^process_cpu_seconds_total \d/m);
  }
});

async function writeUntil(isOver: () => boolean, user: AppUser): Promise<readonly string[]> {
  const titles: string[] = [];
  for (let turn = 0; !isOver(); turn++) {
    const title = `${user.id}-${turn}-${Math.random()}`;
    // A connection that is cut says nothing about the write.
    const reply = await act(user, 'POST', '/create/order', { body: { title } }).catch(() => undefined);
    if (reply?.status === 201) titles.push(title);
  }
  return titles;
}

test('a worker that fails under load is replaced, and nothing is lost that was answered', async (t) => {
  const file = join(temporaryDirectory(), 'fail');
  const platform: Platform = await platformOf(t, {
    env: { ...env, FREEHOLD_TEST_FAIL_FILE: file },
    nodeFlags: preload('./fail-on-demand.ts'),
  });
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const before = await workersBehind(platform.app);
  let isOver = false;
  const writing = Array.from({ length: 8 }, () => writeUntil(() => isOver, founder));
  for (let failures = 1; failures <= 2; failures++) {
    writeFileSync(file, '');
    await eventually('another worker', () => platform.stderr().split('a worker was replaced').length > failures);
  }
  isOver = true;
  const answered = (await Promise.all(writing)).flat();
  assert.ok(answered.length > 0);
  const stored = await titlesOf(org, founder);
  assert.deepEqual(
    answered.filter((title) => !stored.has(title)),
    [],
  );
  assert.equal(new Set([...before, ...(await workersBehind(platform.app))]).size, 3, 'one worker went on, one is new');
  assert.match(platform.stderr(), /a planted failure of a worker/);
  const { code } = await platform.terminate();
  assert.equal(code, 0);
});

test('a worker that fails while others start is replaced', async (t) => {
  const file = join(temporaryDirectory(), 'fail');
  const platform = await platformOf(t, {
    env: { ...env, FREEHOLD_TEST_FAIL_FILE: file, FREEHOLD_TEST_FAIL_WORKER: 'worker 1' },
    nodeFlags: preload('./fail-on-demand.ts', './fail-during-start.ts'),
  });
  await eventually('another worker', () => platform.stderr().includes('a worker was replaced'));
  assert.equal(new Set(await workersBehind(platform.app)).size, 2);
});

test('a worker that is long in starting keeps no question about all workers waiting, and is not ended for it', async (t) => {
  const [file, held] = [join(temporaryDirectory(), 'fail'), join(temporaryDirectory(), 'held')];
  const platform = await platformOf(t, {
    env: { ...env, FREEHOLD_TEST_FAIL_FILE: file, FREEHOLD_TEST_HOLD_START: held },
    nodeFlags: preload('./fail-on-demand.ts', './hold-start.ts'),
  });
  writeFileSync(held, '');
  writeFileSync(file, '');
  const started = async () => {
    const { text } = await call('GET', `${platform.management}/platform/health`, { token: operatorKey });
    return /"name":"worker 2","state":"starting"/.test(text);
  };
  // A connection of the worker that fails is cut.
  await eventually('a worker that starts', () => started().catch(() => false));
  const { text } = await call('GET', `${platform.management}/metrics`, { token: operatorKey });
  assert.match(text, /^freehold_call_seconds_count/m);
  assert.ok(await started());
  assert.equal(platform.stderr().split('a worker has failed').length, 2, platform.stderr());
  rmSync(held);
  await eventually('another worker', () => platform.stderr().includes('a worker was replaced'));
  assert.equal(new Set(await workersBehind(platform.app)).size, 2);
});

test('workers outlive a stop of the process that is longer than they wait for the main thread', async (t) => {
  const platform = await platformOf(t, { env: { ...env, FREEHOLD_CONNECTIONS_PER_ADDRESS: '64' } });
  let isOver = false;
  let answered = 0;
  const connecting = Array.from({ length: 6 }, async () => {
    for (; !isOver; answered++) await call('GET', `${platform.app}/healthz`, { headers: { connection: 'close' } });
  });
  await eventually('twenty answers', () => answered >= 20);
  platform.child.kill('SIGSTOP');
  // wall time: longer than the ten seconds for which a worker waits; a longer stop is as good.
  await new Promise((resolve) => setTimeout(resolve, 11_000));
  platform.child.kill('SIGCONT');
  await call('GET', `${platform.app}/healthz`);
  isOver = true;
  await Promise.all(connecting);
  assert.doesNotMatch(platform.stderr(), /a worker has failed/);
});

async function titlesOf({ code }: Org, user: AppUser): Promise<ReadonlySet<unknown>> {
  const titles = new Set<unknown>();
  assert.equal(user.org.code, code);
  for (let next = ''; ; ) {
    const page = await list(user, 'order', `?pagesize=200${next}`);
    for (const { title } of page.items) titles.add(title);
    if (page.nexttoken === null || page.nexttoken === undefined) return titles;
    next = `&nexttoken=${encodeURIComponent(page.nexttoken)}`;
  }
}

test('the decisions of all workers are found by a replay and a suggestion, whichever worker is asked', async (t) => {
  const { one, other, both, org, founder } = await twoWorkers(t);
  const member = await memberWith(founder, [allow(['countorder', 'listorder'])]);
  const draft = { name: 'nothing', statements: [{ Effect: 'Deny', Action: ['*'], Resource: ['*'] }] };
  const body = { tenant_code: member.tenantCode, draft, principals: [member.id] };
  let made = 0;
  for (const asked of [one, other, one]) {
    for (const worker of both) {
      for (let calls = 0; calls < 5; calls++) await act(userOn(worker, member), 'GET', '/count/order');
      made += 5;
    }
    const of = orgOn(asked, org);
    const replayed = await manage<{ newly_denied: { stands_for: number } }>(of, 'POST', '/acl/replay', { body });
    assert.equal(replayed.status, 200, replayed.text);
    assert.equal(replayed.body.newly_denied.stands_for, made);
    const path = `/acl/suggest?tenant_code=${member.tenantCode}&user_id=${member.id}`;
    const suggested = await manage<{ stands_for: number }>(of, 'GET', path);
    assert.equal(suggested.body.stands_for, made, suggested.text);
  }
});
