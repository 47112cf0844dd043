import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { EntityDefinition, FieldDefinition } from '../../schema/definition.ts';
import { isValueProblem } from '../../schema/field-types/field-type.ts';
import { behaviourOf, fieldTypes } from '../../schema/field-types/registry.ts';
import { valuesFor } from '../../schema/testing/field-cases/any-field.ts';
import { thinned } from '../../store/testing/quick.ts';
import { listAll, type Node } from '../../testing/record-bench.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { readListQuery } from '../listing/list-query.ts';
import { presentationOf } from '../present-records.ts';
import { exportRecords } from './export-records.ts';
import { defined, jsonl, resultOf } from './testing/import.ts';
import { isExact } from './testing/rows.ts';
import type { TransferFormat } from './transfer-row.ts';

type Parameters = Readonly<Record<string, string>>;

function exporting(node: Node, call: AuthorizedCall, parameters: Parameters, format: TransferFormat = 'jsonl') {
  const query = readListQuery(call.entity, new Map(Object.entries(parameters)));
  const presentation = presentationOf(call, 'list', query);
  return exportRecords(call, { format, query, presentation, configs: node.configs });
}

async function exported(...args: globalThis.Parameters<typeof exporting>): Promise<string> {
  let text = '';
  for await (const piece of exporting(...args)) text += piece;
  return text;
}

async function rowsOf(...args: globalThis.Parameters<typeof exporting>): Promise<readonly Record<string, unknown>[]> {
  const lines = (await exported(...args)).split('\n');
  assert.equal(lines.pop(), '');
  return lines.map((line) => JSON.parse(line));
}

/** A field of each type, named after it. */
const everyType: readonly FieldDefinition[] = [...fieldTypes.keys()].map((colType) => ({
  name: `a_${colType}`,
  colType,
  ...(colType === 'enum' ? { enumValues: ['a', 'b', 'é', '1'] } : {}),
  ...(colType === 'formula' ? { formula: '{a_string}/{a_number}' } : {}),
}));
const sendable = everyType.filter(({ colType }) => colType !== 'formula' && colType !== 'autoincrement');

const bodies = fc.array(
  fc.record(Object.fromEntries(sendable.map((field) => [field.name, valuesTakenBy(field)])), { requiredKeys: [] }),
  { maxLength: 8 },
);

/** Values that the field takes, as a request sends them. */
function valuesTakenBy(field: FieldDefinition): fc.Arbitrary<unknown> {
  const behaviour = behaviourOf(field);
  assert.ok(typeof behaviour === 'object');
  return valuesFor(field).map((value) =>
    isExact(value) && !isValueProblem(behaviour.parse(value)) ? JSON.parse(JSON.stringify(value)) : null,
  );
}

for (const format of ['csv', 'jsonl'] as const)
  test(`records that were exported as ${format} are the same where they are imported, but for what the platform makes and what is secret`, async (context) => {
    const { bench, node, call } = await defined(context, { UpdateParams: everyType });
    let runs = 0;
    const property = fc.asyncProperty(bodies, async (made) => {
      const here = { ...call, workspace: bench.workspaceOf(`from${++runs}`) };
      const there = { ...call, workspace: bench.workspaceOf(`to${runs}`) };
      for (const body of made) await node.runtime.create(here, body);
      const file = await exported(node, here, { sortdir: 'asc' }, format);
      const { created, failed, errors } = await resultOf(node, there, file, { format });
      assert.deepEqual({ created, failed, errors }, { created: made.length, failed: 0, errors: [] });
      assert.deepEqual(await fieldsOf(node, there, format), await fieldsOf(node, here, format));
    });
    await fc.assert(property, { numRuns: thinned(150) });
  });

/** Of CSV an empty text comes back as no value. */
async function fieldsOf(node: Node, call: AuthorizedCall, format: TransferFormat) {
  const records = await listAll(node, call, { sortdir: 'asc' });
  const isKept = ([name, value]: readonly [string, unknown]): boolean =>
    name.startsWith('a_') && name !== 'a_autoincrement' && (format === 'jsonl' || value !== '');
  return records.map((record) => Object.fromEntries(Object.entries(record).filter(isKept)));
}

const orders: Omit<EntityDefinition, 'entityName'> = {
  UpdateParams: [
    { name: 'name', search: true },
    { name: 'n', colType: 'integer' },
    { name: 'region', index: true },
    { name: 'owner_id', colType: 'guid' },
    { name: 'next', colType: 'guid', lookup: { entity: 'thing' } },
    { name: 'any', colType: 'json' },
    { name: 'pin', colType: 'encrypted' },
  ],
  ownerIndexes: [{ ownerFieldName: 'owner_id', gpkTemplate: 'org#{org};thing#{owner_id}', gskTemplate: 'thing#{id}' }],
  Views: {
    short: {
      fields: [
        { name: 'name', as: 'title' },
        { name: 'n', cast: 'string' },
        { name: 'any' },
        { name: 'next', lookup: { view: 'compact', as: 'follows' } },
      ],
    },
  },
};

async function filled(context: TestContext, count: number) {
  const made = await defined(context, orders);
  const { node, call } = made;
  const rows = Array.from({ length: count }, (_, n) => ({ n, name: `order ${n}`, region: `r${n % 3}` }));
  assert.equal((await resultOf(node, call, jsonl(rows))).created, count);
  return made;
}

test('an export holds what a list taken to its end holds, whatever is asked for', async (context) => {
  const { node, call } = await filled(context, 230);
  const [first] = await listAll(node, call);
  for (const parameters of [
    {},
    { sortdir: 'asc' },
    { region: 'r1' },
    { region: 'r1', sortby: 'region', sortdir: 'asc' },
    { n: '100', n_op: 'gte' },
    { q: 'order 1' },
    { q: '22' },
    { owner: String(first?.owner_id), sortby: 'created_at' },
    { name: 'nothing' },
  ] as const) {
    const expected = (await listAll(node, call, parameters)).map(({ id }) => id);
    assert.deepEqual(
      (await rowsOf(node, call, parameters)).map(({ id }) => id),
      expected,
      JSON.stringify(parameters),
    );
  }
});

test('an export goes on where a page of a list would end, in pieces', async (context) => {
  const { node, call } = await filled(context, 4500);
  const pieces: string[] = [];
  for await (const piece of exporting(node, call, { n: '3' })) pieces.push(piece);
  assert.match(pieces.join(''), /^\{"id":"[^\n]*"n":3,[^\n]*\}\n$/);
  const all: string[] = [];
  for await (const piece of exporting(node, call, { n: '0', n_op: 'gte' })) all.push(piece);
  assert.ok(all.length >= 45);
  assert.equal(all.join('').split('\n').length - 1, 4500);
});

test('an export holds each record that stands throughout once, however others come and go', async (context) => {
  const { node, call } = await filled(context, 900);
  const before = await listAll(node, call, { sortdir: 'asc' });
  for (const parameters of [{}, { sortdir: 'asc' }, { sortby: 'region' }] as const) {
    const current = await listAll(node, call);
    const removed = new Set<string>();
    const seen: string[] = [];
    let turn = 0;
    for await (const piece of exporting(node, call, parameters)) {
      for (const line of piece.split('\n').filter((text) => text !== '')) seen.push(JSON.parse(line).id);
      const victim = before[(turn * 89) % before.length];
      turn += 1;
      await node.runtime.create(call, { region: `r${turn % 3}` });
      if (victim === undefined || removed.has(victim.id) || !current.some(({ id }) => id === victim.id)) continue;
      await node.runtime.remove(call, { id: victim.id });
      removed.add(victim.id);
    }
    assert.equal(new Set(seen).size, seen.length, 'no record twice');
    const missing = current.filter(({ id }) => !removed.has(id) && !seen.includes(id));
    assert.deepEqual(missing, []);
  }
});

test('the columns of a CSV export are the members of its view, and what is not flat is JSON', async (context) => {
  const { node, call } = await defined(context, orders);
  const last = await node.runtime.create(call, { name: 'last, "quoted"', n: 2, any: 'text', pin: '1234' });
  await node.runtime.create(call, { name: '', any: { x: [1] }, next: last.data.id });
  assert.equal(
    await exported(node, call, { view: 'short', sortdir: 'asc' }, 'csv'),
    [
      'title,n,any,follows',
      '"last, ""quoted""",2,"""text""",',
      `,,"{""x"":[1]}","{""id"":""${last.data.id}"",""name"":""last, \\""quoted\\""""}"`,
      '',
    ].join('\r\n'),
  );
  const [header] = (await exported(node, call, {}, 'csv')).split('\r\n');
  assert.equal(header, 'id,name,n,region,owner_id,next,any,created_at,updated_at,created_by,updated_by,version');
});

test('an export of nothing is a header alone, or an empty file', async (context) => {
  const { node, call } = await defined(context, { UpdateParams: [{ name: 'a' }] });
  assert.equal(await exported(node, call, { view: 'compact' }, 'csv'), 'id\r\n');
  assert.equal(await exported(node, call, {}), '');
});

test('an index that is taken away breaks an export off that goes by it, and no other', async (context) => {
  const { bench, node, call } = await filled(context, 300);
  const sorted = exporting(node, call, { sortby: 'region' });
  const unsorted = exporting(node, call, {});
  for (const run of [sorted, unsorted]) await run.next();
  const UpdateParams = orders.UpdateParams.map(({ name }) => ({ name, index: false }));
  await bench.node().admin.change('acme', { api: 'create-thing', body: { UpdateParams } });
  bench.clock.advance(1000);
  await assert.rejects(sorted.next(), { code: 'conflict' });
  assert.notEqual((await unsorted.next()).value, '');
});

test('an export does not end as if it were whole when its records are removed with their entity', async (context) => {
  const { bench, node, call } = await filled(context, 300);
  const run = exporting(node, call, {});
  await run.next();
  await bench.found(bench.workspace);
  // The node has not heard of it, and will not before it asks.
  await bench.node().admin.remove('acme', 'thing');
  await bench.workOff();
  assert.equal((await run.next()).value, '');
  await assert.rejects(run.next(), { code: 'not_found' });
});
