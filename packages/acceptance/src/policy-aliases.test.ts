/** Which fields policies are about when these have several names: no call is answered otherwise by one than by another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  deny,
  foundedOrg,
  manage,
  memberWith,
  type Statement,
  withCondition,
  withFields,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { jsonLines, jsonl, transfer } from './transfer-calls.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const noteFields = [
  { name: 'text', aliases: ['body', 'content'], index: true, search: true },
  { name: 'holder', aliases: ['author'], index: true },
  { name: 'tags', colType: 'array', items: { colType: 'string' }, aliases: ['labels'] },
  { name: 'plain' },
];
await defineEntity(org, { entityName: 'note', UpdateParams: noteFields });
const lookup = { name: 'note_id', colType: 'guid', index: true, lookup: { entity: 'note' }, aliases: ['about'] };
await defineEntity(org, { entityName: 'reply', UpdateParams: [...noteFields, lookup] });

const values = [
  { text: 'a', holder: 'ann', tags: ['x'], plain: 'p' },
  { text: 'b', holder: 'bob', tags: ['x', 'y'], plain: 'q' },
  { text: 'ab', holder: 'ann', plain: 'r' },
];
const notes = await Promise.all(values.map((value) => create(founder, 'note', value)));
for (const [index, value] of values.entries()) await create(founder, 'reply', { ...value, about: notes[index]?.id });
const [first = '', second = ''] = notes.map(({ id }) => id);

interface Call {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
}

const filter = (text: string): string => `filter=${encodeURIComponent(text)}`;
const calls: Readonly<Record<string, Call>> = {
  list: { path: '/list/note' },
  'list by the name': { path: '/list/note?text=a' },
  'list by an alias': { path: '/list/note?body=a' },
  'list with an operator': { path: '/list/note?content=a&content_op=startswith' },
  'list in an order': { path: '/list/note?sortby=body' },
  'list of an owner': { path: '/list/note?author=ann' },
  'list by a filter': { path: `/list/note?${filter('body == "a" || size(labels) == 2')}` },
  'list by a filter over a lookup': { path: `/list/reply?${filter('about.body == "a"')}` },
  search: { path: '/list/note?q=ab' },
  'some fields': { path: '/list/note?fields=body,author' },
  count: { path: '/count/note' },
  get: { path: `/item/note/${first}` },
  'get of another': { path: `/item/note/${second}` },
  expand: { path: '/list/reply?expand=about' },
  'expand backward': { path: `/item/note/${first}?expand=reply_via_about` },
  export: { path: '/export/note?format=csv' },
  create: { method: 'POST', path: '/create/note', body: { text: 'new', holder: 'ann' } },
  'create by aliases': { method: 'POST', path: '/create/note', body: { body: 'new', author: 'ann' } },
  'create of the rest': { method: 'POST', path: '/create/note', body: { plain: 'new' } },
  update: { method: 'PUT', path: `/update/note/${first}`, body: { body: 'a' } },
  'update of the rest': { method: 'PUT', path: `/update/note/${first}`, body: { content: 'a', plain: 'p' } },
  'giving away': { method: 'PUT', path: `/update/note/${second}`, body: { author: 'bob', plain: 'q' } },
  batch: {
    method: 'POST',
    path: '/batch',
    body: {
      mode: 'independent',
      operations: [{ action: 'update', entity: 'note', id: second, data: { labels: ['x', 'y'] } }],
    },
  },
  evaluation: {
    method: 'POST',
    path: '/access/v1/evaluation',
    body: {
      subject: {},
      action: { name: 'update' },
      resource: { type: 'note', id: first, properties: { content: 'z' } },
    },
  },
  permissions: { path: '/user/permissions' },
};

/** What is answered, without what no two answers have in common. */
async function answered(user: AppUser, { method = 'GET', path, body }: Call): Promise<string> {
  const sent = path.startsWith('/access') ? { ...(body as object), subject: { type: 'user', id: user.id } } : body;
  const reply = await act(user, method, path, sent === undefined ? {} : { body: sent });
  const ids = notes.reduce((text, { id }, index) => text.replaceAll(id, `note ${index}`), reply.text);
  const plain = ids
    .replaceAll(
      /"(decision_id|request_id|instance|nexttoken|updated_at|updated_by|created_at|created_by|id)":"[^"]*"/g,
      '"$1":""',
    )
    .replaceAll(/"etag":"\\"[^"]*\\""/g, '"etag":""')
    .replaceAll(/"version":\d+/g, '"version":0')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f]{8}-[0-9a-f-]{27}|,\d+(?=\r\n)/g, '');
  return `${reply.status} ${path === '/user/permissions' ? JSON.stringify((reply.body as { entities?: unknown }).entities) : plain}`;
}

async function answersTo(statements: readonly Statement[]): Promise<Readonly<Record<string, string>>> {
  const user = await memberWith(founder, statements);
  const answers: Record<string, string> = {};
  for (const [name, call] of Object.entries(calls)) {
    // Records that a call has made are not to be in the answers to others.
    answers[name] = await answered(user, call);
    if (call.method === 'POST') await withoutNewNotes();
  }
  const rows = jsonLines([{ body: 'new', author: 'ann' }, { plain: 'new' }, { text: 'new', labels: ['x'] }]);
  const imported = await transfer(user, '/import/note?dry_run=true', { method: 'POST', headers: jsonl, body: rows });
  answers.import = `${imported.status} ${imported.text.replaceAll(/"decision_id":"[^"]*"/g, '')}`;
  return answers;
}

async function withoutNewNotes(): Promise<void> {
  const { items } = (
    await act<{ readonly items: readonly { readonly id: string }[] }>(founder, 'GET', '/list/note?pagesize=50')
  ).body;
  for (const { id } of items)
    if (!notes.some((note) => note.id === id)) await act(founder, 'DELETE', `/delete/note/${id}`);
}

type Name = (field: 'text' | 'holder' | 'tags') => string;
const byPresent: Name = (field) => field;
const byAlias: Name = (field) => ({ text: 'body', holder: 'author', tags: 'labels' })[field];
const all = allow('*');

const policies: Readonly<Record<string, (name: Name) => readonly Statement[]>> = {
  'an Allow of fields': (name) => [withFields(all, name('holder'), 'plain', 'note_id')],
  'an Allow with an exception': (name) => [withFields(all, '*', `!${name('text')}`)],
  'a Deny of a field': (name) => [all, withFields(deny('*'), name('text'))],
  'a Deny by a wildcard': (name) => [all, withFields(deny(['get*', 'update*']), `${name('text').slice(0, 2)}*`)],
  'a Deny with an exception': (name) => [all, withFields(deny('*'), '*', `!${name('holder')}`, '!plain', '!note_id')],
  'a condition on a value': (name) => [withCondition(all, { StringEquals: { [`record.${name('holder')}`]: 'ann' } })],
  'a Deny under a condition': (name) => [
    all,
    withCondition(deny('*'), { StringEquals: { [`record.${name('text')}`]: ['b', 'new'] } }),
  ],
  'a condition on an array': (name) => [
    withCondition(all, { 'ForAnyValue:StringEquals': { [`record.${name('tags')}`]: 'y' } }),
  ],
  'a missing value': (name) => [
    all,
    withCondition(deny('*note'), { Null: { [`Record.${name('tags').toUpperCase()}`]: true } }),
  ],
  'a state of the record': (name) => [
    all,
    withCondition(deny('updatenote'), { StringEquals: { [`record.after.${name('holder')}`]: 'bob' } }),
  ],
  'a value that is sent': (name) => [
    all,
    withCondition(deny(['*note']), { Null: { [`request.body.${name('text')}`]: false } }),
  ],
  'a parameter': (name) => [
    all,
    withCondition(deny(['*note']), { Null: { [`request.queryParameters.${name('text')}`]: false } }),
  ],
  'a variable': (name) => [
    withCondition(all, { StringEquals: { 'request.method': ['GET', `$\u007brecord.${name('holder')}}`] } }),
  ],
};

for (const [what, policy] of Object.entries(policies))
  test(`every call is answered alike by whichever name of a field: ${what}`, async () => {
    const expected = await answersTo(policy(byPresent));
    assert.deepEqual(await answersTo(policy(byAlias)), expected);
    assert.notDeepEqual(await answersTo([all]), expected);
  });

interface SimulatedDecision {
  readonly decision: string;
  readonly fields?: readonly string[];
  readonly matched: readonly {
    readonly renamed?: unknown;
    readonly Fields?: unknown;
    readonly failed_condition?: { readonly key: string };
  }[];
}

test('explanations call a field as the policy does, and say what it is called now', async () => {
  const statements = [
    withFields(allow('getnote'), 'bo*', 'plain'),
    withCondition(allow('getnote'), { StringEquals: { 'record.author': 'eve' } }),
  ];
  const body = {
    statements,
    action: 'getnote',
    resource: `/item/note/${first}`,
    tenant_code: 'main',
    record: { id: first },
  };
  const describe = (await manage<SimulatedDecision>(org, 'POST', '/acl/simulate', { body })).body;
  assert.deepEqual([describe.decision, describe.fields], ['allowed', ['text', 'plain']]);
  assert.deepEqual(
    describe.matched.map(({ Fields, renamed, failed_condition }) => [Fields, renamed, failed_condition?.key]),
    [
      [['bo*', 'plain'], [{ name: 'bo*', field: 'text' }], undefined],
      [undefined, [{ name: 'record.author', field: 'holder' }], 'record.author'],
    ],
  );
  const given = { ...body, record: { body: 'a', author: 'eve' } };
  assert.equal((await manage<SimulatedDecision>(org, 'POST', '/acl/simulate', { body: given })).body.fields, undefined);
  const findings = (
    await manage<{ readonly findings: readonly { readonly code: string; readonly pointer: string }[] }>(
      org,
      'POST',
      '/acl/lint',
      { body: { statements } },
    )
  ).body.findings;
  const renamed = findings.filter(({ code }) => code === 'renamed_field').map(({ pointer }) => pointer);
  assert.deepEqual(renamed, ['/statements/0/Fields/0', '/statements/1/Condition/StringEquals/record.author']);
  const member = await memberWith(founder, statements);
  const { body: held } = await act<{ readonly renamed?: unknown }>(member, 'GET', '/user/permissions');
  assert.deepEqual(held.renamed, {
    note: [
      { name: 'bo*', field: 'text' },
      { name: 'record.author', field: 'holder' },
    ],
  });
  const matrix = await manage<{
    readonly items: readonly {
      readonly user_id: string;
      readonly entities: Readonly<Record<string, { readonly get: { readonly renamed?: unknown } }>>;
    }[];
  }>(org, 'GET', '/acl/matrix?env=test&tenant_code=main&entity=note&pagesize=50');
  const row = matrix.body.items.find(({ user_id }) => user_id === member.id);
  assert.deepEqual(row?.entities.note?.get.renamed, [{ name: 'record.author', field: 'holder' }]);
});

test('a member grants no field by an alias that his own policies except by its name', async () => {
  const author = await memberWith(founder, [
    allow(['createaclpolicy', 'getaclpolicy']),
    withFields(allow('getnote'), '*', '!text'),
  ]);
  const granting = (field: string) =>
    act(author, 'POST', '/create/aclpolicy', {
      body: { name: `p ${field} ${author.id}`, statements: [withFields(allow('getnote'), field)] },
    });
  assert.equal((await granting('plain')).status, 201);
  for (const field of ['text', 'body', 'content', 'bod?', '*'])
    assert.equal((await granting(field)).body.code, 'escalation_refused', field);
});

test('policies mean the field by an alias that was removed, too', async () => {
  for (const name of ['note', 'reply']) {
    const body = { UpdateParams: ['text', 'holder', 'tags'].map((field) => ({ name: field, aliases: null })) };
    const reply = await manage(org, 'PUT', `/api/create-${name}`, { body });
    assert.equal(reply.status, 200, reply.text);
  }
  const denied = await memberWith(founder, [
    all,
    withFields(deny('*'), 'body'),
    withCondition(deny('*'), { StringEquals: { 'record.author': 'bob' } }),
  ]);
  const { items } = (
    await act<{ readonly items: readonly Readonly<Record<string, unknown>>[] }>(denied, 'GET', '/list/note')
  ).body;
  assert.deepEqual(
    items.map(({ text, body, holder }) => [text, body, holder]),
    [
      [undefined, undefined, 'ann'],
      [undefined, undefined, 'ann'],
    ],
  );
  assert.equal((await act(denied, 'GET', '/list/note?text=a')).body.code, 'invalid_request');
  assert.equal((await act(denied, 'PUT', `/update/note/${first}`, { body: { text: 'z' } })).body.code, 'access_denied');
  assert.equal((await act(denied, 'GET', `/item/note/${second}`)).status, 404);
  const granted = await memberWith(founder, [withFields(allow('getnote'), 'content')]);
  assert.equal((await act(granted, 'GET', `/item/note/${first}`)).body.text, 'a');
});
