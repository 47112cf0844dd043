import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import {
  type AppUser,
  allow,
  count,
  create,
  defineEntity,
  definition,
  deny,
  foundedOrg,
  list,
  memberWith,
  random,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { csv, type ImportResult, importFile, jsonLines, jsonl, transfer } from './transfer-calls.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

/** An entity of the test's own. */
async function newEntity(): Promise<string> {
  const name = `order_${random()}`;
  const fields = [
    { name: 'number', validate: true, required: false, maxlength: 10 },
    { name: 'title', validate: true, minlength: 2, maxlength: 40 },
    { name: 'amount', colType: 'number', validate: true, required: false, min: 0 },
    { name: 'paid', colType: 'boolean' },
    { name: 'tags', colType: 'array', items: { colType: 'string' } },
    { name: 'follows', colType: 'guid', lookup: { entity: name } },
    { name: 'serial', colType: 'autoincrement' },
    { name: 'label', colType: 'formula', formula: '{number}: {title}' },
    { name: 'pin', colType: 'encrypted' },
  ];
  await defineEntity(org, {
    ...definition(name, fields),
    UniqueIndexes: [{ indexName: 'by_number', fields: ['number'] }],
  });
  return name;
}

const numbered = (length: number, start = 0) =>
  Array.from({ length }, (_, index) => ({ number: `N${start + index}`, title: `title ${start + index}` }));

async function fields(user: AppUser, entity: string, ...names: readonly string[]): Promise<readonly unknown[][]> {
  const { items } = await list(user, entity, '?sortdir=asc&pagesize=200');
  return items.map((item) => names.map((name) => item[name]));
}

const codesOf = ({ errors }: ImportResult) =>
  errors.map(({ row, errors }) => [row, errors.map(({ pointer, code }) => `${pointer} ${code}`)]);

test('a CSV file becomes records, in the order of its rows', async () => {
  const entity = await newEntity();
  const file = '\ufeffnumber,title,amount,paid,tags,pin\r\nN1,"a, ""b""",1.5,true,"[""x"",""y""]",1234\r\n,ab,,,,\r\n';
  const result = await importFile(founder, entity, file, { 'content-type': 'text/csv; charset=utf-8' });
  const figures = { rows: 2, created: 2, updated: 0, failed: 0, errors: [], ignored: [], dry_run: false };
  assert.deepEqual(result, figures);
  assert.deepEqual(await fields(founder, entity, 'number', 'title', 'amount', 'paid', 'tags', 'label', 'pin'), [
    ['N1', 'a, "b"', 1.5, true, ['x', 'y'], 'N1: a, "b"', undefined],
    [undefined, 'ab', undefined, undefined, undefined, ': ab', undefined],
  ]);
  const { items } = await list(founder, entity);
  for (const item of items) assert.equal(item.created_by, founder.id);
  assert.equal(new Set(items.map(({ serial }) => serial)).size, 2);
});

for (const type of ['application/x-ndjson', 'application/jsonl', 'application/jsonlines'])
  test(`JSON Lines are taken as ${type}`, async () => {
    const entity = await newEntity();
    const file = `${jsonLines([{ title: 'one', tags: ['x'], paid: false }])}\n \r\n{"title":"two"}`;
    assert.equal((await importFile(founder, entity, file, { 'content-type': type })).created, 2);
    assert.deepEqual(await fields(founder, entity, 'title', 'tags', 'paid'), [
      ['one', ['x'], false],
      ['two', undefined, undefined],
    ]);
  });

const badRows = [
  { number: 'N1', title: 'good' },
  { title: 'x', amount: -1, other: 1, follows: '01890000-0000-7000-8000-000000000000' },
  { number: 'N1', title: 'taken in the file' },
  { number: 'N0', title: 'taken before' },
  [],
  { number: 'N2', title: 'good too' },
];
const badOutcome = [
  [2, ['/title too_short', '/amount too_small', '/other unknown_field', '/follows unknown_reference']],
  [3, ['/number unique_violation']],
  [4, ['/number unique_violation']],
  [5, [' wrong_type', '/title required']],
];

test('every mistake of every row is reported with its place, and costs no other row', async () => {
  const entity = await newEntity();
  await create(founder, entity, { number: 'N0', title: 'before' });
  const dry = await importFile(founder, `${entity}?dry_run=true`, jsonLines(badRows));
  assert.equal(await count(founder, entity), 1);
  const result = await importFile(founder, entity, jsonLines(badRows));
  assert.deepEqual(codesOf(result), badOutcome);
  assert.deepEqual([result.rows, result.created, result.failed], [6, 2, 4]);
  assert.deepEqual(dry, { ...result, dry_run: true });
  const [second] = result.errors;
  assert.ok(second?.errors.every(({ message }) => message !== ''));
  assert.deepEqual((await fields(founder, entity, 'title')).flat(), ['before', 'good', 'good too']);
});

const absent = '01890000-0000-7000-8000-000000000000';
/** Cells, and what of them JSON Lines would say otherwise than as a text. */
const wrongRows: readonly (readonly [cells: Readonly<Record<string, string>>, reported: object])[] = [
  [{ number: 'N1', title: 'x', amount: 'many', paid: 'yes', follows: absent }, {}],
  [{ number: 'N12345678901', amount: '1e999', follows: 'none' }, {}],
  [
    { number: 'N2', title: 'x', amount: '-1', tags: '["x",5]', paid: 'true' },
    { amount: -1, tags: ['x', 5], paid: true },
  ],
  [{ amount: 'many' }, {}],
];

test('a row of CSV gets the errors that the same row of JSON Lines gets', async () => {
  const entity = await newEntity();
  await create(founder, entity, { number: 'N2', title: 'stands' });
  for (const [cells, expected] of wrongRows)
    for (const path of [entity, `${entity}?dry_run=true`, `${entity}?upsert=by_number`]) {
      const line = Object.values(cells).map((cell) => `"${cell.replaceAll('"', '""')}"`);
      const inCsv = await importFile(founder, path, `${Object.keys(cells)}\n${line}\n`, csv);
      const inJson = await importFile(founder, path, jsonLines([{ ...cells, ...expected }]));
      assert.deepEqual(inCsv, inJson);
      assert.ok((inCsv.errors[0]?.errors.length ?? 0) > 1, JSON.stringify(inCsv));
    }
});

test('a cell that is no JSON, or no text, is reported with the other mistakes of its row', async () => {
  const entity = await newEntity();
  const [before, after] = ['tags,title,number,follows,serial\n"[""x",x,', `,${absent},"\0"\n`];
  const file = new Uint8Array([...Buffer.from(before), 0xff, ...Buffer.from(after)]);
  for (const path of [entity, `${entity}?upsert=by_number`]) {
    const result = await importFile(founder, path, file, csv);
    assert.deepEqual(codesOf(result), [
      [1, ['/tags invalid_json', '/title too_short', '/number invalid_utf8', '/follows unknown_reference']],
    ]);
  }
  assert.equal((await create(founder, entity, { title: 'first' })).serial, 1);
});

test('a dry run costs nothing, not even a number', async () => {
  const entity = await newEntity();
  const file = jsonLines(numbered(120));
  assert.equal((await importFile(founder, `${entity}?dry_run=true&upsert=by_number`, file)).created, 120);
  assert.equal(await count(founder, entity), 0);
  assert.equal((await create(founder, entity, { title: 'first' })).serial, 1);
  assert.equal((await importFile(founder, `${entity}?dry_run=false`, file)).created, 120);
});

test('with upsert rows change the records that have their unique values, and make the others', async () => {
  const entity = await newEntity();
  const known = await create(founder, entity, { number: 'N1', title: 'old', amount: 5, paid: true });
  const path = `${entity}?upsert=by_number`;
  const inCsv = await importFile(founder, path, 'number,title,amount\nN1,new,\nN2,other,7\n', csv);
  assert.deepEqual([inCsv.created, inCsv.updated], [1, 1]);
  assert.deepEqual(
    await fields(founder, entity, 'id', 'number', 'title', 'amount', 'paid', 'label').then(([first]) => first),
    [known.id, 'N1', 'new', 5, true, 'N1: new'],
  );
  const rows = [
    { number: 'N1', amount: null },
    { title: 'no number' },
    { number: 'N3' },
    { number: 'N3', title: 'in two' },
    { number: 'N3', amount: 3 },
  ];
  const inJson = await importFile(founder, path, jsonLines(rows));
  assert.deepEqual(codesOf(inJson), [
    [2, ['/number required']],
    [3, ['/title required']],
  ]);
  assert.deepEqual([inJson.created, inJson.updated, inJson.failed], [1, 2, 2]);
  assert.deepEqual(await fields(founder, entity, 'number', 'title', 'amount'), [
    ['N1', 'new', undefined],
    ['N2', 'other', 7],
    ['N3', 'in two', 3],
  ]);
});

test('what an export says of the platform is passed over and named, so that an export can be imported', async () => {
  const entity = await newEntity();
  await importFile(founder, entity, jsonLines(numbered(3)));
  for (const [format, headers] of [
    ['csv', csv],
    ['jsonl', jsonl],
  ] as const) {
    const { text } = await transfer(founder, `/export/${entity}?format=${format}`);
    const result = await importFile(founder, `${entity}?upsert=by_number`, text, headers);
    assert.deepEqual([result.created, result.updated, result.failed], [0, 3, 0]);
    assert.deepEqual(
      new Set(result.ignored),
      new Set(['id', 'serial', 'label', 'created_at', 'updated_at', 'created_by', 'updated_by']),
      'the `version` of each row was compared',
    );
  }
  assert.equal(await count(founder, entity), 3);
});

const limited = async (entity: string): Promise<AppUser> => {
  const { items } = await list(founder, entity, '?number=N1');
  return memberWith(founder, [
    allow(`create${entity}`, [`/import/${entity}`, `/create/${entity}`]),
    allow(`update${entity}`),
    deny(`update${entity}`, `/update/${entity}/${items[0]?.id}`),
  ]);
};

test('an import needs the right to create, and a row that changes a record the right to update it', async () => {
  const entity = await newEntity();
  await importFile(founder, entity, jsonLines(numbered(3)));
  const user = await limited(entity);
  const rows = jsonLines(numbered(4).map((row) => ({ ...row, title: 'changed' })));
  for (const dry of ['&dry_run=true', '']) {
    const result = await importFile(user, `${entity}?upsert=by_number${dry}`, rows);
    assert.deepEqual([result.created, result.updated], [1, 2]);
    assert.deepEqual(codesOf(result), [[2, [' access_denied']]]);
  }
  assert.deepEqual((await fields(founder, entity, 'title')).flat(), ['changed', 'title 1', 'changed', 'changed']);
  const reader = await memberWith(founder, [
    allow('list*'),
    allow('get*'),
    allow(`update${entity}`),
    allow(`create${entity}`, `/create/${entity}`),
  ]);
  const refused = await transfer(reader, `/import/${entity}`, { method: 'POST', body: rows, headers: jsonl });
  assert.equal(assertProblem(refused, 'access_denied').reason, 'implicit_deny');
  assert.equal(await count(founder, entity), 4);
});

const entity = await newEntity();
const badRequests: readonly (readonly [
  what: string,
  query: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  code: string,
  at?: readonly string[],
])[] = [
  ['JSON', '', { 'content-type': 'application/json' }, '[{"title":"ab"}]', 'unsupported_media_type'],
  ['no type that is known', '', { 'content-type': 'text/plain' }, 'title\nab', 'unsupported_media_type'],
  ['another charset', '', { 'content-type': 'text/csv; charset=latin1' }, 'title\nab', 'unsupported_media_type'],
  ['a content coding', '', { ...csv, 'content-encoding': 'gzip' }, 'title\nab', 'unsupported_media_type'],
  ['no header line', '', csv, '', 'invalid_request'],
  ['unknown columns', '', csv, 'title,colour,size\nab,red,1', 'unknown_field', ['/colour', '/size']],
  ['a column twice', '', csv, 'title,title\nab,ab', 'validation_failed', ['/title']],
  ['a header that does not end', '', csv, '"title', 'invalid_request'],
  ['an `Idempotency-Key`', '', { ...csv, 'idempotency-key': 'once' }, 'title\nab', 'invalid_request'],
  ['an unknown parameter', '?view=compact', csv, 'title\nab', 'invalid_request'],
  ['`dry_run` that is neither', '?dry_run=yes', csv, 'title\nab', 'invalid_request', ['/dry_run']],
  ['`upsert` by no index', '?upsert=number', csv, 'title\nab', 'invalid_request', ['/upsert']],
  ['a parameter twice', '?dry_run=true&dry_run=false', csv, 'title\nab', 'invalid_request'],
];
for (const [what, query, headers, body, code, at] of badRequests)
  test(`an import with ${what} is refused as a whole`, async () => {
    const reply = await transfer(founder, `/import/${entity}${query}`, { method: 'POST', body, headers });
    const problem = assertProblem(reply, code as 'invalid_request');
    if (at !== undefined) assert.deepEqual(pointers(problem), at);
    if (what.includes('Idempotency')) assert.match(problem.detail, /upsert/);
    assert.equal(await count(founder, entity), 0);
  });

test('without a token, with one of another org, and of what is not there, nothing is read', async () => {
  const other = await foundedOrg(gateways);
  const options = { method: 'POST', body: 'title\nab', headers: csv };
  assertProblem(await transfer(undefined, `/import/${entity}`, { ...options, at: founder }), 'token_missing');
  assertProblem(await transfer(other.founder, `/import/${entity}`, { ...options, at: founder }), 'token_invalid');
  assertProblem(await transfer(other.founder, `/import/${entity}`, options), 'not_found');
  assertProblem(await transfer(founder, '/import/nothing', options), 'not_found');
  assertProblem(await transfer(founder, `/import/${entity}`), 'method_not_allowed');
  assert.equal(await count(founder, entity), 0);
});

test('a file that cannot be read on says where, and what came before stands', async () => {
  const own = await newEntity();
  const result = await importFile(founder, own, 'title\nab\n"cd\nef\n', csv);
  assert.deepEqual([result.created, result.failed, result.error?.code], [1, 1, 'invalid_csv']);
  assert.match(result.error?.message ?? '', /^row 2: /);
  const broken = Buffer.concat([Buffer.from('title\nok\n'), Buffer.from([0xc3, 0x28]), Buffer.from('\nfine\n')]);
  const reply = await transfer<ImportResult>(founder, `/import/${own}`, {
    method: 'POST',
    body: new Uint8Array(broken),
    headers: csv,
  });
  assert.deepEqual([reply.body.created, codesOf(reply.body)], [2, [[2, ['/title invalid_utf8']]]]);
  assert.deepEqual((await fields(founder, own, 'title')).flat(), ['ab', 'ok', 'fine']);
});

test('rules of access control hold for each row', async () => {
  const statements = [allow('getorder')];
  const rows = jsonLines([
    { name: `p-${random()}`, statements },
    { name: `p-${random()}`, statements: [{ Effect: 'Perhaps' }] },
    { name: `p-${random()}`, statements },
  ]);
  const dry = await importFile(founder, 'aclpolicy?dry_run=true', rows);
  const result = await importFile(founder, 'aclpolicy', rows);
  assert.deepEqual([result.created, result.failed, result.errors[0]?.row], [2, 1, 2]);
  assert.deepEqual(dry, { ...result, dry_run: true });
  const weak = await memberWith(founder, [allow('createaclpolicy'), allow('getorder')]);
  const escalating = await importFile(
    weak,
    'aclpolicy',
    jsonLines([
      { name: `p-${random()}`, statements: [allow('*')] },
      { name: `p-${random()}`, statements },
    ]),
  );
  assert.deepEqual(codesOf(escalating), [[1, [' escalation_refused']]]);
  assert.equal(escalating.created, 1);
  const users = await importFile(founder, 'user', jsonLines([{ email: 'a@example.com' }]));
  assert.deepEqual([users.created, users.failed], [0, 1]);
});
