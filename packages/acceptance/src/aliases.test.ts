/** A field has the same value under each of its names, wherever a caller names it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { atomic, creating, type Results, updating } from './batches.ts';
import { documentedApp } from './documented-gateway.ts';
import {
  type AppUser,
  act,
  allow,
  count,
  create,
  defineEntity,
  deny,
  foundedOrg,
  list,
  manage,
  memberWith,
  random,
  type StoredRecord,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { csv, importFile, jsonl } from './transfer-calls.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

const text = {
  name: 'text',
  aliases: ['body', 'note'],
  index: true,
  search: true,
  validate: true,
  required: true,
  minlength: 2,
};
const minutes = { name: 'minutes', colType: 'integer', index: true, aliases: ['time'] };
const ticketId = { name: 'ticket_id', colType: 'guid', lookup: { entity: 'ticket' }, aliases: ['ticket'] };
await defineEntity(org, {
  entityName: 'ticket',
  UpdateParams: [
    { name: 'title', aliases: ['subject'] },
    { name: 'code', aliases: ['key'] },
  ],
});
await defineEntity(org, {
  entityName: 'comment',
  UpdateParams: [
    text,
    minutes,
    ticketId,
    { name: 'line', colType: 'formula', formula: '{body}: {time}' },
    { name: 'double', colType: 'formula', formula: { cel: 'time * 2', type: 'integer' } },
  ],
  UniqueIndexes: [{ indexName: 'by_text', fields: ['text'] }],
  indexes: [{ fields: ['minutes', '-text'] }],
  checks: [{ cel: 'time < 1000', message: 'less than 1000 minutes' }],
  Views: { old: { fields: [{ name: 'body' }, { name: 'time', cast: 'string' }, { name: 'text', as: 'shown' }] } },
});
const ticket = await create(founder, 'ticket', { subject: 'Lamp', key: 'L1' });

const named = ({ text, body, note, minutes, time, ticket_id, ticket }: StoredRecord) => ({
  text,
  body,
  note,
  minutes,
  time,
  ticket_id,
  ticket,
});
/** What a record shows of these values. */
const asNamed = (value: string, of?: number, to?: string) => ({
  text: value,
  body: value,
  note: value,
  minutes: of,
  time: of,
  ticket_id: to,
  ticket: to,
});
const path = ({ id }: { readonly id: string }, query = ''): string => `/item/comment/${id}${query}`;
const put = (record: { readonly id: string }, body: object) =>
  act<StoredRecord>(founder, 'PUT', `/update/comment/${record.id}`, { body });
const get = async (record: { readonly id: string }, query = '', user: AppUser = founder) =>
  (await act<StoredRecord>(user, 'GET', path(record, query))).body;
const newText = (): string => `t${random()}`;
const errorsOf = (reply: Awaited<ReturnType<typeof act>>) =>
  (assertProblem(reply, 'validation_failed').errors ?? []).map(({ pointer, code, message }) => [
    pointer,
    code,
    message,
  ]);

test('a create and an update take a field by any name, and replies show it by all', async () => {
  const value = newText();
  const made = await create(founder, 'comment', { body: value, time: 5, ticket: ticket.id });
  assert.deepEqual(named(made), asNamed(value, 5, ticket.id));
  assert.deepEqual([made.line, made.double], [`${value}: 5`, 10]);
  const next = newText();
  const updated = await put(made, { note: next, minutes: 6 });
  assert.deepEqual(named(updated.body), asNamed(next, 6, ticket.id));
  assert.deepEqual(named(await get(made)), asNamed(next, 6, ticket.id));
  await put(made, { time: null });
  assert.deepEqual(named(await get(made)), asNamed(next, undefined, ticket.id));
});

test('a record that was read, changed under one name and sent back is changed', async () => {
  for (const name of ['text', 'body', 'note']) {
    const made = await create(founder, 'comment', { text: newText(), minutes: 1 });
    const value = newText();
    const reply = await put(made, { ...made, [name]: value });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(named(await get(made)), asNamed(value, 1));
  }
});

test('two names of one field with two values contradict each other, at the second', async () => {
  const made = await create(founder, 'comment', { text: newText() });
  const body = { body: newText(), minutes: 1, text: newText() };
  const message = '`body` and `text` are names of one field, and have different values: send one of them';
  for (const [method, at] of [
    ['POST', '/create/comment'],
    ['PUT', `/update/comment/${made.id}`],
  ] as const)
    assert.deepEqual(errorsOf(await act(founder, method, at, { body })), [['/text', 'contradiction', message]]);
  const batch = await atomic(founder, [creating('comment', body)]);
  assert.deepEqual(errorsOf(batch), [['/operations/0/data/text', 'contradiction', message]]);
  assert.deepEqual(await get(made), made);
});

test('a refusal names what was sent', async () => {
  const post = (body: object) => act(founder, 'POST', '/create/comment', { body });
  const short = errorsOf(await post({ body: 'x', time: 'soon' }));
  assert.deepEqual(
    short.map(([pointer, code]) => `${pointer} ${code}`),
    ['/body too_short', '/time wrong_type'],
  );
  for (const [, , message] of short) assert.match(String(message), /^field `(body|time)` /);
  const lost = '00000000-0000-7000-8000-000000000000';
  const [reference] = errorsOf(await post({ body: newText(), ticket: lost }));
  assert.deepEqual(reference, [
    '/ticket',
    'unknown_reference',
    `field \`ticket\`: there is no \`ticket\` with the id \`${lost}\` in this workspace`,
  ]);
  const taken = newText();
  await create(founder, 'comment', { text: taken });
  const conflict = assertProblem(await post({ note: taken }), 'unique_violation');
  assert.deepEqual(
    conflict.errors?.map(({ pointer }) => pointer),
    ['/note'],
  );
  assert.deepEqual((await act(founder, 'POST', '/create/comment', { body: {} })).status, 400);
});

test('a batch takes and shows every name', async () => {
  const made = await create(founder, 'comment', { text: newText() });
  const [first, second] = [newText(), newText()];
  const operations = [creating('comment', { note: first, time: 2 }), updating('comment', made, { body: second })];
  const { body, text: reply } = await act<Results>(founder, 'POST', '/batch', { body: { mode: 'atomic', operations } });
  const records = body.results.map((one) => one.record as StoredRecord | undefined);
  assert.ok(records[0] !== undefined && records[1] !== undefined, reply);
  assert.deepEqual(named(records[0]), asNamed(first, 2));
  assert.deepEqual(named(records[1]), asNamed(second));
});

test('an import takes columns and members by any name, an upsert finds by them, and what was exported comes in again', async () => {
  const [one, two] = [newText(), newText()];
  const csvFile = `body,time\n${one},1\n${two},2\n`;
  assert.equal((await importFile(founder, 'comment', csvFile, csv)).created, 2);
  const lines = `${JSON.stringify({ note: one, time: 11 })}\n${JSON.stringify({ body: two, minutes: 12 })}\n`;
  const upserted = await importFile(founder, 'comment?upsert=by_text', lines);
  assert.deepEqual([upserted.updated, upserted.failed], [2, 0]);
  const filter = `?sortby=minutes&sortdir=asc&minutes_op=between&minutes=11,12`;
  assert.deepEqual((await list(founder, 'comment', filter)).items.map(named), [asNamed(one, 11), asNamed(two, 12)]);
  const wrong = `body,text,time\n${newText()},${newText()},1\nx,x,1\n${one},${one},soon\n`;
  const refused = await importFile(founder, 'comment', wrong, csv);
  assert.deepEqual(
    refused.errors.map(({ errors }) => errors.map(({ pointer, code }) => `${pointer} ${code}`)),
    [['/text contradiction'], ['/text too_short'], ['/time wrong_type']],
  );
  for (const format of ['csv', 'jsonl']) {
    const { text: file } = await act(founder, 'GET', `/export/comment${filter}&format=${format}`);
    if (format === 'csv') assert.match(file, /^id,text,body,note,minutes,time,/);
    const again = await importFile(founder, 'comment?upsert=by_text', file, format === 'csv' ? csv : jsonl);
    assert.deepEqual([again.updated, again.failed], [2, 0], file);
  }
});

async function newComments() {
  const mark = random();
  const made = [];
  for (const at of [1, 2, 3])
    made.push(await create(founder, 'comment', { body: `${mark} n${at}`, time: 100 + at, ticket: ticket.id }));
  return { mark, ids: made.map(({ id }) => id) };
}

test('lists, counts and totals take filters, orders, words and expressions by any name', async () => {
  const { mark, ids } = await newComments();
  const texts = [1, 2, 3].map((at) => `${mark} n${at}`);
  const ofMark = `body=${mark}&body_op=startswith`;
  for (const [query, found] of [
    [`?body=${encodeURIComponent(texts[1] ?? '')}`, [1]],
    [`?${ofMark}&sortby=body`, [0, 1, 2]],
    [`?${ofMark}&sortby=note&sortdir=desc`, [2, 1, 0]],
    [`?${ofMark}&time=101&time_op=gt&sortby=time`, [1, 2]],
    [`?${ofMark}&text=${encodeURIComponent(texts[2] ?? '')}`, [2]],
    [`?${ofMark}&sortby=time,body&sortdir=asc,desc`, [0, 1, 2]],
    [`?q=${mark}&sortdir=asc`, [0, 1, 2]],
    [`?filter=${encodeURIComponent(`body.startsWith("${mark}") && record.time > 101`)}&sortdir=asc`, [1, 2]],
    [`?filter=${encodeURIComponent(`has(note) && ticket.subject == "Lamp" && text == "${texts[0]}"`)}`, [0]],
    [`?ticket=${ticket.id}&${ofMark}&time_op=in&time=101,103&sortdir=asc`, [0, 2]],
  ] as const) {
    const page = (
      await act<{ items: StoredRecord[]; total: number }>(founder, 'GET', `/list/comment${query}&total=true`)
    ).body;
    assert.deepEqual(
      page.items?.map(({ id }) => ids.indexOf(id)),
      found,
      query,
    );
    assert.equal(page.total, found.length);
    assert.equal(await count(founder, 'comment', query.replace(/&sort(by|dir)=[^&]*/g, '')), found.length);
    for (const item of page.items)
      assert.deepEqual(named(item), asNamed(texts[ids.indexOf(item.id)] ?? '', 101 + ids.indexOf(item.id), ticket.id));
  }
});

test('a cursor of one name goes on under another', async () => {
  const { mark, ids } = await newComments();
  const found: string[] = [];
  let nexttoken = '';
  for (const name of ['body', 'text', 'note']) {
    const query = `?${name}=${mark}&${name}_op=startswith&sortby=${name}&pagesize=1${nexttoken}`;
    const page = await list(founder, 'comment', query);
    found.push(...page.items.map(({ id }) => id));
    nexttoken = `&nexttoken=${page.nexttoken}`;
  }
  assert.deepEqual(found, ids);
});

test('a mistake in a list names what was sent', async () => {
  const messages = async (query: string) => {
    const { errors = [] } = assertProblem(await act(founder, 'GET', `/list/comment${query}`), 'invalid_request');
    return errors.map(({ pointer, message }) => `${pointer}: ${message}`);
  };
  assert.deepEqual(await messages('?time=soon'), ['/time: field `time` must be a whole number']);
  assert.deepEqual(await messages('?text_op=ne&body=a'), ['/text_op: `text_op` is sent without its field']);
  assert.deepEqual(await messages('?sortby=text,note'), ['/sortby: `sortby` names field `note` twice']);
  const own = await memberWith(founder, [{ ...allow(['listcomment', 'getcomment']), Fields: ['minutes'] }]);
  const hidden = assertProblem(await act(own, 'GET', '/list/comment?body=a'), 'invalid_request');
  assert.deepEqual(
    hidden.errors?.map(({ pointer, code }) => `${pointer} ${code}`),
    ['/body not_readable'],
  );
  const filtered = assertProblem(await act(own, 'GET', '/list/comment?filter=body=="a"'), 'invalid_request');
  assert.match(filtered.errors?.[0]?.message ?? '', /field `body`/);
});

test('`fields` and views show a field by the name that is asked for', async () => {
  const value = newText();
  const made = await create(founder, 'comment', { text: value, minutes: 7 });
  const { id, version, created_at, updated_at } = made;
  const envelope = { id, version, created_at, updated_at };
  assert.deepEqual(await get(made, '?fields=body,minutes'), { ...envelope, body: value, minutes: 7 });
  assert.deepEqual(await get(made, '?view=old'), { body: value, time: '7', shown: value });
  assert.deepEqual(await get(made, '?view=old&fields=note'), { note: value });
  assert.deepEqual((await list(founder, 'comment', `?id=${id}&fields=note`)).items, [{ ...envelope, note: value }]);
  assertProblem(await act(founder, 'GET', path(made, '?view=old&fields=ticket_id')), 'invalid_request');
});

test('`expand` takes a lookup by any name, in both directions, and calls it so', async () => {
  const { ids } = await newComments();
  interface Expanded extends StoredRecord {
    readonly expand: Readonly<Record<string, { readonly subject?: string; readonly items?: readonly StoredRecord[] }>>;
  }
  const comment = (await act<Expanded>(founder, 'GET', `/item/comment/${ids[0]}?expand=ticket,ticket_id`)).body;
  assert.deepEqual(Object.keys(comment.expand), ['ticket', 'ticket_id']);
  for (const shown of Object.values(comment.expand)) assert.equal(shown.subject, 'Lamp');
  const other = await create(founder, 'ticket', { title: 'Other' });
  const one = await create(founder, 'comment', { text: newText(), ticket_id: other.id });
  const back = (
    await act<Expanded>(founder, 'GET', `/item/ticket/${other.id}?expand=comment_via_ticket,comment_via_ticket_id`)
  ).body;
  assert.deepEqual(Object.keys(back.expand), ['comment_via_ticket', 'comment_via_ticket_id']);
  for (const { items = [] } of Object.values(back.expand)) assert.deepEqual(items.map(named), [named(one)]);
  assertProblem(await act(founder, 'GET', `/item/ticket/${other.id}?expand=comment_via_note`), 'invalid_request');
});

test('a reply with aliases has a tag of its own, by which writes and copies are checked', async () => {
  const entity = `memo_${random()}`;
  await defineEntity(org, { entityName: entity, UpdateParams: [{ name: 'text' }] });
  const { id } = await create(founder, entity, { text: 'a' });
  const read = (tag?: string) =>
    act<StoredRecord>(founder, 'GET', `/item/${entity}/${id}`, {
      headers: tag === undefined ? {} : { 'if-none-match': tag },
    });
  const before = (await read()).headers.get('etag') ?? '';
  const change = (field: object) => manage(org, 'PUT', `/api/create-${entity}`, { body: { UpdateParams: [field] } });
  assert.equal((await change({ name: 'text', aliases: ['body'] })).status, 200);
  const shown = await read(before);
  assert.deepEqual([shown.status, shown.body.body], [200, 'a']);
  const tag = shown.headers.get('etag') ?? '';
  assert.equal((await read(tag)).status, 304);
  const put = (ifMatch: string, body: object) =>
    act(founder, 'PUT', `/update/${entity}/${id}`, { body, headers: { 'if-match': ifMatch } });
  assert.equal((await put(tag, { body: 'b' })).status, 200);
  assertProblem(await put(tag, { body: 'c' }), 'version_mismatch');
  assert.equal((await change({ name: 'text', aliases: null })).status, 200);
  const { status, body } = await read((await read()).headers.get('etag') ?? '');
  assert.deepEqual([status, body], [304, undefined]);
  assert.deepEqual(Object.hasOwn((await read()).body, 'body'), false);
  assertProblem(await act(founder, 'PUT', `/update/${entity}/${id}`, { body: { body: 'x' } }), 'unknown_field');
});

test('the app’s document describes each alias as deprecated', async () => {
  const { body } = await act<{
    components: { schemas: Record<string, { properties: Record<string, { deprecated?: boolean }> }> };
    paths: Record<string, { get?: { parameters: { name: string; deprecated?: boolean }[] } }>;
  }>(founder, 'GET', '/openapi.json');
  for (const name of ['Comment', 'CommentCreate', 'CommentUpdate']) {
    const { properties = {} } = body.components.schemas[name] ?? {};
    const aliases = Object.keys(properties).filter((member) => properties[member]?.deprecated === true);
    assert.deepEqual(aliases, ['body', 'note', 'time', 'ticket'], name);
  }
  const [, listed] = Object.entries(body.paths).find(([path]) => path.endsWith('/list/comment')) ?? [];
  const parameters = listed?.get?.parameters ?? [];
  assert.deepEqual(
    parameters.filter(({ deprecated }) => deprecated === true).map(({ name }) => name),
    ['body', 'note', 'time', 'ticket'].flatMap((name) => [name, `${name}_op`]),
  );
});

test('replies are as the app’s document describes them', async () => {
  const { document, send } = await documentedApp(founder);
  const { token } = founder;
  const value = newText();
  const made = await send<StoredRecord>('createComment', { token, body: { note: value, ticket: ticket.id } });
  const { id } = made.body;
  assert.deepEqual(named(made.body), asNamed(value, undefined, ticket.id));
  await send('updateComment', { token, path: { id }, body: { time: 4 } });
  await send('getComment', { token, path: { id }, query: { expand: 'ticket', fields: 'body,ticket' } });
  await send('listComment', { token, query: { body: value, sortby: 'time', total: 'true' } });
  await send('getTicket', { token, path: { id: ticket.id }, query: { expand: 'comment_via_ticket' } });
  const { body: schema = {} } = document.operation('createComment');
  for (const body of [{ text: value }, { body: value }, { note: value, text: value }])
    assert.ok(document.fits(schema, body), JSON.stringify(body));
  for (const body of [{}, { time: 5 }, { body: 5 }]) assert.ok(!document.fits(schema, body), JSON.stringify(body));
});

test('policies mean a field by each of its names, and one that is written under several is judged once', async () => {
  const value = newText();
  const made = await create(founder, 'comment', { text: value, minutes: 5 });
  const verbs = ['getcomment', 'listcomment', 'createcomment', 'updatecomment'];
  const writer = await memberWith(founder, [{ ...allow(verbs), Fields: ['note', 'minutes'] }]);
  const { id, version, created_at, updated_at } = made;
  const shown = { id, version, created_at, updated_at, text: value, body: value, note: value, minutes: 5, time: 5 };
  assert.deepEqual(await get(made, '', writer), shown);
  const next = newText();
  const update = (user: AppUser, body: object) => act<StoredRecord>(user, 'PUT', `/update/comment/${id}`, { body });
  assert.equal((await update(writer, { ...shown, body: next })).status, 200);
  const refused = assertProblem(await update(writer, { ticket: ticket.id }), 'access_denied');
  assert.deepEqual(
    refused.errors?.map(({ pointer, message }) => `${pointer} ${message}`),
    ['/ticket the caller may not write field `ticket`'],
  );
  const Condition = { StringEquals: { 'request.body.body': ['closed'] } };
  const careful = await memberWith(founder, [allow(verbs), { ...deny('updatecomment'), Condition }]);
  for (const body of [
    { text: 'closed' },
    { note: 'closed' },
    { text: next, body: 'closed' },
    { body: next, text: 'closed' },
  ])
    assertProblem(await update(careful, body), 'access_denied');
  assert.equal((await update(careful, { note: newText() })).status, 200);
});

test('`explain` tells of the index by the name of the field', async () => {
  const given = await manage<{ token: string; user_id: string }>(org, 'POST', '/org/impersonate', {
    body: { env: 'test', tenant_code: founder.tenantCode },
  });
  const builder = { ...founder, token: given.body.token };
  const { body } = await act<{ explain: { index: unknown } }>(builder, 'GET', '/list/comment?body=a&explain=true');
  assert.deepEqual(body.explain.index, { name: 'text', kind: 'field' });
});
