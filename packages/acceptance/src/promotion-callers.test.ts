/** Who is let in by the routes of promotion, and what they say to nonsense. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { type CallOptions, call } from './call.ts';
import { defineEntity, definition, foundedOrg, joinOrg, manage, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { activate, diff, entity, history, names, provision, publish, staged } from './promotion.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const neighbour = await signUp(gateways);
const developer = await joinOrg(org, 'developer');
for (const name of ['note', 'memo', 'gone']) await defineEntity(org, definition(name, [{ name: 'title' }]));
for (const one of [org, neighbour]) await provision(one);
await publish(org, [entity('note')]);
await activate(org);
await publish(org, [entity('memo')]);

/** What exists, and must exist throughout the test. */
async function current() {
  return [await history(org), await staged(org), await diff(org)];
}

let previous: unknown;
before(async () => {
  previous = await current();
});

const forAll: readonly (readonly [string, string, object?])[] = [
  ['GET', '/deploy/diff'],
  ['POST', '/deploy/publish', { all: true }],
  ['GET', '/deploy/staged'],
  ['DELETE', '/deploy/staged'],
  ['DELETE', '/deploy/staged/entity/memo'],
  ['GET', '/deploy/history'],
  ['GET', '/deploy/history/1'],
  ['GET', '/deploy/retired'],
];
const forAdmins: typeof forAll = [
  ['POST', '/deploy/activate', {}],
  ['POST', '/deploy/rollback', {}],
  ['DELETE', '/deploy/retired/gone'],
];
const routes = [...forAll, ...forAdmins];

function ask([method, path, body]: (typeof routes)[number], options: CallOptions = {}) {
  return manage(org, method, path, { ...(body === undefined ? {} : { body }), ...options });
}

for (const route of routes) {
  const [method, path, body] = route;
  test(`${method} ${path} is for a builder of the org with a management token`, async () => {
    const url = `${gateways.management}${path}`;
    const sent = body === undefined ? {} : { body };
    assertProblem(await call(method, url, sent), 'token_missing');
    assertProblem(await ask(route, { token: 'junk' }), 'token_invalid');
    assertProblem(await ask(route, { token: founder.token }), 'token_invalid');
    assertProblem(await call(method, `${gateways.app}${path}`, { token: org.builder.token, ...sent }), 'not_found');
    assert.deepEqual(await current(), previous);
  });

  test(`${method} ${path} answers 409 where production is not provisioned`, async () => {
    const fresh = await signUp(gateways);
    const reply = await manage(fresh, method, path, body === undefined ? {} : { body });
    assert.match(assertProblem(reply, 'conflict').detail, /`POST \/user\/provision-prod`/);
  });

  test(`${method} ${path} knows no other parameters`, async () => {
    assertProblem(await manage(org, method, `${path}?env=prod`, body === undefined ? {} : { body }), 'invalid_request');
    assert.deepEqual(await current(), previous);
  });
}

for (const route of forAdmins)
  test(`${route[0]} ${route[1]} is for org admins, whatever is sent`, async () => {
    assertProblem(await ask(route, { token: developer.token }), 'role_required');
    if (route[2] !== undefined)
      assertProblem(await ask(route, { token: developer.token, body: '{"junk":' }), 'role_required');
    assert.deepEqual(await current(), previous);
  });

test('a developer sees everything, publishes and withdraws', async () => {
  const { token } = developer;
  for (const route of forAll.filter(([method]) => method === 'GET'))
    assert.equal((await ask(route, { token })).status, 200, route[1]);
  const body = { items: [entity('gone')] };
  assert.equal((await manage(org, 'POST', '/deploy/publish', { token, body })).status, 201);
  assert.equal((await manage(org, 'DELETE', '/deploy/staged/entity/gone', { token })).status, 204);
});

test('one org sees, stages, activates and rolls back nothing of another', async () => {
  assert.deepEqual(await diff(neighbour), []);
  assert.deepEqual((await staged(neighbour)).items, []);
  assert.deepEqual(await history(neighbour), []);
  for (const path of ['/deploy/history/1', '/deploy/staged/entity/memo', '/deploy/retired/gone'])
    assertProblem(await manage(neighbour, path.includes('history') ? 'GET' : 'DELETE', path), 'not_found');
  assertProblem(
    await manage(neighbour, 'POST', '/deploy/publish', { body: { items: [entity('note')] } }),
    'validation_failed',
  );
  assertProblem(await manage(neighbour, 'POST', '/deploy/activate'), 'conflict');
  assertProblem(await manage(neighbour, 'POST', '/deploy/rollback'), 'no_previous_version');
  assertProblem(await manage(neighbour, 'POST', '/deploy/rollback', { body: { version: 1 } }), 'not_found');
  assert.equal((await manage(neighbour, 'DELETE', '/deploy/staged')).status, 204);
  assert.deepEqual(names((await staged(org)).items), ['entity memo']);
});

const item = entity('gone');

/** Bodies that publish nothing, and where their mistakes stand. */
const badPublications: readonly (readonly [unknown, readonly string[]])[] = [
  [{}, ['/items']],
  [{ all: false }, ['/all', '/items']],
  [{ all: 'true' }, ['/all', '/items']],
  [{ all: true, items: [item] }, ['/items']],
  [{ items: [] }, ['/items']],
  [{ items: 'all' }, ['/items']],
  [{ items: { kind: 'entity', name: 'gone' } }, ['/items']],
  [{ items: ['gone', null, 5] }, ['/items/0', '/items/1', '/items/2']],
  [{ items: [{ kind: 'entity' }] }, ['/items/0/name']],
  [{ items: [{ kind: 'entity', name: '' }] }, ['/items/0/name']],
  [{ items: [{ name: 'gone' }] }, ['/items/0/kind']],
  [{ items: [{ kind: 'policy', name: 'gone' }] }, ['/items/0/kind']],
  [{ items: [{ kind: 'constructor', name: '__proto__' }] }, ['/items/0/kind']],
  [{ items: [{ kind: ['entity'], name: ['gone'] }] }, ['/items/0/kind', '/items/0/name']],
  [{ items: [{ ...item, version: 1 }] }, ['/items/0/version']],
  [{ items: [entity('nothing')] }, ['/items/0']],
  [
    { items: [entity('__proto__'), entity('toString'), entity('gone\u0001'), entity('x'.repeat(3000))] },
    [0, 1, 2, 3].map((at) => `/items/${at}`),
  ],
  [
    { items: [item, { kind: 'settings', name: 'acl.nothing' }, { kind: 'event', name: 'gone' }] },
    ['/items/1', '/items/2'],
  ],
  [{ all: true, note: 5 }, ['/note']],
  [{ all: true, note: 'x'.repeat(1001) }, ['/note']],
  [{ all: true, force: true }, ['/force']],
  [[], ['']],
  ['all', ['']],
  [null, ['']],
];

for (const [body, wrong] of badPublications)
  test(`nothing is published by ${JSON.stringify(body).slice(0, 90)}`, async () => {
    const reply = await manage(org, 'POST', '/deploy/publish', { body: JSON.stringify(body) });
    assert.equal(reply.status, 400, reply.text);
    assert.deepEqual(pointers(reply.body as never), wrong);
    assert.deepEqual(await current(), previous);
  });

const badSwitches: readonly (readonly [string, unknown, readonly string[]])[] = [
  ['activate', { force: 'true' }, ['/force']],
  ['activate', { note: ['x'] }, ['/note']],
  ['activate', { items: [item] }, ['/items']],
  ['activate', [], ['']],
  ['activate', 'x', ['']],
  ['rollback', { version: 0 }, ['/version']],
  ['rollback', { version: -1 }, ['/version']],
  ['rollback', { version: 1.5 }, ['/version']],
  ['rollback', { version: '1' }, ['/version']],
  ['rollback', { version: null }, ['/version']],
  ['rollback', { version: 1, note: {} }, ['/note']],
  ['rollback', { force: true }, ['/force']],
  ['rollback', [1], ['']],
];

for (const [route, body, wrong] of badSwitches)
  test(`nothing is switched by ${route} with ${JSON.stringify(body)}`, async () => {
    const reply = await manage(org, 'POST', `/deploy/${route}`, { body: JSON.stringify(body) });
    assert.equal(reply.status, 400, reply.text);
    assert.deepEqual(pointers(reply.body as never), wrong);
    assert.deepEqual(await current(), previous);
  });

test('what is not there is not found, in whatever way it is named', async () => {
  for (const version of ['0', '01', '2', '-1', '1.0', '1e0', 'x', '999999999999', '9999999999999', 'constructor'])
    assertProblem(await manage(org, 'GET', `/deploy/history/${version}`), 'not_found');
  for (const path of [
    'entity/note',
    'entity/nothing',
    'policy/memo',
    '__proto__/memo',
    'entity/__proto__',
    'entities/memo',
  ])
    assertProblem(await manage(org, 'DELETE', `/deploy/staged/${path}`), 'not_found');
  for (const name of ['note', 'nothing', '__proto__', 'x'.repeat(200)])
    assertProblem(await manage(org, 'DELETE', `/deploy/retired/${name}`), 'not_found');
  assertProblem(await manage(org, 'POST', '/deploy/rollback', { body: { version: 2 } }), 'not_found');
  assert.deepEqual(await current(), previous);
});

test('pages of the history that there are not are refused', async () => {
  for (const query of ['pagesize=0', 'pagesize=201', 'pagesize=x', 'pagesize=1&pagesize=2', 'page=1'])
    assertProblem(await manage(org, 'GET', `/deploy/history?${query}`), 'invalid_request');
  for (const token of ['x', '', 'AAAA', '000000000001'])
    assertProblem(await manage(org, 'GET', `/deploy/history?nexttoken=${token}`), 'invalid_cursor');
});
