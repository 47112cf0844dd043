import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import type { EntityDefinition } from '../../schema/definition.ts';
import { Unavailable } from '../../store/port.ts';
import { listAll, type Node, outcomeOf } from '../../testing/record-bench.ts';
import type { CallerAccess } from '../caller-access.ts';
import { noRows } from '../testing/rows.ts';
import type { RecordCall } from '../writing/write-loop.ts';
import { importRecords } from './import-records.ts';
import { defined, finished, imported, interrupted, jsonl, mayAll, plain, resultOf, things } from './testing/import.ts';

const codes: Omit<EntityDefinition, 'entityName'> = {
  UpdateParams: [
    { name: 'code', validate: true },
    { name: 'n', colType: 'autoincrement' },
    { name: 'text', search: true },
  ],
  UniqueIndexes: [{ indexName: 'by_code', fields: ['code'] }],
};

const numbered = (count: number, start = 0) =>
  Array.from({ length: count }, (_, index) => ({ code: `${start + index}` }));
const codesOf = async (node: Node, call: RecordCall): Promise<readonly unknown[]> =>
  (await listAll(node, call, { sortdir: 'asc' })).map(({ code }) => code);

test('a row that another writer makes impossible at the last moment costs none of its neighbours', async (context) => {
  const { bench, node, call } = await defined(context, codes);
  const other = bench.node();
  const theirs = await other.call('thing');
  const scope = interrupted(call.workspace.scope, () => other.runtime.create(theirs, { code: '41' }));
  const result = await resultOf(node, { ...call, workspace: { ...call.workspace, scope } }, jsonl(numbered(100)));
  const message = 'Unique constraint violation on field: by_code';
  assert.deepEqual(result.errors, [{ row: 42, errors: [{ pointer: '/code', code: 'unique_violation', message }] }]);
  assert.deepEqual([result.created, result.failed], [99, 1]);
  assert.deepEqual(new Set(await codesOf(node, call)), new Set(numbered(100).map(({ code }) => code)));
});

for (const count of [1, 100])
  test(`with upsert, a record that another writer makes at the last moment is changed by one of ${count} rows`, async (context) => {
    const { bench, node, call } = await defined(context, codes);
    const other = bench.node();
    const theirs = await other.call('thing');
    const scope = interrupted(call.workspace.scope, () => other.runtime.create(theirs, { code: '0' }));
    const here = { ...call, workspace: { ...call.workspace, scope } };
    const { created, updated, failed } = await resultOf(node, here, jsonl(numbered(count)), { upsert: 'by_code' });
    assert.deepEqual({ created, updated, failed }, { created: count - 1, updated: 1, failed: 0 });
  });

for (const moment of ['get', 'commit'] as const)
  test(`a record that is removed before the ${moment} of the row that would change it is made again`, async (context) => {
    const { bench, node, call } = await defined(context, codes);
    await resultOf(node, call, jsonl(numbered(10)));
    const [first] = await listAll(node, call, { sortdir: 'asc' });
    const other = bench.node();
    const theirs = await other.call('thing');
    const remove = () => other.runtime.remove(theirs, { id: first?.id ?? '' });
    const scope = interrupted(call.workspace.scope, remove, moment);
    const here = { ...call, workspace: { ...call.workspace, scope } };
    const { rows, created, updated } = await resultOf(node, here, jsonl(numbered(10)), { upsert: 'by_code' });
    assert.deepEqual({ rows, created, updated }, { rows: 10, created: 1, updated: 9 });
  });

test('records come in the order of their rows, each with a number of its own', async (context) => {
  const { node, call } = await defined(context, codes);
  await resultOf(node, call, jsonl(numbered(250)));
  const records = await listAll(node, call, { sortdir: 'asc' });
  assert.deepEqual(
    records.map(({ code }) => code),
    numbered(250).map(({ code }) => code),
  );
  assert.deepEqual(new Set(records.map(({ n }) => n)).size, 250);
});

test('rows that come to more changes than a commit may have are written in several', async (context) => {
  const { node, call } = await defined(context, codes);
  const text = Array.from({ length: 180 }, (_, index) => `word${index}`).join(' ');
  const rows = numbered(120).map((one) => ({ ...one, text }));
  assert.equal((await resultOf(node, call, jsonl(rows))).created, 120);
});

test('an import tells how far it has come about every thousand rows, and of what is on disk by then', async (context) => {
  const { node, call } = await defined(context, codes);
  const { reported, result } = await imported(node, call, jsonl([...numbered(2500), { code: 1 }]));
  assert.deepEqual(
    reported.map(({ rows, created }) => [rows, created]),
    [
      [1000, 1000],
      [2000, 2000],
    ],
  );
  assert.deepEqual([result.rows, result.created, result.failed], [2501, 2500, 1]);
});

test('an import of few rows tells how far it has come every second', async (context) => {
  const { bench, node, call } = await defined(context, codes);
  async function* slowly(): AsyncGenerator<Uint8Array> {
    for (const start of [0, 100, 200]) {
      bench.clock.advance(700);
      yield Buffer.from(`${jsonl(numbered(100, start))}\n`);
    }
  }
  const run = importRecords(node.runtime.bulk, call, plain(node, slowly()));
  assert.deepEqual((await run.next()).value, { rows: 200, created: 200, updated: 0, failed: 0 });
  assert.equal((await codesOf(node, call)).length, 200);
  assert.equal((await run.next()).done, true);
});

test('only the first hundred rows that fail are reported, and all are counted', async (context) => {
  const { node, call } = await defined(context, codes);
  const { errors, failed } = await resultOf(node, call, jsonl(Array.from({ length: 150 }, () => ({}))));
  assert.deepEqual([errors.length, errors[99]?.row, failed], [100, 100, 150]);
});

test('rows that cannot be read and rows that are refused are reported in their order', async (context) => {
  const { node, call } = await defined(context, codes);
  const { errors } = await resultOf(node, call, '{}\n{\n{}\n{"code":"a"}\n[');
  assert.deepEqual(
    errors.map(({ row }) => row),
    [1, 2, 3, 5],
  );
});

test('a file that does not begin as one is refused, and nothing is written', async (context) => {
  const { bench, node, call } = await defined(context, codes);
  const previous = await bench.contents();
  for (const [file, code] of [
    ['', 'invalid_request'],
    ['"code', 'invalid_request'],
    ['code,nothing,other\n1,2,3', 'unknown_field'],
    ['code,code\n1,2', 'validation_failed'],
  ] as const)
    assert.equal(await outcomeOf(imported(node, call, file, { format: 'csv' })), code);
  assert.deepEqual(await bench.contents(), previous);
});

test('a file that cannot be read on says where, and what stands before that is written', async (context) => {
  const { node, call } = await defined(context, codes);
  const result = await resultOf(node, call, 'code\na\n"b\nc\n', { format: 'csv' });
  assert.deepEqual([result.rows, result.created, result.failed], [2, 1, 1]);
  assert.equal(result.error?.code, 'invalid_csv');
  assert.match(result.error?.message ?? '', /^row 2: .*; the rest of the file was not read$/);
  assert.deepEqual(
    result.errors.map(({ row }) => row),
    [2],
  );
  const long = `${jsonl([{ code: 'd' }])}\n{"code":"${'x'.repeat(1024 * 1024)}"}\n${jsonl([{ code: 'e' }])}`;
  const other = await resultOf(node, call, long);
  assert.deepEqual([other.rows, other.created, other.error?.code], [2, 1, 'too_long']);
  assert.deepEqual(await codesOf(node, call), ['a', 'd']);
});

test('rows that break off leave what was written, and no row twice', async (context) => {
  const { node, call } = await defined(context, codes);
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${jsonl(numbered(150))}\n`);
    throw new Problem('invalid_request', 'the request ended before its body did');
  }
  const { result } = await finished(importRecords(node.runtime.bulk, call, plain(node, broken())));
  assert.deepEqual(result, {
    rows: 100,
    created: 100,
    updated: 0,
    failed: 0,
    errors: [],
    ignored: [],
    dry_run: false,
    error: { code: 'invalid_request', message: 'the request ended before its body did' },
  });
  const { rows, created, updated } = await resultOf(node, call, jsonl(numbered(150)), { upsert: 'by_code' });
  assert.deepEqual({ rows, created, updated }, { rows: 150, created: 50, updated: 100 });
});

test('an entity that is removed meanwhile ends the import', async (context) => {
  const { node, call } = await defined(context, codes);
  async function* removing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${jsonl(numbered(100))}\n`);
    await node.admin.remove('acme', 'thing');
    yield Buffer.from(`${jsonl(numbered(200, 100))}\n`);
  }
  const { result } = await finished(importRecords(node.runtime.bulk, call, plain(node, removing())));
  assert.deepEqual([result.rows, result.created, result.errors, result.error?.code], [100, 100, [], 'not_found']);
});

test('a failure of the platform is not reported as a failure of a row', async (context) => {
  const { node, call } = await defined(context, codes);
  const scope = interrupted(call.workspace.scope, () => Promise.reject(new Unavailable()));
  const here = { ...call, workspace: { ...call.workspace, scope } };
  await assert.rejects(imported(node, here, jsonl(numbered(1))), Unavailable);
});

test('a definition that changes meanwhile holds for the rows behind it', async (context) => {
  const { bench, node, call } = await defined(context, codes);
  const other = bench.node();
  async function* changing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${jsonl(numbered(100))}\n`);
    const UpdateParams = [
      { name: 'code', validate: true, maxlength: 3 },
      { name: 'n', colType: 'autoincrement' },
      { name: 'text', search: true },
      { name: 'more' },
    ];
    await other.admin.change('acme', { api: 'create-thing', body: { UpdateParams } });
    bench.clock.advance(1000);
    yield Buffer.from(jsonl([{ code: '100', more: 'x' }, { code: '1000' }, { code: '101', less: 'x' }]));
  }
  const { result } = await finished(importRecords(node.runtime.bulk, call, plain(node, changing())));
  assert.deepEqual(
    result.errors.map(({ row, errors }) => [row, errors.map(({ code }) => code)]),
    [
      [102, ['too_long']],
      [103, ['unknown_field']],
    ],
  );
});

test('a row is updated only where the caller may update its record', async (context) => {
  const { node, call } = await defined(context, codes);
  await resultOf(node, call, jsonl(numbered(3)));
  const [, second] = await listAll(node, call);
  const requests: string[] = [];
  const access: CallerAccess = {
    ...mayAll,
    rows: ({ verb, entity, id }) => {
      requests.push(`${verb} ${entity.name} ${id}`);
      return id === second?.id ? noRows : undefined;
    },
  };
  const rows = numbered(4).map((one) => ({ ...one, text: 'new' }));
  const { updated, created, errors } = await resultOf(node, { ...call, access }, jsonl(rows), { upsert: 'by_code' });
  assert.deepEqual([updated, created], [2, 1]);
  assert.deepEqual(
    errors.map(({ row, errors: [error] }) => [row, error?.code, error?.pointer]),
    [[2, 'access_denied', '']],
  );
  assert.ok(requests.includes(`update thing ${second?.id}`));
  assert.deepEqual(new Set((await listAll(node, call)).map(({ text }) => text)), new Set(['new', undefined]));
});

test('upsert asks for a unique index that is there, is ready, and can be named by rows', async (context) => {
  const { bench, node, call } = await defined(context, {
    ...codes,
    UniqueIndexes: [
      { indexName: 'by_code', fields: ['code'] },
      { indexName: 'by_n', fields: ['n'] },
    ],
  });
  const previous = await bench.contents();
  for (const upsert of ['', 'code', 'by_n', '__proto__'])
    assert.equal(await outcomeOf(imported(node, call, jsonl(numbered(1)), { upsert })), 'invalid_request', upsert);
  assert.deepEqual(await bench.contents(), previous);
});

test('with upsert an empty cell leaves a value as it is, and a JSON null clears it', async (context) => {
  const { node, call } = await defined(context, codes);
  const text = async () => (await listAll(node, call))[0]?.text;
  await resultOf(node, call, jsonl([{ code: 'a', text: 'x' }]));
  await resultOf(node, call, 'code,text\na,\n', { upsert: 'by_code', format: 'csv' });
  assert.equal(await text(), 'x');
  await resultOf(node, call, jsonl([{ code: 'a', text: null }]), { upsert: 'by_code' });
  assert.equal(await text(), undefined);
});

test('a row that lacks its unique value is reported with that and all its other mistakes', async (context) => {
  const { node, call } = await defined(context, things);
  const file = jsonl([{ n: -1 }, { code: null, n: 1 }, { n: 1, code: 'a' }]);
  const { errors, created } = await resultOf(node, call, file, { upsert: 'by_code' });
  assert.equal(created, 1);
  assert.deepEqual(
    errors.map(({ row, errors }) => [row, errors.map(({ pointer, code }) => [pointer, code])]),
    [
      [
        1,
        [
          ['/code', 'required'],
          ['/n', 'too_small'],
        ],
      ],
      [2, [['/code', 'required']]],
    ],
  );
});

test('columns that the platform sets are ignored and reported', async (context) => {
  const { node, call } = await defined(context, codes);
  const file = jsonl([
    { code: 'a', id: 'x', n: 7 },
    { code: 'b', version: 1, n: 7, created_at: null },
  ]);
  const { ignored, created } = await resultOf(node, call, file);
  assert.deepEqual([ignored, created], [['id', 'n', 'version', 'created_at'], 2]);
});
