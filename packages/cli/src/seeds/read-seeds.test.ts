import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readSeeds, type SeedFolder } from './read-seeds.ts';
import { cellValue, hasValue } from './typed-values.ts';

async function seedsOf(t: TestContext, files: Readonly<Record<string, string | Buffer>>): Promise<SeedFolder> {
  const folder = mkdtempSync(join(tmpdir(), 'freehold-seeds-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const seeds = await readSeeds(folder);
  const short = (text: string) => text.replace(`${folder}/`, '');
  return {
    ...seeds,
    rows: seeds.rows.map((row) => ({ ...row, place: short(row.place) })),
    mistakes: seeds.mistakes.map(short),
  };
}

test('files name their entity, and folders their workspace', async (t) => {
  const { rows, keys, users, workspaces, mistakes } = await seedsOf(t, {
    'keys.yaml': 'customer: name\nticket: [number, customer_id]\n',
    'users.yaml': '- {email: ann@example.com, password: correct horse, policies: [adminacl]}\n',
    'workspaces.yaml': '- {code: north, name: North, founder: ann@example.com}\n',
    'customer.jsonl': '{"name":"Acme"}\n\n{"name":"Blue"}\n',
    'north/ticket.csv': 'number,title\r\n1,"two\nlines"\r\n2,\r\n',
  });
  assert.deepEqual(mistakes, []);
  assert.deepEqual(
    [...keys],
    [
      ['customer', ['name']],
      ['ticket', ['number', 'customer_id']],
    ],
  );
  assert.deepEqual(
    users.map(({ email, policies, workspaces }) => [email, policies, workspaces]),
    [['ann@example.com', ['adminacl'], undefined]],
  );
  assert.deepEqual(
    workspaces.map(({ code, founder }) => [code, founder]),
    [['north', 'ann@example.com']],
  );
  assert.deepEqual(
    rows.map(({ place, workspace, entity, values }) => [place, workspace, entity, values]),
    [
      ['customer.jsonl:1', undefined, 'customer', { name: 'Acme' }],
      ['customer.jsonl:3', undefined, 'customer', { name: 'Blue' }],
      ['north/ticket.csv:2', 'north', 'ticket', { number: '1', title: 'two\nlines' }],
      ['north/ticket.csv:4', 'north', 'ticket', { number: '2' }],
    ],
  );
});

test('rows are cut where the format cuts them: no text is split, and a CR ends a row of CSV', async (t) => {
  const { rows, mistakes } = await seedsOf(t, {
    'customer.jsonl': '\ufeff{"name":"Acme\u2028Inc"}\r\n{"name":"Blue"}\n',
    'ticket.csv': '\ufeffnumber,title\r1,one\r2,two\n',
  });
  assert.deepEqual(mistakes, []);
  assert.deepEqual(
    rows.map(({ place, values }) => [place, values]),
    [
      ['customer.jsonl:1', { name: 'Acme\u2028Inc' }],
      ['customer.jsonl:2', { name: 'Blue' }],
      ['ticket.csv:2', { number: '1', title: 'one' }],
      ['ticket.csv:3', { number: '2', title: 'two' }],
    ],
  );
});

test('a file in another encoding than UTF-8 is a mistake, and no letter is replaced', async (t) => {
  const { rows, users, mistakes } = await seedsOf(t, {
    'customer.csv': Buffer.from('name\nAcme\nZo\xeb\n', 'latin1'),
    'ticket.jsonl': Buffer.from('{"title":"Caf\xe9"}\n', 'latin1'),
    'users.yaml': Buffer.from('- {email: ann@example.com, password: gr\xfcn gr\xfcn gr\xfcn}\n', 'latin1'),
  });
  assert.deepEqual([rows, users], [[], []]);
  assert.deepEqual(mistakes.toSorted(), [
    'customer.csv:3: not in UTF-8: save the file in this encoding',
    'ticket.jsonl:1: not in UTF-8: save the file in this encoding',
    'users.yaml:1: not in UTF-8: save the file in this encoding',
  ]);
});

test('every mistake of every file is named with its place', async (t) => {
  const { mistakes } = await seedsOf(t, {
    'a.jsonl': '{"x":1\n[1]\n{"x":2}\n',
    'b.csv': 'x,y\n1\n',
    'c.csv': 'x\n"1\n',
    'users.yaml': '- {email: ann, password: short, name: x}\n',
    'workspaces.yaml': '- {code: North, name: N, founder: a@b}\n- {code: south, name: S, founder: a@b}\n',
    'keys.yaml': 'a: {x: 1}\n',
    'notes.txt': '',
  });
  const expected = [
    /^users.yaml: entry 1: `name` is not known/,
    /^users.yaml: entry 1: `email` must be an email address/,
    /^users.yaml: entry 1: `password` must be a text of 10/,
    /^workspaces.yaml: entry 1: `code` must be/,
    /^workspaces.yaml: entry 2: the founder `a@b` is not in users.yaml/,
    /^keys.yaml: `a` must be a field or a list/,
    /^a.jsonl:1: not JSON/,
    /^a.jsonl:2: a line must be a JSON object/,
    /^b.csv:2: 1 cells, and the header names 2/,
    /^c.csv: line 2: a quote is opened and never closed/,
    /^notes.txt: not a seed/,
  ];
  assert.equal(mistakes.length, expected.length, mistakes.join('\n'));
  for (const [index, pattern] of expected.entries()) assert.match(mistakes[index] ?? '', pattern);
});

const type = (colType: string, items = 'string') => ({ colType, items });

test('a cell has the type of its field, and what the platform would not read in CSV stays a text', () => {
  const cells = [
    cellValue(type('number'), '1.5'),
    cellValue(type('boolean'), 'true'),
    cellValue(type('boolean'), 'TRUE'),
    cellValue(type('boolean'), 'FALSE'),
    cellValue(type('array'), '["x"]'),
    cellValue(type('string'), '1'),
    cellValue(type('integer'), '-12'),
  ];
  assert.deepEqual(cells, [1.5, true, true, false, ['x'], '1', -12]);
  for (const colType of ['number', 'integer'])
    for (const cell of ['x', '0x1F', '0b1', ' 1', '.5', '+1', '1_0', 'Infinity', '1e999'])
      assert.equal(cellValue(type(colType), cell), cell);
});

test('a value is recognised however it is written', () => {
  assert.ok(hasValue(type('datetime'), '2026-01-01T01:00:00+01:00', '2026-01-01T00:00:00.000Z'));
  assert.ok(hasValue(type('datetime'), '2026-01-01t01:00:00.1239z', '2026-01-01T01:00:00.123Z'));
  assert.ok(!hasValue(type('datetime'), '2026-01-01T01:00:00.124Z', '2026-01-01T01:00:00.123Z'));
  assert.ok(hasValue(type('array', 'datetime'), ['2026-01-01T01:00:00+01:00'], ['2026-01-01T00:00:00.000Z']));
  assert.ok(hasValue(type('array', 'guid'), ['ABCDEF00-AC96-774B-BCCE-B302099A8057', null], [guid, null]));
  assert.ok(!hasValue(type('array', 'guid'), [guid], [guid, guid]) && !hasValue(type('array'), ['A'], ['a']));
  assert.ok(hasValue(type('number'), -0, 0) && hasValue(type('array', 'number'), [-0], [0]));
  assert.ok(hasValue(type('json'), { b: -0, a: [2] }, { a: [2], b: 0 }));
  assert.ok(hasValue(type('encrypted'), 'x', undefined) && hasValue(type('string'), null, undefined));
  assert.ok(!hasValue(type('string'), 'x', undefined) && !hasValue(type('number'), 1, 2));
});

const guid = 'abcdef00-ac96-774b-bcce-b302099a8057';
