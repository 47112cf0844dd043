import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../lib/problem.ts';
import { type Scope, Unavailable } from '../store/port.ts';
import type { AuthorizedCall } from './caller-access.ts';
import type { EntityDefinition } from './definition.ts';
import type { Import, ImportRequest } from './import-records.ts';
import { derived, listAll, type Node, openBench, outcomeOf, type RecordBench } from './record-bench.ts';
import { pieces } from './transfer/rows-for-tests.ts';
import type { RecordCall } from './write-loop.ts';

const mayAll = { may: () => true, demand: () => undefined };
const jsonl = (rows: readonly unknown[]): string => rows.map((row) => JSON.stringify(row)).join('\n');

interface Defined {
  readonly bench: RecordBench;
  readonly node: Node;
  readonly call: AuthorizedCall;
}

async function defined(context: TestContext, definition: Omit<EntityDefinition, 'entityName'>): Promise<Defined> {
  const bench = await openBench(context);
  const node = bench.node();
  await node.admin.define('acme', { entityName: 'thing', ...definition });
  return { bench, node, call: { ...(await node.call('thing')), access: mayAll } };
}

/** All that an import told of on its way, and its result. */
async function finished(run: Import) {
  const told = [];
  let step = await run.next();
  for (; step.done !== true; step = await run.next()) told.push(step.value);
  return { told, result: step.value };
}

const plain = (node: Node, bytes: AsyncIterable<Uint8Array>): ImportRequest => ({
  format: 'jsonl',
  bytes,
  upsert: undefined,
  isDry: false,
  configs: node.configs,
});

const imported = (node: Node, call: AuthorizedCall, file: string, request: Partial<ImportRequest> = {}) =>
  finished(node.runtime.import(call, { ...plain(node, pieces(file, 1000)), ...request }));

const resultOf = async (...asked: Parameters<typeof imported>) => (await imported(...asked)).result;

const things: Omit<EntityDefinition, 'entityName'> = {
  UpdateParams: [
    { name: 'code', validate: true, required: false, maxlength: 2 },
    { name: 'left' },
    { name: 'right' },
    { name: 'n', colType: 'integer', validate: true, min: 0 },
    { name: 'friend', colType: 'guid', lookup: { entity: 'thing' } },
    { name: 'label', colType: 'formula', formula: '{code}-{n}' },
  ],
  UniqueIndexes: [
    { indexName: 'by_code', fields: ['code'], ignoreCase: true },
    { indexName: 'by_pair', fields: ['left', 'right'] },
  ],
};

const row = fc.record(
  {
    code: fc.constantFrom('a', 'A', 'b', 'c', 'd', null, 'long', 1),
    left: fc.constantFrom('x', 'y', null),
    right: fc.constantFrom('x', 'y'),
    n: fc.constantFrom(1, 2, -1, null),
    friend: fc.constantFrom('018bcfe5-0000-7000-8000-00000000dead', null),
    other: fc.constant(1),
    id: fc.constant('theirs'),
  },
  { requiredKeys: ['n'] },
);
type Row = Readonly<Record<string, unknown>>;
const rows: fc.Arbitrary<readonly Row[]> = fc.array(row, { maxLength: 25 });

/** What becomes of rows that are written one by one by the routes of single records. */
async function oneByOne(node: Node, call: AuthorizedCall, file: readonly Row[], upsert: string | undefined) {
  const figures = { rows: file.length, created: 0, updated: 0, failed: 0 };
  const errors: object[] = [];
  for (const [index, { id: _, ...body }] of file.entries()) {
    try {
      const known = upsert === undefined ? undefined : await knownBy(node, call, body);
      if (known === undefined) await node.runtime.create(call, body);
      else await node.runtime.update(call, { id: known, body });
      figures[known === undefined ? 'created' : 'updated'] += 1;
    } catch (error) {
      assert.ok(error instanceof Problem, String(error));
      figures.failed += 1;
      const { code, message, details } = error;
      errors.push({ row: index + 1, errors: details.errors ?? [{ pointer: '', code, message }] });
    }
  }
  return { ...figures, errors };
}

async function knownBy(node: Node, call: AuthorizedCall, body: Row): Promise<string | undefined> {
  if (typeof body.code !== 'string') return undefined;
  const code = body.code.toLowerCase();
  return (await listAll(node, call)).find((record) => String(record.code).toLowerCase() === code && 'code' in record)
    ?.id;
}

async function contents(node: Node, call: RecordCall) {
  const records = await listAll(node, call, { sortdir: 'asc' });
  return records.map(({ code, left, right, n, label }) => ({ code, left, right, n, label }));
}

const keyed = { pkTemplate: 'org#{org};data#thing', skTemplate: 'thing#{n};{code}' };
const kinds = [
  { kind: 'new records', upsert: undefined, definition: things },
  { kind: 'new and known records', upsert: 'by_code', definition: things },
  { kind: 'new records that are keyed by their fields', upsert: undefined, definition: { ...things, baseKeys: keyed } },
  { kind: 'records that are keyed by their fields', upsert: 'by_code', definition: { ...things, baseKeys: keyed } },
];

for (const { kind, upsert, definition } of kinds)
  test(`an import of ${kind} does what writing row after row would do, and its dry run tells so beforehand`, async (context) => {
    const { bench, node, call } = await defined(context, definition);
    let runs = 0;
    const elsewhere = (): AuthorizedCall => ({ ...call, workspace: bench.workspaceOf(`w${++runs}`) });
    const property = fc.asyncProperty(rows, rows, async (before, file) => {
      const [here, there] = [elsewhere(), elsewhere()];
      for (const place of [here, there]) await oneByOne(node, place, before, 'by_code');
      const findable = file.filter(({ code }) => upsert === undefined || (code !== undefined && code !== null));
      const expected = await oneByOne(node, there, findable, upsert);
      const stood = await bench.contents(here.workspace);
      const dry = await resultOf(node, here, jsonl(findable), { upsert, isDry: true });
      assert.deepEqual(await bench.contents(here.workspace), stood);
      const { ignored, dry_run, ...result } = await resultOf(node, here, jsonl(findable), { upsert });
      assert.deepEqual(result, expected);
      assert.deepEqual(await contents(node, here), await contents(node, there));
      assert.deepEqual(dry, { ...result, ignored, dry_run: true });
      assert.deepEqual(ignored, findable.some((one) => 'id' in one) ? ['id'] : []);
      const { actual, expected: wanted } = await derived(bench, here);
      assert.deepEqual(actual, wanted);
    });
    await fc.assert(property, { numRuns: 100 });
  });

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

/** The scope, in which something is done once when the first commit of records is about to be made. */
function interrupted(scope: Scope, before: () => Promise<unknown>): Scope {
  let isDone = false;
  return {
    name: scope.name,
    get: (keys) => scope.get(keys),
    range: (pk, read) => scope.range(pk, read),
    follow: (pk, read) => scope.follow(pk, read),
    count: (pk, range, atMost) => scope.count(pk, range, atMost),
    commit: async (changes, options) => {
      if (!isDone && changes.some((change) => change.kind === 'put' && change.pk.startsWith('org#'))) {
        isDone = true;
        await before();
      }
      return scope.commit(changes, options);
    },
  };
}

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

test('a record that is removed while rows are planned for it is made anew', async (context) => {
  const { bench, node, call } = await defined(context, codes);
  await resultOf(node, call, jsonl(numbered(10)));
  const [first] = await listAll(node, call);
  const other = bench.node();
  const theirs = await other.call('thing');
  const scope = interrupted(call.workspace.scope, () => other.runtime.remove(theirs, { id: first?.id ?? '' }));
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
  const { told, result } = await imported(node, call, jsonl([...numbered(2500), { code: 1 }]));
  assert.deepEqual(
    told.map(({ rows, created }) => [rows, created]),
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
  const run = node.runtime.import(call, plain(node, slowly()));
  assert.deepEqual((await run.next()).value, { rows: 200, created: 200, updated: 0, failed: 0 });
  assert.equal((await codesOf(node, call)).length, 200);
  assert.equal((await run.next()).done, true);
});

test('only the first hundred rows that fail are told of, and all are counted', async (context) => {
  const { node, call } = await defined(context, codes);
  const { errors, failed } = await resultOf(node, call, jsonl(Array.from({ length: 150 }, () => ({}))));
  assert.deepEqual([errors.length, errors[99]?.row, failed], [100, 100, 150]);
});

test('a file that does not begin as one is refused, and nothing is written', async (context) => {
  const { bench, node, call } = await defined(context, codes);
  const stood = await bench.contents();
  for (const [file, code] of [
    ['', 'invalid_request'],
    ['"code', 'invalid_request'],
    ['code,nothing,other\n1,2,3', 'unknown_field'],
    ['code,code\n1,2', 'validation_failed'],
  ] as const)
    assert.equal(await outcomeOf(imported(node, call, file, { format: 'csv' })), code);
  assert.deepEqual(await bench.contents(), stood);
});

test('a file that cannot be read on says where, and what stands before that is written', async (context) => {
  const { node, call } = await defined(context, codes);
  const result = await resultOf(node, call, 'code\na\n"b\nc\n', { format: 'csv' });
  assert.deepEqual([result.rows, result.created, result.failed], [2, 1, 1]);
  assert.equal(result.error?.code, 'invalid_csv');
  assert.match(result.error?.message ?? '', /^row 2: .*nothing from there on was read$/);
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
  const { result } = await finished(node.runtime.import(call, plain(node, broken())));
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
  const { result } = await finished(node.runtime.import(call, plain(node, removing())));
  assert.deepEqual([result.rows, result.created, result.errors, result.error?.code], [100, 100, [], 'not_found']);
});

test('a failure is no row’s, and is not told as one', async (context) => {
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
  const { result } = await finished(node.runtime.import(call, plain(node, changing())));
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
  const asked: string[] = [];
  const access = {
    ...mayAll,
    may: (verb: string, entityName: string, resource: string) => {
      asked.push(`${verb} ${entityName} ${resource}`);
      return !resource.endsWith(second?.id ?? '');
    },
  };
  const rows = numbered(4).map((one) => ({ ...one, text: 'new' }));
  const { updated, created, errors } = await resultOf(node, { ...call, access }, jsonl(rows), { upsert: 'by_code' });
  assert.deepEqual([updated, created], [2, 1]);
  assert.deepEqual(
    errors.map(({ row, errors: [error] }) => [row, error?.code, error?.pointer]),
    [[2, 'access_denied', '']],
  );
  assert.ok(asked.includes(`update thing /update/thing/${second?.id}`));
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
  const stood = await bench.contents();
  for (const upsert of ['', 'code', 'by_n', '__proto__'])
    assert.equal(await outcomeOf(imported(node, call, jsonl(numbered(1)), { upsert })), 'invalid_request', upsert);
  assert.deepEqual(await bench.contents(), stood);
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

test('a row that lacks what it would be found by is told so, and everything else that is wrong with it', async (context) => {
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

test('what a row says of what the platform makes is passed over and told of', async (context) => {
  const { node, call } = await defined(context, codes);
  const file = jsonl([
    { code: 'a', id: 'x', n: 7 },
    { code: 'b', version: 1, n: 7, created_at: null },
  ]);
  const { ignored, created } = await resultOf(node, call, file);
  assert.deepEqual([ignored, created], [['id', 'n', 'version', 'created_at'], 2]);
});
