import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { openBench } from '../../testing/record-bench.ts';

const titles = [{ name: 'title' }, { name: 'minutes', colType: 'integer' }];

async function openNotes(context: TestContext, entities: readonly string[] = ['note']) {
  const bench = await openBench(context);
  const node = bench.node();
  await bench.found(bench.workspace);
  for (const entityName of entities) {
    await node.admin.define('acme', { entityName, UpdateParams: titles });
    for (const title of ['a', 'b', 'b']) await node.runtime.create(await node.call(entityName), { title, minutes: 30 });
  }
  const change = (entityName: string, body: object) =>
    bench.node().admin.change('acme', { api: `create-${entityName}`, body });
  return {
    bench,
    change,
    jobs: () => bench.node().admin.jobs('acme', { pageSize: 50 }),
    read: (id: string) => bench.node().admin.job('acme', id),
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Problem && error.code === 'not_found';
}

test('what goes on is a job that is done when its outcome stands and gone when that goes', async (context) => {
  const { bench, change, jobs, read } = await openNotes(context);
  assert.deepEqual(await jobs(), { items: [], nexttoken: null });
  const status = { name: 'status', validate: true, default: 'open' };
  await change('note', { UpdateParams: [{ name: 'title', index: true }, status] });
  const { items } = await jobs();
  assert.deepEqual(
    items.map(({ kind, state, entity, name, done, total, failed }) => [kind, state, entity, name, done, total, failed]),
    [
      ['index', 'queued', 'note', 'title', 0, 0, []],
      ['fill', 'queued', 'note', 'status', 0, 0, []],
    ],
  );
  const [index, fill] = items.map(({ id }) => id);
  assert.deepEqual(await read(index ?? ''), { ...items[0], total: 3 });
  assert.deepEqual(await jobs(), { items, nexttoken: null }, 'ids stay');
  await bench.workOff();
  assert.deepEqual(await jobs(), { items: [], nexttoken: null });
  assert.deepEqual(await read(index ?? ''), { ...items[0], state: 'done', done: 3, total: 3 });
  assert.deepEqual(await read(fill ?? ''), { ...items[1], state: 'done', done: 3, total: 3 });
  await change('note', {
    UpdateParams: [
      { name: 'title', index: false },
      { ...status, default: null, required: false },
    ],
  });
  await assert.rejects(read(index ?? ''), isMissing);
  await assert.rejects(read(fill ?? ''), isMissing);
});

test('a conversion is a job of its own kind, and keeps its id when the field gets another name', async (context) => {
  const { bench, change, jobs, read } = await openNotes(context);
  await change('note', { UpdateParams: [{ name: 'minutes', colType: 'string', convert: 'string(minutes)' }] });
  const [job] = (await jobs()).items;
  assert.deepEqual([job?.kind, job?.name, job?.state], ['conversion', 'minutes', 'queued']);
  await bench.workOff();
  await change('note', { UpdateParams: [{ name: 'length', renamedFrom: 'minutes' }] });
  const renamed = await read(job?.id ?? '');
  assert.deepEqual([renamed.state, renamed.kind, renamed.name], ['done', 'conversion', 'length']);
});

test('a failed job names the records that it failed at', async (context) => {
  const { bench, jobs } = await openNotes(context);
  const short = { name: 'short', validate: true, maxlength: 1, backfill: 'title + "x"' };
  const body = { UpdateParams: [short], UniqueIndexes: [{ indexName: 'by_title', fields: ['title'] }] };
  await bench.node().admin.change('acme', { api: 'create-note', body, force: true });
  await bench.workOff();
  const failed = (await jobs()).items.map(({ kind, name, state, failed }) => [
    kind,
    name,
    state,
    failed?.map(({ code, tenant_code }) => `${code} in ${tenant_code}`),
  ]);
  assert.deepEqual(failed, [
    ['fill', 'short', 'failed', Array.from({ length: 3 }, () => 'validation_failed in main')],
    ['index', 'by_title', 'failed', Array.from({ length: 2 }, () => 'unique_violation in main')],
  ]);
});

test('the build of an index is cancelled by taking the index out, and other jobs say what ends them', async (context) => {
  const { bench, change, jobs, read } = await openNotes(context);
  const cancel = (id = '') => bench.node().admin.cancelJob('acme', id);
  const keeper = { name: 'keeper', colType: 'guid', index: true, lookup: { entity: 'note' } };
  await change('note', {
    UpdateParams: [{ name: 'title', index: true }, keeper, { name: 'status', validate: true, default: 'open' }],
    UniqueIndexes: ['by_title', 'by_both'].map((indexName) => ({ indexName, fields: ['title', 'minutes'] })),
    indexes: [{ fields: ['title', '-minutes'] }, { fields: ['minutes', 'title'] }],
  });
  const started = (await jobs()).items;
  const idOf = (query: string) => started.find(({ name }) => name === query)?.id;
  for (const name of ['title', 'title,-minutes', 'by_both']) {
    const cancelled = await cancel(idOf(name));
    assert.deepEqual(cancelled, { ...started.find((job) => job.name === name), total: 3, state: 'cancelled' });
    await assert.rejects(read(idOf(name) ?? ''), isMissing);
    await assert.rejects(cancel(idOf(name)), isMissing);
  }
  for (const name of ['keeper', 'status'])
    await assert.rejects(
      cancel(idOf(name)),
      (error) => error instanceof Problem && error.code === 'conflict' && error.message.includes(`\`${name}\``),
    );
  assert.deepEqual((await jobs()).items.map(({ name }) => name).toSorted(), [
    'by_title',
    'keeper',
    'minutes,title',
    'status',
  ]);
  await bench.workOff();
  await assert.rejects(
    cancel(idOf('status')),
    (error) => error instanceof Problem && error.message === 'the job is over',
  );
  assert.deepEqual(
    (await jobs()).items.map(({ name, state }) => [name, state]),
    [['by_title', 'failed']],
  );
  assert.equal((await cancel(idOf('by_title'))).state, 'cancelled');
  assert.deepEqual((await jobs()).items, []);
});

test('jobs come in pages of any size, each once, also where some end between two pages', async (context) => {
  const { bench, change } = await openNotes(context, ['a', 'a1', 'a_b', 'ab']);
  const { admin } = bench.node();
  const names = ['a', 'a1', 'a_b', 'ab'];
  const UpdateParams = titles.map((field) => ({ ...field, index: true }));
  for (const entity of names) await change(entity, { UpdateParams });
  const all = (await admin.jobs('acme', { pageSize: 50 })).items.map(({ id }) => id);
  assert.equal(all.length, 8);
  for (const pageSize of [1, 3, 8]) {
    const ids: string[] = [];
    for (let nexttoken: string | undefined; ; ) {
      const page = await admin.jobs('acme', { pageSize, nexttoken });
      ids.push(...page.items.map(({ id }) => id));
      if (page.nexttoken === null) break;
      nexttoken = page.nexttoken;
    }
    assert.deepEqual(ids, all);
  }
  const { nexttoken } = await admin.jobs('acme', { pageSize: 3 });
  await bench.workOff();
  const rest = await bench.node().admin.jobs('acme', { pageSize: 3, nexttoken: nexttoken ?? '' });
  assert.deepEqual(rest, { items: [], nexttoken: null });
});

test('what is no id of a job is none, and no cursor', async (context) => {
  const { bench, read } = await openNotes(context);
  const idOf = (text: string): string => Buffer.from(text).toString('base64url');
  for (const text of [
    '',
    'note',
    'note;fill;1;nothing',
    'note;fill;9;title',
    'note;field;1;title',
    'x;field;1;title',
    'note;fill;1e0;title',
  ])
    await assert.rejects(read(idOf(text)), isMissing, text);
  for (const id of ['', '%', '~', `${idOf('note;field;1;updated_at')}=`]) await assert.rejects(read(id), isMissing);
  await assert.rejects(
    bench.node().admin.jobs('acme', { pageSize: 1, nexttoken: 'x' }),
    (error) => error instanceof Problem && error.code === 'invalid_cursor',
  );
});
