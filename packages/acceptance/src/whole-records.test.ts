/** Records that are put back whole, as admin frameworks do: their `version` says on which state a change is based. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import { apart, atomic, updating } from './batches.ts';
import {
  act,
  allow,
  create,
  defineEntity,
  definition,
  deny,
  foundedOrg,
  list,
  memberWith,
  type StoredRecord,
  withFields,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { csv, type ImportResult, importFile, jsonLines, jsonl, transfer } from './transfer-calls.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

await defineEntity(org, {
  ...definition('ticket', [
    { name: 'number', validate: true, required: false, maxlength: 10 },
    { name: 'title', validate: true, minlength: 2, maxlength: 20 },
    { name: 'cost', colType: 'number' },
    { name: 'pin', colType: 'encrypted' },
  ]),
  UniqueIndexes: [{ indexName: 'by_number', fields: ['number'] }],
});

let count = 0;
const newTicket = (): Promise<StoredRecord> =>
  create(founder, 'ticket', { number: `N${++count}`, title: 'one', cost: 7, pin: '1234' });
const read = async (id: string): Promise<StoredRecord> => (await act(founder, 'GET', `/item/ticket/${id}`)).body;
const put = (id: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  act(founder, 'PUT', `/update/ticket/${id}`, { body, headers });
/** The record as it was before another caller changed it. */
async function overtaken(): Promise<StoredRecord> {
  const record = await newTicket();
  assert.equal((await put(record.id, { title: 'two' })).status, 200);
  return record;
}

test('a `version` in the body that is not the stored one is refused before any other member is judged', async () => {
  const { id, version } = await overtaken();
  const before = await read(id);
  const others = [
    {},
    { title: 'x' },
    { title: 7, colour: 'red', id: 'other', updated_at: 'never', pin: null },
    Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`unknown${index}`, index])),
  ];
  for (const other of others)
    for (const stale of [version, version + 1e6, -1, `${before.version}`, null, [before.version], 0.5])
      for (const body of [
        { ...other, version: stale },
        { version: stale, ...other },
      ]) {
        const problem = assertProblem(await put(id, body), 'version_mismatch');
        assert.deepEqual([problem.status, problem.etag], [412, `"${before.version}"`]);
      }
  assert.deepEqual(await read(id), before);
  assert.equal((await put(id, { ...before, title: 'three' })).body.title, 'three');
});

test('a `version` in the body and `If-Match` must both hold', async () => {
  const stale = await overtaken();
  const { id, version } = await read(stale.id);
  for (const [tag, inBody] of [
    [version, stale.version],
    [stale.version, version],
    [stale.version, stale.version],
  ])
    assertProblem(await put(id, { title: 'three', version: inBody }, { 'if-match': `"${tag}"` }), 'version_mismatch');
  for (const tag of ['*', `"${version}"`]) {
    const current = await read(id);
    const headers = { 'if-match': tag === '*' ? tag : `"${current.version}"` };
    assert.equal((await put(id, { ...current, title: `as ${headers['if-match']}` }, headers)).status, 200);
  }
});

test('the `version` of an item of a list, sent in `If-Match`, locks the record', async () => {
  const { id } = await newTicket();
  const { items } = await list(founder, 'ticket', `?number=N${count}`);
  const headers = { 'if-match': `"${items[0]?.version}"` };
  assert.equal((await put(id, { title: 'two' }, headers)).status, 200);
  assertProblem(await put(id, { title: 'three' }, headers), 'version_mismatch');
  assertProblem(await act(founder, 'DELETE', `/delete/ticket/${id}`, { headers }), 'version_mismatch');
});

test('in a batch the `version` in `data` holds an operation to it, beside `if_match`', async () => {
  const stale = await overtaken();
  const now = await read(stale.id);
  const bad = { title: 'x', colour: 'red' };
  for (const operation of [
    updating('ticket', stale, { ...bad, version: stale.version }),
    { ...updating('ticket', stale, { ...bad, version: stale.version }), if_match: `"${now.version}"` },
    { ...updating('ticket', stale, { title: 'three', version: now.version }), if_match: `"${stale.version}"` },
  ]) {
    assertProblem(await atomic(founder, [operation]), 'version_mismatch');
    const [result] = await apart(founder, [operation]);
    assert.deepEqual([result?.status, result?.error?.code], [412, 'version_mismatch']);
  }
  assert.deepEqual(await read(stale.id), now);
  const [result] = await apart(founder, [updating('ticket', stale, { ...now, title: 'three' })]);
  assert.equal(result?.record?.title, 'three');
});

test('an import by upsert holds a row to its `version`, and passes it over where the row makes a record', async () => {
  const stale = await overtaken();
  const now = await read(stale.id);
  const codes = ({ errors }: ImportResult) => errors.map(({ row, errors }) => [row, ...errors.map(({ code }) => code)]);
  const fresh = { number: `N${++count}`, title: 'new', version: 1 };
  const rows = [{ number: stale.number, title: 'x', colour: 'red', version: stale.version }, fresh];
  for (const dry of ['&dry_run=true', '']) {
    const result = await importFile(founder, `ticket?upsert=by_number${dry}`, jsonLines(rows));
    assert.deepEqual([result.created, result.updated, codes(result)], [1, 0, [[1, 'version_mismatch']]]);
  }
  assert.deepEqual(await read(stale.id), now);
  const table = `number,title,version\n${now.number},three,`;
  for (const version of [stale.version, 'x']) {
    const result = await importFile(founder, 'ticket?upsert=by_number', `${table}${version}`, csv);
    assert.deepEqual(codes(result), [[1, 'version_mismatch']]);
  }
  assert.equal((await importFile(founder, 'ticket?upsert=by_number', `${table}${now.version}`, csv)).updated, 1);
  assert.equal((await importFile(founder, 'ticket?upsert=by_number', table, csv)).updated, 1, 'an empty cell is none');
  const exported = await transfer(founder, '/export/ticket?format=jsonl');
  const again = await importFile(founder, 'ticket?upsert=by_number', exported.text, jsonl);
  assert.deepEqual([again.created, again.failed], [0, 0]);
  const twice = await importFile(founder, 'ticket?upsert=by_number', exported.text, jsonl);
  assert.deepEqual([twice.updated, twice.failed], [0, twice.rows], 'each row has been overtaken by the first import');
});

test('beside the current `version` another `id` and other stamps are refused by name', async () => {
  const record = await newTicket();
  const other = '01890000-0000-7000-8000-000000000000';
  const wrong = { id: other, created_by: other, updated_by: other, updated_at: '2020-01-01T00:00:00.000Z' };
  for (const [name, value] of Object.entries(wrong)) {
    const reply = await put(record.id, { ...record, title: 'two', [name]: value });
    assert.deepEqual(pointers(assertRefusal(reply, [400])), [`/${name}`]);
  }
  assert.deepEqual(await read(record.id), record);
});

test('a record that is put back as a caller was shown it keeps what he was not shown', async () => {
  const user = await memberWith(founder, [
    withFields(allow('getticket'), '!cost'),
    withFields(allow('updateticket'), 'title'),
    deny('deleteticket'),
  ]);
  const { id } = await newTicket();
  const { body: shown } = await act<StoredRecord>(user, 'GET', `/item/ticket/${id}`);
  assert.ok(!('cost' in shown) && !('pin' in shown));
  const update = (body: unknown) => act(user, 'PUT', `/update/ticket/${id}`, { body });
  const written = await update({ ...shown, title: 'two' });
  assert.equal(written.status, 200, written.text);
  const stored = await read(id);
  assert.deepEqual([stored.title, stored.cost], ['two', 7]);
  // Neither what is hidden nor what is encrypted is compared: the right guess is answered as a wrong one.
  const refusal = async (member: object) => {
    const { body: current } = await act<StoredRecord>(user, 'GET', `/item/ticket/${id}`);
    const { detail, errors } = assertProblem(await update({ ...current, ...member }), 'access_denied');
    return { detail, errors };
  };
  for (const [right, wrong] of [
    [{ cost: 7 }, { cost: 8 }],
    [{ pin: '1234' }, { pin: '1235' }],
  ] as const)
    assert.deepEqual(await refusal(right), await refusal(wrong));
});
