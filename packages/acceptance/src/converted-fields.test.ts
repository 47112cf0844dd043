/** A field gets another type: each value that stands is converted by an expression, and the value of before stays for a rollback. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import type { Reply } from './call.ts';
import { bring, download, Folder } from './deploy.ts';
import { eventually } from './eventually.ts';
import { act, create, defineEntity, definition, foundedOrg, list, manage, type Org } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { activate, deploy, prodFounder, provisionedOrg, publish, rollback } from './promotion.ts';

const gateways = await platformForTests();

interface Built {
  readonly state: string;
  readonly failed?: { readonly records: number; readonly examples: readonly { readonly id: string }[] };
}

interface Changed {
  readonly create: { readonly UpdateParams: readonly Readonly<Record<string, unknown>>[] };
  readonly indexes: readonly Built[];
  readonly fills?: readonly Built[];
}

interface Preview {
  readonly plan: readonly { readonly change: string; readonly field?: string; readonly records: unknown }[];
  readonly would_fail: boolean;
  readonly would_lose: boolean;
}

const texts = [{ name: 'title' }, { name: 'minutes', index: true }];
const whole = { name: 'minutes', colType: 'integer', index: true, convert: 'int(minutes)' };

async function entries() {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('entry', texts));
  return { org, founder };
}

function put<Body = Changed>(org: Org, UpdateParams: readonly object[], query = ''): Promise<Reply<Body>> {
  return manage<Body>(org, 'PUT', `/api/create-entry${query}`, { body: { UpdateParams } });
}

async function change(org: Org, UpdateParams: readonly object[], query = ''): Promise<Changed> {
  const reply = await put(org, UpdateParams, query);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** Once the platform is done with fills and indexes. */
async function settled(org: Org, env: 'test' | 'prod' = 'test'): Promise<readonly Built[]> {
  return eventually('the end of fills and indexes', async () => {
    const { body } = await manage<Changed>(org, 'GET', `/api/entity?entityName=entry&env=${env}`);
    const { indexes, fills = [] } = body;
    return [...fills, ...indexes].every(({ state }) => state === 'failed' || state === 'ready') && fills;
  });
}

async function valuesOf(caller: Parameters<typeof list>[0], query = ''): Promise<readonly unknown[]> {
  return (await list(caller, 'entry', query)).items.map(({ minutes }) => minutes);
}

test('values are converted for readers at once and for indexes once they are built, and new values have the new type', async () => {
  const { org, founder } = await entries();
  for (const minutes of ['90', '100', '9']) await create(founder, 'entry', { minutes });
  const none = await create(founder, 'entry', {});
  await change(org, [whole]);
  const sorted = async () => (await valuesOf(founder)).toSorted((left, right) => Number(left) - Number(right));
  assert.deepEqual(await sorted(), [9, 90, 100, undefined]);
  assert.deepEqual(await settled(org), []);
  assert.deepEqual(await sorted(), [9, 90, 100, undefined]);
  assert.deepEqual(await valuesOf(founder, '?sortby=minutes&sortdir=asc&minutes=9&minutes_op=gt'), [90, 100]);
  assert.deepEqual(await valuesOf(founder, '?filter=minutes > 90'), [100]);
  assertProblem(await act(founder, 'POST', '/create/entry', { body: { minutes: '5' } }), 'validation_failed');
  await act(founder, 'PUT', `/update/entry/${none.id}`, { body: { minutes: 5 } });
  assert.deepEqual(await valuesOf(founder, '?sortby=minutes&sortdir=asc'), [5, 9, 90, 100]);
  const shown = await act(founder, 'GET', `/item/entry/${none.id}`);
  assert.deepEqual(
    Object.keys(shown.body).filter((member) => /minutes|@/.test(member)),
    ['minutes'],
  );
});

test('a value that is cleared after the conversion stays cleared', async () => {
  const { org, founder } = await entries();
  const { id } = await create(founder, 'entry', { minutes: '90' });
  await change(org, [whole]);
  await act(founder, 'PUT', `/update/entry/${id}`, { body: { minutes: null } });
  assert.deepEqual(await valuesOf(founder), [undefined]);
  await act(founder, 'PUT', `/update/entry/${id}`, { body: { title: 'x' } });
  assert.deepEqual(await valuesOf(founder), [undefined]);
});

test('every value is tried before the change, and a value that cannot be converted is named', async () => {
  const { org, founder } = await entries();
  await create(founder, 'entry', { minutes: '90' });
  const bad = await create(founder, 'entry', { minutes: '1h' });
  const { body } = await put<Preview>(org, [whole], '?dry_run=true');
  assert.deepEqual([body.would_fail, body.would_lose], [true, false]);
  const step = body.plan.find(({ change: what }) => what === 'field_converted');
  assert.deepEqual([step?.field, step?.records], ['minutes', 1]);
  const problem = assertProblem(await put(org, [whole]), 'conflict');
  assert.equal(problem.would_fail, 1);
  assert.deepEqual(await valuesOf(founder, '?sortby=minutes&sortdir=asc'), ['1h', '90']);
  await change(org, [whole], '?force=true');
  const [fill] = await settled(org);
  assert.deepEqual([fill?.state, fill?.failed?.examples.map(({ id }) => id)], ['failed', [bad.id]]);
  assert.deepEqual(await valuesOf(founder, '?sortby=minutes&sortdir=asc'), [undefined, 90]);
});

test('the change may be sent again, and a definition that was read may be sent back', async () => {
  const { org, founder } = await entries();
  await create(founder, 'entry', { minutes: '90' });
  await change(org, [whole]);
  const stored = async () => {
    const { body } = await manage<Changed>(org, 'GET', '/api/entity?entityName=entry');
    return body.create.UpdateParams.find(({ name }) => name === 'minutes');
  };
  const once = await stored();
  assert.match(String(once?.storedAs), /^minutes@[0-9]+$/);
  await change(org, [whole]);
  assert.deepEqual(await stored(), once);
  await change(org, [{ ...once }]);
  assert.deepEqual(await stored(), once);
});

test('a field is converted again, renamed and taken out with all its values', async () => {
  const { org, founder } = await entries();
  await create(founder, 'entry', { minutes: '90' });
  await change(org, [whole]);
  await change(org, [{ name: 'minutes', colType: 'number', convert: 'minutes / 2' }]);
  assert.deepEqual(await valuesOf(founder), [45]);
  await change(org, [{ name: 'half', renamedFrom: 'minutes' }]);
  const [item] = (await list(founder, 'entry')).items;
  assert.deepEqual([item?.half, item?.minutes], [45, 45]);
  const body = { removeFields: ['half'] };
  const removed = await manage(org, 'PUT', '/api/create-entry?force=true', { body });
  assert.equal(removed.status, 200, removed.text);
  await settled(org);
  await eventually(
    'the erasure of the former values',
    async () => (await put(org, [{ name: 'minutes' }])).status === 200,
  );
  assert.deepEqual(await valuesOf(founder), [undefined]);
});

test('an org that got its definition as files converts the field again, also after a return to the first conversion', async () => {
  const { org: first } = await entries();
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) await change(first, [{ name }]);
  await change(first, [whole]);
  const { org: second, founder } = await foundedOrg(gateways);
  const archive = Folder.of(await download(first)).packed();
  const { base } = await bring(second, archive);
  await bring(second, archive, `?base=${base}`);
  await create(founder, 'entry', { minutes: 90 });
  const read = async () => {
    const { body } = await manage<Changed>(second, 'GET', '/api/entity?entityName=entry');
    return body.create.UpdateParams.find(({ name }) => name === 'minutes');
  };
  const got = await read();
  const half = { name: 'minutes', colType: 'number', convert: 'minutes / 2' };
  await change(second, [half]);
  assert.deepEqual(await valuesOf(founder), [45]);
  const converted = await read();
  const version = Number(String(got?.storedAs).split('@')[1]);
  assert.equal(converted?.storedAs, `minutes@${version + 1}`);
  await settled(second);
  // The first conversion once more, and another one: no name is used for values of two kinds.
  const back = await bring(second, archive);
  await bring(second, archive, `?base=${back.base}`);
  assert.deepEqual([await read(), await valuesOf(founder)], [got, [90]]);
  await change(second, [{ name: 'minutes', colType: 'string', convert: 'string(minutes) + " min"' }]);
  assert.equal((await read())?.storedAs, `minutes@${version + 2}`);
  assert.deepEqual(await valuesOf(founder), ['90 min']);
});

const refused = [
  ['another type than the field has', { ...whole, convert: 'minutes + "0"' }, 'invalid_expression'],
  ['another field', { ...whole, convert: 'int(title)' }, 'invalid_expression'],
  ['no field that stands', { ...whole, name: 'hours' }, 'contradiction'],
  ['a value that the platform makes', { ...whole, colType: 'autoincrement', index: false }, 'invalid_expression'],
  ['no expression', { ...whole, convert: 5 }, 'read_only'],
] as const;
for (const [what, field, code] of refused)
  test(`a conversion by an expression of ${what} is refused at its place`, async () => {
    const { org } = await entries();
    const problem = assertProblem(await put(org, [field]), 'validation_failed');
    assert.deepEqual(
      [pointers(problem), problem.errors?.map((one) => one.code)],
      [['/UpdateParams/0/convert'], [code]],
    );
  });

test('production converts its own values by the release, and a rollback and a return lose no later write', async () => {
  const org = await provisionedOrg(gateways);
  await defineEntity(org, definition('entry', texts));
  await deploy(org);
  const app = await prodFounder(org);
  const make = async (minutes: unknown) => (await create(app, 'entry', { minutes })).id;
  const update = async (id: string, minutes: unknown) => {
    const reply = await act(app, 'PUT', `/update/entry/${id}`, { body: { minutes } });
    assert.equal(reply.status, 200, reply.text);
  };
  const read = async (ids: readonly string[]) => {
    const replies = await Promise.all(ids.map((id) => act(app, 'GET', `/item/entry/${id}`)));
    return replies.map(({ body }) => body.minutes);
  };
  const [untouched, later, earlier] = [await make('1'), await make('2'), await make('3')];
  await change(org, [whole]);
  await publish(org);
  await activate(org);
  assert.deepEqual(await read([untouched, later, earlier]), [1, 2, 3]);
  await settled(org, 'prod');
  await update(later, 20);
  await update(earlier, 30);
  const born = await make(4);
  await rollback(org);
  assert.deepEqual(await read([untouched, later, earlier, born]), ['1', '2', '3', undefined]);
  await update(earlier, '33');
  await publish(org);
  await activate(org);
  assert.deepEqual(await read([untouched, later, earlier, born]), [1, 20, 33, 4]);
});
