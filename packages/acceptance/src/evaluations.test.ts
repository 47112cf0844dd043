import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { call, type Reply } from './call.ts';
import {
  type AppUser,
  act,
  allow,
  appUrl,
  create,
  defineEntity,
  definition,
  deny,
  foundedOrg,
  manage,
  memberWith,
  signIn,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { multiOrg } from './workspaces.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(
  org,
  definition('order', [
    { name: 'title', colType: 'string' },
    { name: 'holder', colType: 'string' },
  ]),
);
const own = { Condition: { StringEquals: { 'record.holder': ['ann'] } } };
const ann = await memberWith(founder, [
  { ...allow(['getorder', 'updateorder', 'createorder', 'listorder']), ...own },
  allow('getuser'),
  { Sid: 'Never', ...deny('deleteorder') },
]);
const hers = await create(founder, 'order', { title: 'hers', holder: 'ann' });
const other = await create(founder, 'order', { title: 'other', holder: 'bob' });
const missing = '01900000-0000-7000-8000-000000000000';

interface Decision {
  readonly decision: boolean;
  readonly context?: { readonly reason: string; readonly decision_id?: string };
}

interface Decisions {
  readonly evaluations: readonly Decision[];
}

function evaluate<Body = Decision>(body: unknown, route = 'evaluation', user = ann): Promise<Reply<Body>> {
  return act<Body>(user, 'POST', `/access/v1/${route}`, { body });
}

function question(name: string, resource: object, user: AppUser = ann) {
  return { subject: { type: 'user', id: user.id }, action: { name }, resource: { type: 'order', ...resource } };
}

const bobs = { title: 'x', holder: 'bob' };
const anns = { title: 'x', holder: 'ann' };

const cases: readonly (readonly [name: string, resource: object, method: string, path: string, body?: object])[] = [
  ['get', { id: hers.id }, 'GET', `/item/order/${hers.id}`],
  ['get', { id: other.id }, 'GET', `/item/order/${other.id}`],
  ['get', { id: missing }, 'GET', `/item/order/${missing}`],
  ['getorder', { id: hers.id }, 'GET', `/item/order/${hers.id}`],
  ['list', {}, 'GET', '/list/order'],
  ['count', {}, 'GET', '/count/order'],
  ['create', { properties: anns }, 'POST', '/create/order', anns],
  ['create', { properties: bobs }, 'POST', '/create/order', bobs],
  ['update', { id: hers.id, properties: { title: 'y' } }, 'PUT', `/update/order/${hers.id}`, { title: 'y' }],
  ['update', { id: hers.id, properties: { holder: 'bob' } }, 'PUT', `/update/order/${hers.id}`, { holder: 'bob' }],
  ['update', { id: other.id, properties: { title: 'y' } }, 'PUT', `/update/order/${other.id}`, { title: 'y' }],
  ['delete', { id: hers.id }, 'DELETE', `/delete/order/${hers.id}`],
];

for (const [name, resource, method, path, body] of cases) {
  const what = JSON.stringify(resource).replace(hers.id, 'hers').replace(other.id, 'other');
  test(`an evaluation of ${name} ${what} says whether the call succeeds`, async () => {
    const { status, text, body: decided } = await evaluate(question(name, resource));
    assert.equal(status, 200, text);
    const reply = await act(ann, method, path, body === undefined ? {} : { body });
    assert.equal(decided.decision, reply.status < 300, `${text} ${reply.text}`);
  });
}

test('browsing is evaluated like a list, without a record', async () => {
  const Null = (value: string) => ({ Condition: { Null: { 'record.holder': [value] } } });
  const without = await memberWith(founder, [{ ...allow('browseorder'), ...Null('true') }]);
  assert.equal((await evaluate(question('browse', {}, without), 'evaluation', without)).body.decision, true);
  const withRecord = await memberWith(founder, [{ ...allow('browseorder'), ...Null('false') }]);
  const { body } = await evaluate(question('browse', {}, withRecord), 'evaluation', withRecord);
  assert.equal(body.context?.reason, 'implicit_deny');
});

test('a record that the caller may not have is evaluated as a missing one, byte for byte', async () => {
  for (const name of ['get', 'update', 'delete']) {
    const [hidden, none] = [
      await evaluate(question(name, { id: other.id })),
      await evaluate(question(name, { id: missing })),
    ];
    const decisionId = /"decision_id":"[^"]*"/;
    assert.equal(hidden.text.replace(decisionId, ''), none.text.replace(decisionId, ''));
  }
});

test('a builder finds out why an evaluation was no', async () => {
  const { body } = await evaluate(question('delete', { id: hers.id }));
  assert.equal(body.context?.reason, 'explicit_deny');
  const reply = await manage(org, 'GET', `/acl/decisions/${body.context?.decision_id}`);
  assert.equal(reply.status, 200, reply.text);
  assert.match(reply.text, /"Sid":"Never"/);
});

test('no user can ask what another user may do', async () => {
  for (const subject of [
    { type: 'user', id: founder.id },
    { type: 'group', id: ann.id },
    { type: 'user', id: 'x' },
  ]) {
    const { body } = await evaluate({ ...question('get', { id: hers.id }), subject });
    assert.deepEqual(body, { decision: false, context: { reason: 'subject_not_caller' } });
  }
});

test('a decision that needs a missing record is a no', async () => {
  for (const name of ['get', 'update', 'create'])
    assert.deepEqual((await evaluate(question(name, {}))).body, { decision: false, context: { reason: 'undecided' } });
});

test('what is named in no way that the platform knows is no', async () => {
  assert.equal((await evaluate(question('fly', {}))).body.context?.reason, 'unknown_action');
  assert.equal((await evaluate(question('getuser', { id: hers.id }))).body.context?.reason, 'unknown_action');
  for (const resource of [{ type: 'ordr' }, { type: 'Order' }, { type: 'a/b' }, { id: '../x' }, { id: 'a#b' }])
    assert.equal((await evaluate(question('get', resource))).body.decision, false);
});

const boxcar = {
  subject: { type: 'user', id: ann.id },
  action: { name: 'get' },
  evaluations: [
    { resource: { type: 'order', id: hers.id } },
    { resource: { type: 'order', id: other.id } },
    { resource: { type: 'user', id: ann.id } },
  ],
};

const semantics: readonly (readonly [semantic: string | undefined, decisions: readonly boolean[]])[] = [
  [undefined, [true, false, true]],
  ['execute_all', [true, false, true]],
  ['deny_on_first_deny', [true, false]],
  ['permit_on_first_permit', [true]],
];

for (const [semantic, decisions] of semantics) {
  test(`several evaluations by ${semantic ?? 'default'} end where that says`, async () => {
    const options = semantic === undefined ? {} : { options: { evaluations_semantic: semantic, other: 1 } };
    const { body, text } = await evaluate<Decisions>({ ...boxcar, ...options }, 'evaluations');
    assert.deepEqual(
      body.evaluations.map(({ decision }) => decision),
      decisions,
      text,
    );
  });
}

test('one of several says itself what is not to be as for the others, and its mistakes are its own', async () => {
  const evaluations = [
    { resource: { type: 'order', id: hers.id }, action: { name: 'delete' } },
    { resource: { type: 'order' }, subject: { type: 'user', id: founder.id } },
    {},
    'x',
    { resource: { type: 'order', id: hers.id }, verb: 'get' },
    { resource: { type: 'order', id: hers.id } },
  ];
  const { body } = await evaluate<Decisions>({ ...boxcar, evaluations }, 'evaluations');
  const reasons = body.evaluations.map(({ context }) => context?.reason);
  assert.deepEqual(reasons, [
    'explicit_deny',
    'subject_not_caller',
    'invalid_request',
    'invalid_request',
    'invalid_request',
    undefined,
  ]);
  assert.equal(body.evaluations[5]?.decision, true);
});

test('a body without several evaluations is a single one', async () => {
  for (const more of [{}, { evaluations: [] }]) {
    const { body } = await evaluate({ ...question('get', { id: hers.id }), ...more }, 'evaluations');
    assert.deepEqual(body, { decision: true });
  }
});

test('the caller’s own id for the request comes back', async () => {
  const headers = { 'X-Request-ID': 'bfe9eb29-ab87' };
  const reply = await act(ann, 'POST', '/access/v1/evaluation', { body: question('get', { id: hers.id }), headers });
  assert.equal(reply.headers.get('x-request-id'), 'bfe9eb29-ab87');
  const odd = await act(ann, 'POST', '/access/v1/evaluation', {
    body: question('get', { id: hers.id }),
    headers: { 'X-Request-ID': 'x'.repeat(300) },
  });
  assert.notEqual(odd.headers.get('x-request-id'), 'x'.repeat(300));
});

test('a body that is no question is refused with the places that are wrong', async () => {
  assert.deepEqual(pointers(assertProblem(await evaluate([]), 'validation_failed')), ['']);
  assert.deepEqual(pointers(assertProblem(await evaluate({}), 'validation_failed')), [
    '/action',
    '/resource',
    '/subject',
  ]);
  const wrong = { ...question('get', { id: 1 }), action: {}, role: 'x' };
  assert.deepEqual(pointers(assertProblem(await evaluate(wrong), 'validation_failed')), [
    '/action/name',
    '/resource/id',
    '/role',
  ]);
  const many = { ...boxcar, evaluations: Array.from({ length: 101 }, () => ({})) };
  assert.deepEqual(pointers(assertProblem(await evaluate(many, 'evaluations'), 'validation_failed')), ['/evaluations']);
  const semantic = { ...boxcar, options: { evaluations_semantic: 'all' } };
  assertProblem(await evaluate(semantic, 'evaluations'), 'validation_failed');
  assertProblem(await act(ann, 'POST', '/access/v1/evaluation?x=1', { body: {} }), 'invalid_request');
});

test('an evaluation takes a token of the org and of a workspace', async () => {
  const stranger = (await foundedOrg(gateways)).founder;
  const body = question('get', { id: hers.id });
  for (const route of ['evaluation', 'evaluations']) {
    const url = appUrl(org, `/access/v1/${route}`);
    assertProblem(await call('POST', url, { body }), 'token_missing');
    assertProblem(await call('POST', url, { body, token: stranger.token }), 'token_invalid');
    const homeless = await signIn(await multiOrg(gateways));
    assertProblem(await evaluate(body, route, homeless), 'workspace_required');
  }
});

test('many denials of one request push out none of another', async () => {
  const denied = assertProblem(await act(ann, 'DELETE', `/delete/order/${hers.id}`), 'access_denied');
  const evaluations = Array.from({ length: 100 }, () => ({ resource: { type: 'order', id: hers.id } }));
  for (let round = 0; round < 3; round++)
    await evaluate({ ...boxcar, action: { name: 'delete' }, evaluations }, 'evaluations');
  assert.equal((await manage(org, 'GET', `/acl/decisions/${denied.decision_id}`)).status, 200);
});
