/** An error that a caller was answered with is found by its request id, with what an operator needs and nothing that was sent. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import { call, type Reply } from './call.ts';
import { documentedManagement } from './documented-gateway.ts';
import { eventually } from './eventually.ts';
import { assertNow } from './moments.ts';
import { assertForOperatorAlone, operate, shown } from './operator.ts';
import { appUrl, foundedOrg, type Org, random } from './org.ts';
import { givePlan, operatorKey, withOperator } from './plans.ts';
import { type Platform, temporaryDirectory, whyNoDataDir } from './platform.ts';
import { platformOf, platformOfFile } from './platform-for-tests.ts';

interface PlatformError {
  readonly at: string;
  readonly times: number;
  readonly first_at: string;
  readonly kind: string;
  readonly request_id: string | null;
  readonly route: string | null;
  readonly fault: { name: string; code: string | null; message: string | null; place: string | null } | null;
  readonly [member: string]: unknown;
}

interface Page {
  readonly since: string;
  readonly dropped: number;
  readonly items: readonly PlatformError[];
  readonly nexttoken: string | null;
}

const canary = `canary-${random()}`;
const embedded = { FREEHOLD_STORE: 'sqlite:', ...withOperator.env };

/** A platform that cannot read the plan of its org: the row holds what is no JSON. */
async function damagedPlatform(t: TestContext): Promise<{ readonly platform: Platform; readonly org: Org }> {
  const dataDir = temporaryDirectory();
  const before = await platformOf(t, { dataDir, env: embedded });
  const { org } = await foundedOrg(before);
  await givePlan(org, { records: 10 });
  await before.terminate();
  using database = new DatabaseSync(join(dataDir, 'platform.db'));
  const { changes } = database
    .prepare("update items set value = ? where pk = 'plan' and sk = ?")
    .run(`{"name": "${canary}@example.com", ${canary}`, org.code);
  assert.equal(changes, 1);
  database.close();
  const platform = await platformOf(t, { dataDir, env: embedded });
  return { platform, org: { ...org, app: platform.app, management: platform.management } };
}

function failingCall(org: Org): Promise<Reply<unknown>> {
  const headers = { 'user-agent': canary, 'x-request-id': canary };
  return operate(org, `/orgs/${org.code}/plan`, { headers });
}

async function foundBy(org: Org, { headers }: Reply<unknown>): Promise<readonly PlatformError[]> {
  return (await shown<Page>(org, `/errors?request_id=${headers.get('x-request-id')}`)).items;
}

test('a request that failed is found by its id, with its route, its problem and the place in the code', {
  skip: whyNoDataDir,
}, async (t) => {
  const { platform, org } = await damagedPlatform(t);
  const failed = await failingCall(org);
  const { request_id } = assertProblem(failed, 'internal_error');
  const [error, ...others] = await foundBy(org, failed);
  assert.deepEqual(others, []);
  const { at, first_at, fault, ...rest } = error ?? assert.fail();
  assert.deepEqual(rest, {
    ...{ kind: 'request', request_id, gateway: 'management', method: 'GET', route: '/platform/orgs/:org/plan' },
    ...{ status: 500, problem: 'internal_error', org: null, env: null, job: null, times: 1 },
  });
  assert.equal(first_at, at);
  assertNow(at);
  assert.deepEqual([fault?.name, fault?.code], ['DamagedRow', null]);
  assert.match(fault?.message ?? '', /^a stored plan of scope platform is no JSON$/);
  assert.match(fault?.place ?? '', /^store\/table\.ts:\d+$/);
  const { text } = await operate(org, '/errors?pagesize=100');
  assert.ok(!text.includes(canary) && !text.includes('example.com'), text);
  assert.ok(platform.stderr().includes(String(request_id)), 'the log has the same id');
});

test('an error of a caller of an org tells the org and the environment, and one in the background is there too', {
  skip: whyNoDataDir,
}, async (t) => {
  const { org } = await damagedPlatform(t);
  const login = await call<{ token: string }>('POST', appUrl(org, '/login'), {
    headers: { client_id: org.clientId },
    body: { email: `${canary}@example.com`, password: canary },
  });
  const oauthtoken = login.body.token;
  await call('GET', appUrl(org, '/token'), { headers: { client_id: org.clientId, oauthtoken } });
  const failed = await call('GET', `${org.management}/observability`, { token: org.builder.token });
  assertProblem(failed, 'internal_error');
  const [error] = await foundBy(org, failed);
  assert.deepEqual(
    [error?.org, error?.env, error?.route, error?.gateway],
    [org.code, null, '/observability', 'management'],
  );
  // What the org has used is followed within seconds of a call.
  const background = await eventually('the error in the background', async () =>
    (await shown<Page>(org, '/errors')).items.find(({ kind }) => kind === 'background'),
  );
  assert.deepEqual([background.request_id, background.route, background.fault?.name], [null, null, 'DamagedRow']);
  assert.deepEqual([background.job, background.times], ['usage', 1]);
  assert.equal(background.first_at, background.at);
});

test('errors come page by page, the latest first, and a call that succeeds or is refused is none', {
  skip: whyNoDataDir,
}, async (t) => {
  const { org } = await damagedPlatform(t);
  const ids: (string | null)[] = [];
  for (let count = 0; count < 5; count++) ids.unshift((await failingCall(org)).headers.get('x-request-id'));
  for (const other of [await operate(org, '/keys'), await operate(org, '/orgs/absent/plan')])
    assert.deepEqual(await foundBy(org, other), []);
  const found: (string | null)[] = [];
  for (let next = ''; ; ) {
    const page = await shown<Page>(org, `/errors?pagesize=2${next}`);
    assert.ok(page.items.length <= 2);
    found.push(...page.items.filter(({ kind }) => kind === 'request').map(({ request_id }) => request_id));
    if (page.nexttoken === null) break;
    next = `&nexttoken=${page.nexttoken}`;
  }
  assert.deepEqual(found, ids);
});

const gateways = await platformOfFile(withOperator);

test('errors are for the operator alone, and nonsense in a call for them is refused', async () => {
  const founded = await foundedOrg(gateways);
  for (const path of ['/errors', '/errors?request_id=a&pagesize=100']) await assertForOperatorAlone(path, founded);
  for (const query of [
    'pagesize=0',
    'pagesize=101',
    'pagesize=x',
    'request_id=',
    `request_id=${'a'.repeat(129)}`,
    'org=a',
  ])
    assertProblem(await operate(gateways, `/errors?${query}`), 'invalid_request');
  for (const token of ['x', '1-1', '', '%00', 'a'.repeat(8000), '-', '1-', `${Date.now()}-1`])
    assertRefusal(await operate(gateways, `/errors?nexttoken=${token}`), [400]);
  assertRefusal(await operate(gateways, '/errors?request_id=%00'), [400]);
  for (const id of ['..%2F', '__proto__', '%F0%9F%94%91'])
    assert.deepEqual((await shown<Page>(gateways, `/errors?request_id=${id}`)).items, []);
  const management = await documentedManagement(founded.org);
  const { body } = await management.send<Page>('listErrors', { token: operatorKey, query: { pagesize: '100' } });
  assert.ok(Date.parse(body.since) <= Date.now());
});
