/** Config items of every kind, by kind and name: read, written, versioned, compared, brought back and promoted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { type CallOptions, call } from './call.ts';
import { act, create, defineEntity, definition, foundedOrg, joinOrg, manage, type Org, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { activate, change, diff, names, provisionedOrg, publish, removeEntity, tryActivate } from './promotion.ts';
import { putSetting } from './workspaces.ts';

const gateways = await platformForTests();

interface Shown {
  readonly kind: string;
  readonly name: string;
  readonly version: number;
  readonly updated_at: string;
  readonly updated_by: { readonly kind: string; readonly id: string };
  readonly content: object;
  readonly warnings?: readonly string[];
}

interface Version {
  readonly version: number;
  readonly action: string;
  readonly active: boolean;
  readonly actor: { readonly id: string };
  readonly restored?: number;
  readonly content?: object;
  readonly compared?: {
    readonly with: number;
    readonly changes: readonly object[];
    readonly summary: readonly string[];
  };
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nexttoken: string | null;
}

const block = (name: string, steps: readonly object[] = [{ id: 'read', type: 'list', entity: 'user' }]) => ({
  name,
  steps,
});
const event = (name: string, logicblock: string) => ({
  entity_name: 'user',
  event_name: name,
  event_type: 'logicblock',
  event_stage: 'after',
  event_optype: 'create',
  enabled: true,
  destination_config: { logicblock },
});
const crew = (name: string, tools: readonly object[] = []) => ({
  name,
  status: 'active',
  agents: [{ name: 'clerk', prompt: 'Write it down.', model: 'small', tools }],
});
const entity = (name: string, fields: readonly object[] = [{ name: 'title' }]) => ({
  definition: { entityName: name, UpdateParams: fields },
  views: {},
});

/** One item of each kind, in an order in which none is missing what it needs. */
const items: readonly {
  readonly kind: string;
  readonly name: string;
  readonly content: object;
  readonly next: object;
}[] = [
  {
    kind: 'entity',
    name: 'note',
    content: entity('note'),
    next: entity('note', [{ name: 'title' }, { name: 'text' }]),
  },
  {
    kind: 'logicblock',
    name: 'greet',
    content: block('greet'),
    next: { ...block('greet'), description: 'Says hello.' },
  },
  {
    kind: 'event',
    name: 'welcome',
    content: event('welcome', 'greet'),
    next: { ...event('welcome', 'greet'), enabled: false },
  },
  { kind: 'crew', name: 'office', content: crew('office'), next: { ...crew('office'), status: 'inactive' } },
  { kind: 'settings', name: 'acl.cache_seconds', content: { value: 30 }, next: { value: 40, prod_value: 20 } },
];

interface Item {
  readonly kind: string;
  readonly name: string;
  readonly content: unknown;
}

function make(org: Org, { kind, ...body }: Item, options: CallOptions = {}) {
  return manage<Shown>(org, 'POST', `/config/${kind}`, { body, ...options });
}

async function made(org: Org, kind: string, name: string, content: unknown): Promise<Shown> {
  const reply = await make(org, { kind, name, content });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

function put(org: Org, path: string, body: unknown, options: CallOptions = {}) {
  return manage<Shown>(org, 'PUT', `/config/${path}`, { body, ...options });
}

async function read<Body>(org: Org, path: string): Promise<Body> {
  const reply = await manage<Body>(org, 'GET', `/config${path}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

async function versionsOf(org: Org, path: string): Promise<readonly Version[]> {
  return (await read<Page<Version>>(org, `/${path}/versions`)).items;
}

for (const { kind, name, content, next } of items)
  test(`a ${kind} is made, read, changed, seen as it was, compared, brought back and taken away`, async () => {
    const org = await signUp(gateways);
    if (kind === 'event') await made(org, 'logicblock', 'greet', block('greet'));
    const path = `${kind}/${name}`;
    const first = await made(org, kind, name, content);
    const me = await manage<{ user: { id: string } }>(org, 'GET', '/auth/me');
    const { version, updated_at, updated_by, warnings = [], ...shown } = first;
    assert.deepEqual(shown, { kind, name, content });
    // What the platform stores and does not run yet says so, for as long as it is switched on.
    const isIdle = kind === 'crew';
    assert.deepEqual(
      warnings.map((warning) => /`(\w+)`.*has no effect/.exec(warning)?.[1]),
      isIdle ? [kind] : [],
    );
    assert.deepEqual(updated_by, { kind: 'org_user', id: me.body.user.id });
    assert.ok(Date.parse(updated_at) > 0);
    const got = await manage<Shown>(org, 'GET', `/config/${path}`);
    assert.deepEqual(got.body, first);
    assert.equal(got.headers.get('ETag'), `"${version}"`);
    assertProblem(await make(org, { kind, name, content }), 'conflict');

    const stale = { headers: { 'If-Match': `"${version + 5}"` } };
    assertProblem(await put(org, path, next, stale), 'version_mismatch');
    const changed = await put(org, path, next, { headers: { 'If-Match': `"${version}"` } });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(changed.body.content, next);
    assert.equal(changed.body.warnings, undefined);
    assert.deepEqual((await read<Shown>(org, `/${path}`)).content, next);

    const compared = await read<Version>(org, `/${path}/versions/${version}?compare=active`);
    assert.deepEqual(compared.content, content);
    assert.equal(compared.compared?.with, changed.body.version);
    assert.ok((compared.compared?.changes.length ?? 0) > 0 && (compared.compared?.summary.length ?? 0) > 0);

    const restored = await manage<Shown>(org, 'POST', `/config/${path}/restore`, { body: { version } });
    assert.equal(restored.status, 200, restored.text);
    assert.deepEqual(restored.body.content, content);
    assertProblem(await manage(org, 'DELETE', `/config/${path}`, stale), 'version_mismatch');
    assert.equal((await manage(org, 'DELETE', `/config/${path}`)).status, 204);
    assertProblem(await manage(org, 'GET', `/config/${path}`), 'not_found');
    const [gone, back, second, one] = await versionsOf(org, path);
    const listed = [gone, back, second, one].map((row) => [row?.action, row?.restored, row?.active, row?.actor.id]);
    assert.deepEqual(listed, [
      ['removed', undefined, false, me.body.user.id],
      ['restored', version, false, me.body.user.id],
      ['changed', undefined, false, me.body.user.id],
      ['created', undefined, false, me.body.user.id],
    ]);
    assert.deepEqual((await read<Version>(org, `/${path}/versions/${second?.version}`)).content, next);
    assert.equal((await read<Version>(org, `/${path}/versions/${gone?.version}`)).content, undefined);
  });

test('an item that was taken away comes back as it was, and a removal brings nothing back', async () => {
  const org = await signUp(gateways);
  const { version, content } = await made(org, 'crew', 'office', crew('office'));
  await manage(org, 'DELETE', '/config/crew/office');
  const [gone] = await versionsOf(org, 'crew/office');
  assertProblem(
    await manage(org, 'POST', '/config/crew/office/restore', { body: { version: gone?.version } }),
    'conflict',
  );
  const back = await manage<Shown>(org, 'POST', '/config/crew/office/restore', { body: { version } });
  assert.deepEqual([back.status, back.body.content], [200, content]);
  assert.deepEqual((await read<Shown>(org, '/crew/office')).content, content);
});

test('what other routes change of an entity and a setting are versions too', async () => {
  const org = await signUp(gateways);
  await defineEntity(org, definition('note', [{ name: 'title' }]));
  await change(org, 'create-note', { UpdateParams: [{ name: 'title' }, { name: 'text' }] });
  await change(org, 'list-note', { Views: { short: { fields: [{ name: 'title' }] } } });
  await putSetting(org, 'acl', 'cache_seconds', 5);
  await putSetting(org, 'acl', 'cache_seconds', 6);
  const [viewed, widened, first] = await versionsOf(org, 'entity/note');
  assert.deepEqual([viewed?.active, widened?.active, first?.action], [true, false, 'created']);
  const path = `/entity/note/versions/${viewed?.version}?compare=${first?.version}`;
  const { content, compared } = await read<Version>(org, path);
  assert.deepEqual(compared?.summary, [
    'field `text` is new, an optional string',
    '`list` has views of its own now',
    'view `short` of `list` is new: it shows `title`',
  ]);
  assert.deepEqual((content as { views: object }).views, { list: { short: { fields: [{ name: 'title' }] } } });
  const setting = await versionsOf(org, 'settings/acl.cache_seconds');
  assert.deepEqual(
    setting.map(({ action }) => action),
    ['changed', 'created'],
  );
  const back = { body: { version: setting[1]?.version } };
  assert.equal((await manage(org, 'POST', '/config/settings/acl.cache_seconds/restore', back)).status, 200);
  const { items: settled } = await manage<Page<{ name: string; value: unknown }>>(org, 'GET', '/org/settings').then(
    ({ body }) => body,
  );
  assert.equal(settled.find(({ name }) => name === 'cache_seconds')?.value, 5);
  await removeEntity(org, 'note');
  assert.equal((await versionsOf(org, 'entity/note'))[0]?.action, 'removed');
});

test('an entity that is made or changed as an item serves records by its content', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await made(org, 'entity', 'note', entity('note'));
  const write = (body: object) =>
    call('POST', `${gateways.app}/app/${org.code}/create/note`, { token: founder.token, body });
  assert.equal((await write({ title: 'one' })).status, 201);
  assertProblem(await write({ text: 'two' }), 'unknown_field');
  const narrower = entity('note', [{ name: 'title', validate: true, minlength: 10 }]);
  assertProblem(await put(org, 'entity/note', narrower), 'conflict');
  assert.equal((await put(org, 'entity/note?force=true', narrower)).status, 200);
  assertProblem(await write({ title: 'short' }), 'validation_failed');
});

test('an entity that is brought to an earlier version keeps what records have of later fields, and the reply says so', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const put = (fields: readonly object[]) =>
    manage<Shown>(org, 'PUT', '/config/entity/order', { body: entity('order', fields) });
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const both = await put([{ name: 'title' }, { name: 'severity' }]);
  const { id } = await create(founder, 'order', { title: 'a', severity: 'high' });
  const warnings = ['entity `order`: field `severity` is hidden, and records keep what they have of it'];
  const { items } = (await manage<Page<Version>>(org, 'GET', '/config/entity/order/versions')).body;
  const restored = await manage<Shown>(org, 'POST', '/config/entity/order/restore', {
    body: { version: items.at(-1)?.version },
  });
  assert.deepEqual(restored.body.warnings, warnings);
  const item = `/item/order/${id}`;
  assert.equal((await act(founder, 'PUT', `/update/order/${id}`, { body: { title: 'b' } })).status, 200);
  assert.equal((await act(founder, 'GET', item)).body.severity, undefined);
  assert.deepEqual(both.body.warnings, undefined);
  assert.equal((await put([{ name: 'title' }, { name: 'severity' }])).status, 200);
  assert.equal((await act(founder, 'GET', item)).body.severity, 'high');
  assert.deepEqual((await put([{ name: 'title' }])).body.warnings, warnings);
});

test('the same content again is no new version', async () => {
  const org = await signUp(gateways);
  const { version } = await made(org, 'logicblock', 'greet', block('greet'));
  const again = await put(org, 'logicblock/greet', block('greet'));
  assert.deepEqual([again.status, again.body.version], [200, version]);
  assert.equal((await versionsOf(org, 'logicblock/greet')).length, 1);
});

test('the kinds are listed with their schemas and counts, and the items of each by name, a page at a time', async () => {
  const org = await signUp(gateways);
  for (const name of ['c', 'a', 'b']) await made(org, 'logicblock', name, block(name));
  const { items: kinds } = await read<Page<{ kind: string; schema: object; count: number }>>(org, '');
  assert.deepEqual(
    kinds.map(({ kind, count }) => [kind, count]),
    [
      ['entity', 0],
      ['logicblock', 3],
      ['event', 0],
      ['settings', 0],
      ['crew', 0],
    ],
  );
  for (const { schema } of kinds) assert.ok('type' in schema);
  const first = await read<Page<Shown>>(org, '/logicblock?pagesize=2');
  const second = await read<Page<Shown>>(org, `/logicblock?pagesize=2&nexttoken=${first.nexttoken}`);
  assert.deepEqual(
    [...first.items, ...second.items].map(({ name }) => name),
    ['a', 'b', 'c'],
  );
  assert.equal(second.nexttoken, null);
  const other = `/config/crew?nexttoken=${first.nexttoken}`;
  assertProblem(await manage(org, 'GET', other), 'invalid_cursor');
});

test('versions are listed a page at a time, the latest first', async () => {
  const org = await signUp(gateways);
  await made(org, 'logicblock', 'greet', block('greet'));
  for (const description of ['one', 'two', 'three'])
    await put(org, 'logicblock/greet', { ...block('greet'), description });
  const listed: Version[] = [];
  for (let token = ''; ; ) {
    const page = await read<Page<Version>>(org, `/logicblock/greet/versions?pagesize=3${token}`);
    listed.push(...page.items);
    if (page.nexttoken === null) break;
    token = `&nexttoken=${page.nexttoken}`;
  }
  assert.deepEqual(
    listed.map(({ version, action, active }) => [version, action, active]),
    [
      [4, 'changed', true],
      [3, 'changed', false],
      [2, 'changed', false],
      [1, 'created', false],
    ],
  );
});

test('E07: an item that names what is not there is not made, and what others name is not taken away', async () => {
  const org = await signUp(gateways);
  for (const [kind, name, content, missing] of [
    ['event', 'welcome', event('welcome', 'greet'), 'logicblock `greet`'],
    ['logicblock', 'greet', block('greet', [{ id: 'a', type: 'call', logicblock: 'other' }]), 'logicblock `other`'],
    ['logicblock', 'greet', block('greet', [{ id: 'a', type: 'list', entity: 'note' }]), 'entity `note`'],
    ['crew', 'office', crew('office', [{ kind: 'logicblock', name: 'greet' }]), 'logicblock `greet`'],
    ['entity', 'line', entity('line', [{ name: 'of', colType: 'guid', lookup: { entity: 'note' } }]), 'entity `note`'],
  ] as const) {
    const problem = assertProblem(await make(org, { kind, name, content }), 'dangling_reference');
    assert.ok(problem.detail.includes(missing), problem.detail);
    assertProblem(await manage(org, 'GET', `/config/${kind}/${name}`), 'not_found');
  }
  await made(org, 'entity', 'note', entity('note'));
  await made(org, 'logicblock', 'greet', block('greet', [{ id: 'a', type: 'list', entity: 'note' }]));
  await made(org, 'event', 'welcome', event('welcome', 'greet'));
  const refused = assertProblem(await manage(org, 'DELETE', '/config/logicblock/greet'), 'dangling_reference');
  assert.match(refused.detail, /event `welcome`/);
  assertProblem(await manage(org, 'DELETE', '/config/entity/note'), 'dangling_reference');
  assertProblem(await manage(org, 'DELETE', '/api/entity?entityname=note'), 'dangling_reference');
  for (const path of ['event/welcome', 'logicblock/greet', 'entity/note'])
    assert.equal((await manage(org, 'DELETE', `/config/${path}`)).status, 204);
});

test('an item shows what it refers to and what refers to it, if that is asked for', async () => {
  const org = await signUp(gateways);
  await made(org, 'entity', 'order', entity('order'));
  await made(org, 'logicblock', 'tidy', block('tidy', [{ id: 'read', type: 'list', entity: 'order' }]));
  await made(org, 'event', 'on_user', event('on_user', 'tidy'));
  const { body, headers } = await manage(org, 'GET', '/config/logicblock/tidy?references=true');
  assert.equal(headers.get('etag'), null);
  assert.deepEqual(body.references, [
    { kind: 'entity', name: 'order', reason: 'works on its records in the step `read`' },
  ]);
  assert.deepEqual(body.referenced_by, [{ kind: 'event', name: 'on_user', reason: 'runs the logicblock `tidy`' }]);
  const { body: alone } = await manage(org, 'GET', '/config/logicblock/tidy');
  assert.equal('references' in alone || 'referenced_by' in alone, false);
  const other = await signUp(gateways);
  await made(other, 'logicblock', 'tidy', block('tidy'));
  const { body: theirs } = await manage(other, 'GET', '/config/logicblock/tidy?references=true');
  assert.deepEqual(theirs.referenced_by, []);
});

test('a setting that names a future item does not keep other items from being changed', async () => {
  const org = await signUp(gateways);
  await putSetting(org, 'tenancy', 'default_member_access', 'clerk');
  await made(org, 'logicblock', 'greet', block('greet'));
});

test('E07: what an event, a block and a crew need goes to production with them, and the versions stay theirs', async () => {
  const org = await provisionedOrg(gateways);
  for (const { kind, name, content } of items) await made(org, kind, name, content);
  const published = await publish(org, [{ kind: 'event', name: 'welcome' }]);
  assert.deepEqual(names(published.added_dependencies), ['logicblock greet']);
  await activate(org);
  const live = await read<Shown>(org, '/event/welcome?env=prod');
  assert.deepEqual(live.content, event('welcome', 'greet'));
  assert.deepEqual(names(await diff(org)), ['crew office', 'entity note', 'settings acl.cache_seconds']);
  await put(org, 'event/welcome', { ...event('welcome', 'greet'), enabled: false });
  const [difference] = (await diff(org)).filter(({ kind }) => kind === 'event');
  assert.deepEqual(difference?.summary, ['`enabled` is `false` now, and was `true`']);
  assert.deepEqual((await read<Shown>(org, '/event/welcome?env=prod')).content, event('welcome', 'greet'));
  await manage(org, 'DELETE', '/config/event/welcome');
  await manage(org, 'DELETE', '/config/logicblock/greet');
  const removed = await publish(org, [{ kind: 'logicblock', name: 'greet' }]);
  assert.deepEqual(names(removed.added_dependencies), ['event welcome']);
  assert.equal((await tryActivate(org)).status, 200);
  assertProblem(await manage(org, 'GET', '/config/event/welcome?env=prod'), 'not_found');
});

test('each change of an item is recorded in the audit log', async () => {
  const org = await signUp(gateways);
  const { version } = await made(org, 'logicblock', 'greet', block('greet'));
  await put(org, 'logicblock/greet', { ...block('greet'), description: 'x' });
  await manage(org, 'POST', '/config/logicblock/greet/restore', { body: { version } });
  await manage(org, 'DELETE', '/config/logicblock/greet');
  const log = await manage<Page<{ action: string; target: { id: string } }>>(org, 'GET', '/audit?action=logicblock.');
  assert.equal(log.body.items.length, 4);
  for (const { target } of log.body.items) assert.equal(target.id, 'greet');
});

/** Refused bodies, by the misplaced member. */
const nonsense: readonly (readonly [string, string, unknown, readonly string[]])[] = [
  ['POST', '/config/event', {}, ['/content', '/name']],
  ['POST', '/config/event', [], ['']],
  ['POST', '/config/event', { name: 'a', content: {}, more: 1 }, ['/more']],
  ['POST', '/config/event', { name: 'a', content: 7 }, ['/content']],
  ['POST', '/config/event', { name: 'a', content: event('b', 'greet') }, ['/content/event_name']],
  ['POST', '/config/logicblock', { name: '__proto__', content: block('__proto__') }, ['/content/name']],
  ['POST', '/config/logicblock', { name: 'a#b', content: block('a#b') }, ['/content/name']],
  ['POST', '/config/crew', { name: 'a', content: { ...crew('a'), secret: 'x' } }, ['/content/secret']],
  ['POST', '/config/settings', { name: 'acl.nothing', content: { value: 1 } }, ['/content']],
  ['POST', '/config/settings', { name: 'acl.cache_seconds', content: { value: 'long' } }, ['/content/value']],
  ['POST', '/config/entity', { name: 'user', content: entity('user') }, ['/content/definition/entityName']],
  ['PUT', '/config/crew/office', { ...crew('office'), agents: [] }, ['/agents']],
  ['PUT', '/config/crew/office', { ...crew('office'), name: 'other' }, ['/name']],
  ['POST', '/config/crew/office/restore', {}, ['/version']],
  ['POST', '/config/crew/office/restore', { version: '1' }, ['/version']],
];

const current = await signUp(gateways);
const office = await made(current, 'crew', 'office', crew('office'));

for (const [method, path, body, at] of nonsense)
  test(`${method} ${path} refuses ${JSON.stringify(body).slice(0, 80)}`, async () => {
    const reply = await manage(current, method, path, { body });
    const problem = assertProblem(reply, reply.body.code === 'unknown_field' ? 'unknown_field' : 'validation_failed');
    assert.deepEqual(pointers(problem), at);
    assert.deepEqual(await read(current, '/crew/office'), office);
  });

test('an unknown kind, item, version or parameter is reported as such', async () => {
  const get = (path: string) => manage(current, 'GET', `/config${path}`);
  for (const path of ['/users', '/entities/note', '/crew/none', '/crew/none/versions', '/crew/office/versions/99'])
    assertProblem(await get(path), 'not_found');
  for (const path of ['/crew/office/versions/0', '/crew/office/versions/1.5', '/crew/office/versions/x'])
    assertProblem(await get(path), 'not_found');
  assertProblem(await get('/crew/office/versions/1?compare=99'), 'not_found');
  for (const path of ['?more=1', '/crew?pagesize=0', '/crew?env=stage', '/crew/office/versions/1?compare=last'])
    assertProblem(await get(path), 'invalid_request');
  for (const path of ['/crew/office/versions', '/crew/office/versions/1'])
    assertProblem(await get(`${path}?env=prod`), 'invalid_request');
  assertProblem(await put(current, 'crew/none', crew('none')), 'not_found');
  assertProblem(await manage(current, 'DELETE', '/config/crew/none'), 'not_found');
  assertProblem(await manage(current, 'POST', '/config/crew/none/restore', { body: { version: 1 } }), 'not_found');
});

const routes: readonly (readonly [string, string, object?])[] = [
  ['GET', '/config'],
  ['GET', '/config/crew'],
  ['GET', '/config/crew/office'],
  ['GET', '/config/crew/office/versions'],
  ['GET', '/config/crew/office/versions/1'],
  ['POST', '/config/crew', { name: 'other', content: crew('other') }],
  ['PUT', '/config/crew/office', { ...crew('office'), status: 'inactive' }],
  ['DELETE', '/config/crew/office'],
  ['POST', '/config/crew/office/restore', { version: 1 }],
];

for (const [method, path, body] of routes)
  test(`${method} ${path} is for a builder of the org with a management token, and writes test alone`, async () => {
    const sent = body === undefined ? {} : { body };
    const neighbour = await signUp(gateways);
    assertProblem(await call(method, `${gateways.management}${path}`, sent), 'token_missing');
    assertProblem(await manage(current, method, path, { ...sent, token: 'junk' }), 'token_invalid');
    if (method !== 'GET') assertProblem(await manage(current, method, `${path}?env=prod`, sent), 'prod_read_only');
    if (path.includes('office')) assertProblem(await manage(neighbour, method, path, sent), 'not_found');
    assert.deepEqual(await read(current, '/crew/office'), office);
  });

test('a developer writes what is no setting, and an admin settings too', async () => {
  const org = await signUp(gateways);
  const { token } = await joinOrg(org, 'developer');
  const developer = { token };
  assert.equal((await make(org, { kind: 'crew', name: 'office', content: crew('office') }, developer)).status, 201);
  const path = 'settings/acl.cache_seconds';
  const setting = { kind: 'settings', name: 'acl.cache_seconds', content: { value: 5 } };
  assertProblem(await make(org, setting, developer), 'role_required');
  assertProblem(await put(org, path, { value: 5 }, developer), 'role_required');
  assert.equal((await put(org, path, { value: 5 })).status, 200);
  assertProblem(await manage(org, 'DELETE', `/config/${path}`, developer), 'role_required');
  assertProblem(
    await manage(org, 'POST', `/config/${path}/restore`, { ...developer, body: { version: 2 } }),
    'role_required',
  );
  assert.equal((await manage(org, 'GET', `/config/${path}`, developer)).status, 200);
});
