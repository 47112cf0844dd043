/** Keys of pipelines: what one opens, that it opens nothing else, and when it ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { call } from './call.ts';
import { bring, download, Folder, keys, newKey, tryNewKey } from './deploy.ts';
import { eventually } from './eventually.ts';
import { readOpenapi } from './openapi-document.ts';
import { defineEntity, definition, joinOrg, manage, signIn, signUp } from './org.ts';
import { platformForTests, platformOf } from './platform-for-tests.ts';
import { provisionedOrg } from './promotion.ts';

const gateways = await platformForTests();
const org = await provisionedOrg(gateways);
await defineEntity(org, definition('note', [{ name: 'title' }]));
const developer = await joinOrg(org, 'developer');
const [publisher, activator] = [await newKey(org, 'publish'), await newKey(org, 'activate')];
const settler = await newKey(org, 'settings');
const document = readOpenapi((await call('GET', `${gateways.management}/openapi.json`)).text);

/** What keys open, by scope. */
const watched = [
  'GET /deploy/diff',
  'GET /deploy/staged',
  'GET /deploy/history',
  'GET /deploy/history/{version}',
  'GET /deploy/retired',
  'GET /deploy/export',
];
const published = [
  ...watched,
  'POST /deploy/publish',
  'DELETE /deploy/staged',
  'DELETE /deploy/staged/{kind}/{name}',
  'POST /deploy/import',
];
const opened: Readonly<Record<string, readonly string[]>> = {
  publish: published,
  settings: published,
  activate: [...watched, 'POST /deploy/activate', 'POST /deploy/rollback'],
};

function named({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path}`;
}

/** With an invalid body, so that a call that is let in changes nothing. */
function ask(method: string, path: string, token: string) {
  const url = `${gateways.management}${path.replaceAll(/\{[^}]+\}/g, 'none')}`;
  return call(method, url, { token, ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{"junk":' }) });
}

for (const { scope, key } of [publisher, settler, activator])
  test(`a key of the scope ${scope} opens its routes and nothing else of the management gateway`, async () => {
    const routes = document.operations.filter(({ isPublic }) => !isPublic);
    const known = routes.map(named);
    for (const route of opened[scope] ?? []) assert.ok(known.includes(route), `${route} is no route`);
    for (const { method, path } of routes) {
      const reply = await ask(method, path, key);
      const where = `${method} ${path}: ${reply.status}`;
      if (opened[scope]?.includes(`${method} ${path}`)) assert.ok(![401, 403].includes(reply.status), where);
      else if (Object.values(opened).some((all) => all.includes(`${method} ${path}`)))
        assertProblem(reply, 'role_required');
      else assert.ok([401, 403].includes(reply.status), where);
    }
  });

test('a key opens nothing of an app', async () => {
  const founder = await signIn(org);
  for (const { key } of [publisher, activator]) {
    assertProblem(await call('GET', `${gateways.app}/app/${org.code}/list/note`, { token: key }), 'token_invalid');
    assert.equal(
      (await call('GET', `${gateways.app}/app/${org.code}/list/note`, { token: founder.token })).status,
      200,
    );
  }
});

test('keys are made, shown and removed by org admins alone', async () => {
  const { id } = await newKey(org, 'publish', 'to stay');
  const body = { name: 'mine', scope: 'activate' };
  const routes = [
    ['GET', '/deploy/keys'],
    ['POST', '/deploy/keys', body],
    ['DELETE', `/deploy/keys/${id}`],
  ] as const;
  for (const [method, path, sent] of routes) {
    const options = sent === undefined ? {} : { body: sent };
    assertProblem(await call(method, `${gateways.management}${path}`, options), 'token_missing');
    assertProblem(await manage(org, method, path, { ...options, token: 'junk' }), 'token_invalid');
    assertProblem(await manage(org, method, path, { ...options, token: developer.token }), 'role_required');
    for (const { key } of [publisher, activator])
      assertProblem(await manage(org, method, path, { ...options, token: key }), 'token_invalid');
    assertProblem(await manage(org, method, `${path}?env=test`, options), 'invalid_request');
  }
  assert.ok((await keys(org)).some((key) => key.id === id));
  assert.ok((await keys(org)).every(({ name }) => name !== 'mine'));
});

test('another org sees and removes no key of this one, and gets the answer of a key that never was', async () => {
  const neighbour = await signUp(gateways);
  assert.deepEqual(await keys(neighbour), []);
  const withoutId = (text: string) => text.replace(/"request_id":"[^"]+"/, '');
  const theirs = await manage(neighbour, 'DELETE', `/deploy/keys/${publisher.id}`);
  const nobodys = await manage(neighbour, 'DELETE', '/deploy/keys/01890000-0000-7000-8000-000000000000');
  assertProblem(theirs, 'not_found');
  assert.equal(withoutId(theirs.text), withoutId(nobodys.text));
  assertProblem(await manage(neighbour, 'DELETE', '/deploy/keys/nonsense'), 'not_found');
  assert.equal((await manage(org, 'GET', '/deploy/diff', { token: publisher.key })).status, 200);
});

test('a key is shown once, and in no later answer', async () => {
  const made = await newKey(org, 'publish', 'told once');
  assert.match(made.key, /^fhd_[A-Za-z0-9_-]{43}$/);
  const listed = await manage(org, 'GET', '/deploy/keys');
  const { key, ...rest } = made;
  assert.ok(!listed.text.includes(key.slice(4)) && !listed.text.includes('hash'), listed.text);
  assert.deepEqual(
    (await keys(org)).find(({ id }) => id === made.id),
    { ...rest, last_used_at: null },
  );
  assert.ok(!(await manage(org, 'GET', '/audit')).text.includes(key.slice(4)));
});

test('a removed key is none from the next call on, and is removed once', async () => {
  const made = await newKey(org, 'activate', 'to go');
  assert.equal((await manage(org, 'GET', '/deploy/diff', { token: made.key })).status, 200);
  assert.equal((await manage(org, 'DELETE', `/deploy/keys/${made.id}`)).status, 204);
  assertProblem(await manage(org, 'GET', '/deploy/diff', { token: made.key }), 'token_invalid');
  assertProblem(await manage(org, 'DELETE', `/deploy/keys/${made.id}`), 'not_found');
  assert.ok((await keys(org)).every(({ id }) => id !== made.id));
});

test('what is nearly a key is none', async () => {
  const { key } = publisher;
  const wrong = [
    `${key}x`,
    key.slice(0, -1),
    key.toUpperCase(),
    `fhd_${'A'.repeat(43)}`,
    'fhd_',
    key.slice(4),
    `${key.slice(0, -2)}${key.at(-1)}${key.at(-2)}x`,
  ];
  for (const token of wrong) assertProblem(await manage(org, 'GET', '/deploy/diff', { token }), 'token_invalid');
});

test('a cookie is no key', async () => {
  const headers = { cookie: `freehold=${publisher.key}`, origin: gateways.management };
  assertProblem(await call('GET', `${gateways.management}/deploy/diff`, { headers }), 'token_invalid');
  const reply = await call('POST', `${gateways.management}/deploy/publish`, { headers, body: { all: true } });
  assertProblem(reply, 'token_invalid');
});

test('the list says when a key was used last', async () => {
  const made = await newKey(org, 'publish', 'in use');
  await download(org, made.key);
  // It is written behind the answer.
  const used = await eventually(
    'the last use of the key',
    async () => (await keys(org)).find(({ id }) => id === made.id)?.last_used_at ?? undefined,
  );
  assert.match(used, /^\d{4}-\d\d-\d\dT/);
});

test('the audit log names the key that did something, and who made and removed it', async () => {
  const made = await newKey(org, 'publish', 'to be told');
  const published = await manage(org, 'POST', '/deploy/publish', { token: made.key, body: { all: true } });
  assert.equal(published.status, 201, published.text);
  const staged = await manage<{ items: { staged_by: object }[] }>(org, 'GET', '/deploy/staged');
  assert.deepEqual(staged.body.items[0]?.staged_by, { kind: 'deploy_key', id: made.id });
  assert.equal((await manage(org, 'DELETE', '/deploy/staged', { token: made.key })).status, 204);
  assert.equal((await manage(org, 'DELETE', `/deploy/keys/${made.id}`)).status, 204);
  interface Entry {
    readonly action: string;
    readonly actor: { readonly kind: string; readonly id: string };
    readonly target?: { readonly id: string };
  }
  const log = await manage<{ items: readonly Entry[] }>(org, 'GET', '/audit?pagesize=20');
  const by = log.body.items.filter(({ actor }) => actor.id === made.id);
  assert.deepEqual(
    by.map(({ action, actor }) => [action, actor.kind]),
    [
      ['deploy.unstaged', 'deploy_key'],
      ['deploy.published', 'deploy_key'],
    ],
  );
  const about = log.body.items.filter(({ target }) => target?.id === made.id);
  assert.deepEqual(
    about.map(({ action, actor }) => [action, actor.kind]),
    [
      ['deploy_key.removed', 'org_user'],
      ['deploy_key.created', 'org_user'],
    ],
  );
});

const badKeys: readonly (readonly [unknown, readonly string[]])[] = [
  [{ scope: 'publish' }, ['/name']],
  [{ name: 'a' }, ['/scope']],
  [{ name: '', scope: 'publish' }, ['/name']],
  [{ name: 'x'.repeat(500), scope: 'publish' }, ['/name']],
  [{ name: 5, scope: 'publish' }, ['/name']],
  [{ name: 'a', scope: 'all' }, ['/scope']],
  [{ name: 'a', scope: ['publish'] }, ['/scope']],
  [{ name: 'a', scope: 'publish', expires_at: 'soon' }, ['/expires_at']],
  [{ name: 'a', scope: 'publish', expires_at: '2001-01-01T00:00:00Z' }, ['/expires_at']],
  [{ name: 'a', scope: 'publish', expires_at: 5 }, ['/expires_at']],
];

test('nonsense makes no key, and is named', async () => {
  const before = await keys(org);
  for (const [body, where] of badKeys) {
    const problem = assertProblem(await tryNewKey(org, body), 'validation_failed');
    assert.deepEqual(pointers(problem), where, JSON.stringify(body));
  }
  assertProblem(await tryNewKey(org, { name: 'a', scope: 'publish', role: 'org_admin' }), 'unknown_field');
  for (const body of ['{', '[]', 'null', '"publish"']) assert.equal((await tryNewKey(org, body)).status, 400);
  const headers = { 'content-type': 'text/plain' };
  assertProblem(await tryNewKey(org, '{"name": "a", "scope": "publish"}', { headers }), 'unsupported_media_type');
  assert.deepEqual(
    (await keys(org)).map(({ id }) => id),
    before.map(({ id }) => id),
  );
});

test('an org has at most 50 keys, and a removed one makes room', async () => {
  const full = await signUp(gateways);
  const made = await Promise.all(Array.from({ length: 50 }, (_, at) => newKey(full, 'publish', `key ${at}`)));
  assertProblem(await tryNewKey(full, { name: 'one more', scope: 'publish' }), 'conflict');
  assert.equal((await keys(full)).length, 50);
  assert.equal((await manage(full, 'DELETE', `/deploy/keys/${made[0]?.id}`)).status, 204);
  await newKey(full, 'publish', 'one more');
});

test('a key is neither in the log nor on the disk', async (context) => {
  const platform = await platformOf(context);
  const own = await provisionedOrg(platform);
  const { key } = await newKey(own, 'publish');
  await bring(own, await download(own, key), '', key);
  assertProblem(await manage(own, 'POST', '/deploy/activate', { token: key }), 'role_required');
  await platform.terminate();
  assert.ok(!platform.stdout().includes(key.slice(4)) && !platform.stderr().includes(key.slice(4)));
  const folder = new Folder(platform.dataDir);
  assert.equal(folder.run('sh', '-c', `grep -rlaF -- '${key.slice(4)}' . || true`), '');
  const again = await platformOf(context, { dataDir: platform.dataDir });
  assert.equal((await call('GET', `${again.management}/deploy/diff`, { token: key })).status, 200);
});
