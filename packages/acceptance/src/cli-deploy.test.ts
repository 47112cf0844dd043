/** From test to production and back by `freehold deploy` and `freehold rollback`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { CliProject, fakePlatform, sessionOf } from './cli-run.ts';
import { newKey } from './deploy.ts';
import {
  act,
  create,
  defineEntity,
  definition,
  joinOrg,
  list,
  manage,
  newEmail,
  type Org,
  signIn,
  signUp,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { diff, prodFounder, provisionedOrg } from './promotion.ts';

const gateways = await platformForTests();

interface Deployed {
  readonly activated: boolean;
  readonly version?: number;
  readonly published: readonly { readonly kind: string; readonly name: string }[];
  readonly checks: readonly { readonly level: string; readonly check: string }[];
}

interface Release {
  readonly version: number;
  readonly note?: string;
  readonly actor: { readonly kind: string };
}

async function releases(org: Org): Promise<readonly Release[]> {
  return (await manage<{ readonly items: readonly Release[] }>(org, 'GET', '/deploy/history')).body.items;
}

const project = new CliProject();
const note = (fields: readonly string[]) =>
  definition(
    'note',
    fields.map((name) => ({ name })),
  );

test('an org admin makes production, sees the change in sentences, and deploys it with a note', async () => {
  const org = await signUp(gateways);
  await defineEntity(org, note(['title']));
  const env = sessionOf(org);
  const none = await project.ends(2, ['deploy', '--yes'], { env });
  assert.match(none.stderr, /not provisioned.*\n→ an org admin makes it with `freehold deploy --provision`/);
  const dry = await project.ends(0, ['deploy', '--provision', '--dry-run', '--yes'], { env });
  assert.match(
    dry.stdout,
    new RegExp(`^${org.code} at \\S+, production: 1 added, 0 changed, 0 removed\n\\+ entity note\n`),
  );
  await project.ends(1, ['diff', '--prod'], { env });
  const result = await project.ends(3, ['deploy'], { env });
  assert.match(result.stderr, /Make 1 items? live in production of/);
  assert.deepEqual(await releases(org), []);
  const made = await project.json<Deployed>(['deploy', '--yes', '--note', 'the first'], { env });
  assert.deepEqual([made.activated, made.version], [true, 1]);
  assert.equal((await releases(org))[0]?.note, 'the first');
  await project.ends(0, ['diff', '--prod'], { env });
  assert.deepEqual((await project.json<Deployed>(['deploy', '--yes'], { env })).activated, false);
});

test('the first admin of production is named with it, changed until that user has come, and shown in the review', async () => {
  const org = await signUp(gateways);
  await defineEntity(org, note(['title']));
  const env = sessionOf(org);
  const awaited = async () => {
    const reply = await manage<{ environments: { prod: { awaited_founder?: object } | null } }>(org, 'GET', '/org');
    return reply.body.environments.prod?.awaited_founder;
  };
  await project.ends(2, ['deploy', '--founder', 'ann@example.com', '--yes'], { env });
  const result = await project.ends(3, ['deploy', '--provision'], { env });
  assert.match(result.stderr, new RegExp(`whose first admin is ${org.builder.email}\\?`));
  assert.equal(await awaited(), undefined);
  await project.ends(0, ['deploy', '--provision', '--dry-run', '--yes'], { env });
  assert.deepEqual(await awaited(), { email: org.builder.email });
  const named = ['deploy', '--provision', '--founder', 'ann@example.com'];
  const changed = await project.ends(0, [...named, '--publish-only', '--yes'], { env });
  assert.deepEqual(await awaited(), { email: 'ann@example.com' });
  assert.match(changed.output, /ann@example.com becomes the first admin of the production of/);
  assert.match(
    changed.stdout,
    /info \(founder\): `ann@example.com` becomes the first admin of production, by a sign-in/,
  );
  const refused = await project.ends(2, ['deploy', '--provision', '--founder', 'ann', '--yes'], { env });
  assert.match(refused.stderr, /founder_email/);
});

test('a pipeline publishes with one key and activates with another; neither key does the work of the other', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, note(['title']));
  const publisher = sessionOf(org, (await newKey(org, 'publish')).key);
  const activator = sessionOf(org, (await newKey(org, 'activate')).key);
  const refused = await project.ends(2, ['deploy', '--yes', '--publish-only'], { env: activator });
  assert.match(refused.stderr, /role_required, request \S+\)\n→ ask an org admin, or sign in with a key/);
  const staged = await project.json<Deployed>(['deploy', '--publish-only'], { env: publisher });
  assert.deepEqual([staged.activated, staged.published], [false, [{ kind: 'entity', name: 'note' }]]);
  await project.ends(2, ['deploy', '--activate-only', '--yes'], { env: publisher });
  assert.deepEqual(await releases(org), []);
  const live = await project.json<Deployed>(['deploy', '--activate-only', '--yes'], { env: activator });
  assert.deepEqual([live.activated, live.version], [true, 1]);
  assert.equal((await releases(org))[0]?.actor.kind, 'deploy_key');
});

test('Q06: what takes something out of production, and each way back, wants the name of the org', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, note(['title', 'body']));
  const env = sessionOf(org);
  await project.ends(0, ['deploy', '--yes'], { env });
  const changed = await manage(org, 'PUT', '/api/create-note', { body: { removeFields: ['body'] } });
  assert.equal(changed.status, 200, changed.text);
  const heading = `${org.code} at ${org.management}, production: 0 added, 1 changed, 0 removed\n~ entity note\n    ! field \`body\``;
  for (const yes of [[], ['--yes'], ['--yes=other']]) {
    const { stderr } = await project.ends(3, ['deploy', ...yes], { env });
    assert.ok(stderr.includes(heading), stderr);
  }
  assert.equal((await releases(org)).length, 1);
  await project.ends(0, ['deploy', `--yes=${org.code}`], { env });
  const dry = await project.ends(0, ['rollback', '--dry-run'], { env });
  assert.match(
    dry.stdout,
    /production, from release 2 to what release 1 made live: 0 added, 1 changed, 0 removed\n~ entity note\n/,
  );
  for (const yes of [[], ['--yes'], ['--yes=other']]) await project.ends(3, ['rollback', ...yes], { env });
  assert.equal((await releases(org)).length, 2);
  await project.ends(0, ['rollback', `--yes=${org.code}`, '--note', 'too early'], { env });
  assert.deepEqual([(await releases(org))[0]?.version, (await releases(org))[0]?.note], [3, 'too early']);
  assert.match((await project.ends(2, ['rollback', `--yes=${org.code}`], { env })).stderr, /no earlier release/);
  await project.ends(0, ['rollback', '--to', '2', `--yes=${org.code}`], { env });
  assert.match((await project.ends(2, ['rollback', '--to', 'x'], { env })).stderr, /is no number of a release/);
});

/** A key of test that may do everything there, in an org whose production is one release behind. */
async function keyOfTest() {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, note(['title']));
  await project.ends(0, ['deploy', '--yes'], { env: sessionOf(org) });
  const inTest = await signIn(org, newEmail('founder'));
  const inProd = await prodFounder(org);
  await defineEntity(org, definition('draft', [{ name: 'title' }]));
  const body = { env: 'test', tenant_code: inTest.tenantCode, name: 'reader', policies: ['adminacl'] };
  const made = await manage<{ readonly key: string }>(org, 'POST', '/org/service-keys', { body });
  assert.equal(made.status, 201, made.text);
  return { org, inTest, inProd, key: made.body.key };
}

test('Q06: a key that is bound to test reaches production by no command, and the command calls nothing', async () => {
  const { org, key } = await keyOfTest();
  const fake = await fakePlatform(() => ({ body: { items: [] } }));
  const folder = new CliProject();
  await folder.ends(0, ['init', '--url', fake.url, '--org', org.code]);
  folder.write(
    'policies/a.cases.yaml',
    'cases: [{ name: a, env: prod, user: a@example.com, method: GET, path: /list/note, expect: allow }]\n',
  );
  folder.write('note.jsonl', '{"title":"a"}\n');
  folder.write('seeds/note.jsonl', '{"title":"a"}\n');
  const reaching = [
    ['pull', '--prod', '--yes'],
    ['diff', '--prod'],
    ...[[], ['--dry-run'], ['--publish-only'], ['--activate-only'], ['--withdraw'], ['--provision'], ['--force']].map(
      (more) => ['deploy', ...more, `--yes=${org.code}`],
    ),
    ['rollback', `--yes=${org.code}`],
    ['rollback', '--to', '1', '--dry-run'],
    ['types', '--env', 'prod'],
    ['types', '--env', 'prod', '--watch'],
    ['denials', '--env', 'prod'],
    ['logs', '--env', 'prod', '-f'],
    ['policy', 'test'],
    ['entity', 'list', '--env', 'prod'],
    ['entity', 'show', 'note', '--env', 'prod'],
    ['records', 'list', 'note', '--env', 'prod'],
    ['records', 'export', 'note', '--env', 'prod'],
    ['records', 'import', 'note', 'note.jsonl', '--env', 'prod'],
  ];
  const env = { FREEHOLD_TOKEN: key, FREEHOLD_APP_URL: fake.url };
  for (const words of reaching) {
    const { output } = await folder.ends(2, words, { env });
    assert.match(
      output,
      /this key is one of test, and cannot reach prod \(wrong_target\)\n→ sign in by `freehold login`, or with a key that reaches prod\n/,
      words.join(' '),
    );
    assert.ok(!output.includes(key));
  }
  const other = { ...env, FREEHOLD_TOKEN: key.replace('fhk_test_', 'fhk_prod_') };
  for (const words of [['pull'], ['diff'], ['push', '--yes'], ['types'], ['logs'], ['entity', 'list'], ['seed']])
    assert.match((await folder.ends(2, words, { env: other })).stderr, /one of prod, and cannot reach test/);
  assert.deepEqual(fake.requests, []);
});

test('Q06: the platform refuses a key of test where production is read or changed, and nothing is written there', async () => {
  const { org, inTest, inProd, key } = await keyOfTest();
  const before = await releases(org);
  const calls: readonly (readonly [string, string, object?])[] = [
    ['GET', '/deploy/diff'],
    ['GET', '/deploy/export?env=prod'],
    ['GET', '/deploy/staged'],
    ['GET', '/deploy/history'],
    ['POST', '/user/provision-prod'],
    ['POST', '/deploy/publish', { all: true }],
    ['POST', '/deploy/activate', {}],
    ['POST', '/deploy/rollback', {}],
    ['DELETE', '/deploy/staged'],
    ['DELETE', '/deploy/retired/note'],
    ['PUT', '/secrets/billing?env=prod', { value: 'x', hosts: [] }],
    ['POST', '/org/impersonate', { env: 'prod', tenant_code: inProd.tenantCode, user_id: inProd.id }],
    ['POST', '/org/service-keys', { env: 'prod', tenant_code: inProd.tenantCode, name: 'more' }],
  ];
  for (const [method, path, body] of calls)
    assertProblem(
      await manage(org, method, path, { token: key, ...(body === undefined ? {} : { body }) }),
      'token_invalid',
    );
  assert.deepEqual(await releases(org), before);
  assert.deepEqual(
    (await diff(org)).map(({ name, staged }) => [name, staged]),
    [['draft', false]],
  );
  // The key says where it works, and no header or parameter of the call does.
  const aimed = { token: key, headers: { client_id: inProd.org.clientId }, body: { title: 'a' } };
  const made = await act(inProd, 'POST', '/create/note', aimed);
  assert.equal(made.status, 201, made.text);
  const stored = [await list(inTest, 'note'), await list(inProd, 'note')];
  assert.deepEqual(
    stored.map(({ items }) => items.length),
    [1, 0],
  );
});

test('records of production that break a definition prevent a deployment; what is staged is taken back', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, note(['title']));
  const env = sessionOf(org);
  await project.ends(0, ['deploy', '--yes'], { env });
  await create(await prodFounder(org), 'note', {});
  const field = { name: 'title', validate: true };
  const changed = await manage(org, 'PUT', '/api/create-note?force=true', { body: { UpdateParams: [field] } });
  assert.equal(changed.status, 200, changed.text);
  const { stdout } = await project.ends(1, ['deploy', `--yes=${org.code}`], { env });
  assert.match(stdout, /\nerror \(records\): entity note: .*\nnothing is live/);
  await project.ends(1, ['deploy', '--publish-only'], { env });
  await project.ends(3, ['deploy', '--withdraw'], { env });
  await project.ends(0, ['deploy', '--withdraw', '--yes'], { env });
  assert.deepEqual(
    (await diff(org)).map(({ staged }) => staged),
    [false],
  );
  const forced = await project.json<Deployed>(['deploy', '--force', `--yes=${org.code}`], { env });
  assert.equal(forced.activated, true);
});

test('items are deployed by name with what they need, and a name that is not there is refused', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, note(['title']));
  await defineEntity(org, definition('draft', [{ name: 'title' }]));
  const line = { name: 'note_id', colType: 'guid', lookup: { entity: 'note' } };
  await defineEntity(org, definition('line', [line]));
  const env = sessionOf(org);
  assert.match((await project.ends(2, ['deploy', 'entity/none', '--yes'], { env })).stderr, /`entity\/none`/);
  const { stderr } = await project.ends(0, ['deploy', 'entity/line', '--yes'], { env });
  assert.match(stderr, /entity note comes along: /);
  assert.deepEqual(
    (await diff(org)).map(({ name }) => name),
    ['draft'],
  );
  await project.ends(2, ['deploy', '--publish-only', '--activate-only'], { env });
});

test('a developer publishes, and is told who may activate', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, note(['title']));
  const env = sessionOf(org, (await joinOrg(org, 'developer')).token);
  const { stderr } = await project.ends(2, ['deploy', '--yes'], { env });
  assert.match(stderr, /role_required.*\n→ ask an org admin/);
});

test('decision cases of the project are a check of a deploy: one that fails keeps all from being published', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, note(['title']));
  const env = sessionOf(org);
  const own = new CliProject();
  const cases = (action: string) =>
    own.write(
      'policies/note.cases.yaml',
      `cases:
  - name: clerks read notes
    statements: [{ Effect: Allow, Action: [${action}], Resource: ['*'] }]
    action: getnote
    resource: /item/note/1
    expect: allow
`,
    );
  cases('getnotee');
  const refused = await own.ends(1, ['deploy', '--policy-tests', '--yes'], { env });
  assert.match(refused.stderr, /FAILED {2}clerks read notes/);
  assert.match(refused.stdout, /nothing is published/);
  assert.equal(
    (await diff(org)).some(({ staged }) => staged),
    false,
  );
  assert.deepEqual(await releases(org), []);
  cases('getnote');
  const done = await own.ends(0, ['deploy', '--policy-tests', '--yes'], { env });
  assert.match(done.stderr, /1 passed, 0 failed/);
  assert.equal((await releases(org)).length, 1);
});
