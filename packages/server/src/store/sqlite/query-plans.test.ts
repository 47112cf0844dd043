import assert from 'node:assert/strict';
import { constants, DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { keyBounds } from '../key-bounds.ts';
import type { Range } from '../port.ts';
import { append, checkEmpty, put, putIndex, remove } from '../testing/conformance/bench.ts';
import { WindowReader, windowSizes } from './query/window-reader.ts';
import { SqliteReader } from './reader.ts';
import { prepareSchema } from './schema.ts';
import { SqliteWriter } from './writer.ts';

test('reads and writes by keys alone: no statement walks a table or sorts', () => {
  using database = new RecordingDatabase(':memory:');
  prepareSchema(database);
  useEverything(new SqliteWriter(database), new SqliteReader(database));
  assert.ok(database.prepared.size > 40);
  for (const sql of database.prepared) {
    for (const step of database.plan(sql)) {
      assert.doesNotMatch(step, /SCAN (?!\(subquery|CONSTANT)|TEMP B-TREE|AUTOMATIC/, `${sql}\n${step}`);
    }
  }
});

test('is asked by keys alone: no statement of a question walks a table, or sorts but to group', () => {
  using database = new RecordingDatabase(':memory:');
  prepareSchema(database);
  const writer = new SqliteWriter(database);
  const targets = ['a', 'b', 'c'].map((sk) => put('p', sk, { value: '{"n":1}' }));
  const entries = ['a', 'b', 'gone'].map((sk) => putIndex('index#i', sk, 'p', sk));
  writer.run([{ kind: 'commit', scope: 's', changes: [...targets, ...entries] }], 0);
  const windows = new WindowReader(database, { ...windowSizes, entriesAtFirst: 2, entriesMax: 2 });
  const member = { path: ['n'], type: 'number' } as const;
  const where = { kind: 'compare', ...member, operator: 'gt', value: 0 } as const;
  const ranges: readonly Range[] = [{}, { after: 'a' }, { prefix: 'a' }, { after: 'a', before: 'b' }];
  for (const range of ranges) {
    for (const isReverse of [false, true]) {
      for (const pk of ['p', 'index#i']) {
        const read = { ...keyBounds(range), pk, isReverse, where, rowsMax: 100, limit: 3, bytesMax: 1000 };
        const measures = [{ kind: 'count' }, { kind: 'sum', ...member }] as const;
        windows.select({ scope: 's', now: 0 }, read, () => 'on');
        windows.measure({ scope: 's', now: 0 }, { ...read, group: [], measures, groupsMax: 10 }, () => 'on');
      }
    }
  }
  assert.ok(database.prepared.size > 40);
  for (const sql of database.prepared)
    for (const step of database.plan(sql))
      assert.doesNotMatch(step, /SCAN (?!\(subquery|CONSTANT)|TEMP B-TREE|AUTOMATIC/, `${sql}\n${step}`);
});

test('compiles each statement once, whatever it is asked with', () => {
  using database = new DatabaseSync(':memory:');
  prepareSchema(database);
  const writer = new SqliteWriter(database);
  const reader = new SqliteReader(database);
  let compiled = 0;
  // SQLite asks it whenever it compiles a statement, and runs without it.
  database.setAuthorizer(() => {
    compiled += 1;
    return constants.SQLITE_OK;
  });
  // The second time some of it stands already, which asks something else.
  for (let time = 0; time < 2; time++) useEverything(writer, reader);
  assert.ok(compiled > 40);
  compiled = 0;
  useEverything(writer, reader);
  assert.equal(compiled, 0);
});

class RecordingDatabase extends DatabaseSync {
  readonly prepared = new Set<string>();

  override prepare(...parameters: Parameters<DatabaseSync['prepare']>): ReturnType<DatabaseSync['prepare']> {
    if (/^\s*(select|insert|delete|update)/.test(parameters[0])) this.prepared.add(parameters[0]);
    return super.prepare(...parameters);
  }

  plan(sql: string): readonly string[] {
    return super
      .prepare(`explain query plan ${sql}`)
      .all()
      .map((step) => String(step.detail));
  }
}

function useEverything(writer: SqliteWriter, reader: SqliteReader): void {
  const changes = [put('p', 'k'), putIndex('index#i', 'k', 'p', 'k'), append('log', 'x'), checkEmpty('p', 'x')];
  writer.run([{ kind: 'commit', scope: 's', changes }], 0);
  const counts = { kind: 'add', pk: 'c', sk: 'n', by: 1 } as const;
  const removes = [remove('p', 'k'), remove('index#i', 'k'), checkEmpty('index#i'), checkEmpty('q'), counts];
  writer.run([{ kind: 'commit', scope: 's', changes: removes }], 0);

  reader.get(
    's',
    [
      { pk: 'p', sk: 'k' },
      { pk: 'index#i', sk: 'k' },
    ],
    0,
  );
  const ranges: readonly Range[] = [{}, { after: 'a' }, { prefix: 'a' }, { after: 'a', before: 'b' }];
  for (const range of ranges) {
    for (const isReverse of [false, true]) {
      for (const pk of ['p', 'index#i']) {
        const read = { ...keyBounds(range), pk, isReverse, limit: 5, bytesMax: 100 };
        reader.range('s', read, 0);
        reader.count('s', read, 0);
        if (pk !== 'p') reader.follow('s', read, 0);
      }
    }
  }
  reader.scopes('s', 5);
  reader.scan('s', { pk: 'p', sk: 'k' }, 5);
  reader.due('work', 0, 5);
}
