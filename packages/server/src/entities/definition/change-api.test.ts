import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { maintainEntity } from '../../records/reindex/maintain-entity.ts';
import type { OpenedStore } from '../../store/port.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { derived, listAll, type Node, RecordBench, SteppedClock } from '../../testing/record-bench.ts';
import { doOnce } from '../../work/testing/do-once.ts';

const directory = mkdtempSync(join(tmpdir(), 'freehold-changes-'));
const opened: OpenedStore[] = [];
after(async () => {
  for (const { store } of opened) await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const kinds = ['memory', 'sqlite'] as const;

async function org(kind: (typeof kinds)[number]) {
  const clock = new SteppedClock();
  const path = join(directory, `${opened.length}.db`);
  const onFatal = (error: unknown) => assert.fail(String(error));
  const store = await openStore(kind === 'memory' ? { kind, clock } : { kind, path, clock, onFatal });
  opened.push(store);
  const bench = new RecordBench(store, clock);
  await bench.found(bench.workspace);
  return { bench, clock, node: bench.node() };
}

/** Does the work that is due, as a background job would. */
async function workOff({ opened: { store, maintenance }, clock }: RecordBench, { configs }: Node): Promise<void> {
  for (const due of await maintenance.due('work', clock.now(), 100))
    await doOnce([maintainEntity], { store, configs, clock }, due);
}

async function refusal(promise: Promise<unknown>): Promise<Problem> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  assert.fail('it was not refused');
}

function change({ admin }: Node, body: unknown, api = 'create-order') {
  return admin.change('acme', { api, body });
}

function force({ admin }: Node, body: unknown) {
  return admin.change('acme', { api: 'create-order', body, force: true });
}

async function indexStates(node: Node): Promise<Readonly<Record<string, string>>> {
  const { indexes } = await node.admin.show('acme', 'order');
  return Object.fromEntries(indexes.map(({ kind, name, state }) => [`${kind} ${name}`, state]));
}

const order = { entityName: 'order', UpdateParams: [{ name: 'title' }, { name: 'amount', colType: 'number' }] };
const current = { 'field updated_at': 'ready' };

for (const kind of kinds) {
  test(`${kind}: an index that comes is built behind the change and serves once it is ready`, async () => {
    const { bench, node } = await org(kind);
    await node.admin.define('acme', order);
    const call = await node.call('order');
    for (const title of ['b', 'a', 'c']) await node.runtime.create(call, { title });
    const changed = await change(node, {
      UpdateParams: [
        { name: 'title', index: true },
        { name: 'amount', colType: 'number' },
      ],
    });
    assert.deepEqual(changed.indexes?.[0], { name: 'title', kind: 'field', state: 'building', done: 0, total: 3 });
    await node.runtime.create(await node.call('order'), { title: 'd' });
    const sorted = async () => listAll(node, await node.call('order'), { sortby: 'title', sortdir: 'asc' });
    const before = await sorted();
    await workOff(bench, node);
    assert.deepEqual(await sorted(), before);
    assert.deepEqual(await indexStates(node), { 'field title': 'ready', ...current });
    assert.deepEqual(
      (await sorted()).map(({ title }) => title),
      ['a', 'b', 'c', 'd'],
    );
    const { actual, expected } = await derived(bench, await node.call('order'));
    assert.deepEqual(actual, expected);
  });

  test(`${kind}: an index that goes leaves nothing behind`, async () => {
    const { bench, clock, node } = await org(kind);
    await node.admin.define('acme', {
      ...order,
      UpdateParams: [{ name: 'title', index: true, search: true }],
      UniqueIndexes: [{ indexName: 'one', fields: ['title'] }],
    });
    await node.runtime.create(await node.call('order'), { title: 'a' });
    await change(node, { UpdateParams: [{ name: 'title', index: null, search: false }], UniqueIndexes: null });
    assert.deepEqual(await indexStates(node), current);
    await workOff(bench, node);
    clock.advance(6000);
    await workOff(bench, node);
    const call = await node.call('order');
    assert.deepEqual(
      call.entity.indexes.map(({ name }) => name),
      ['updated_at'],
    );
    await node.runtime.create(call, { title: 'a' });
    const { actual, expected, counts } = await derived(bench, call);
    assert.deepEqual(actual, expected);
    assert.equal(counts.entries, 2);
  });

  test(`${kind}: a unique index that records contradict fails, names some of them, and is tried again by the next change`, async () => {
    const { bench, node } = await org(kind);
    await node.admin.define('acme', order);
    const call = await node.call('order');
    const [first, second] = [
      await node.runtime.create(call, { title: 'a' }),
      await node.runtime.create(call, { title: 'a' }),
    ];
    const UniqueIndexes = [{ indexName: 'by_title', fields: ['title'] }];
    await change(node, { UniqueIndexes });
    await workOff(bench, node);
    const shown = (await node.admin.show('acme', 'order')).indexes.find(({ kind }) => kind === 'unique');
    assert.equal(shown?.state, 'failed');
    assert.deepEqual(
      shown?.duplicates?.map(({ tenant_code, ids }) => [tenant_code, [...ids].sort()]),
      [['main', [first.data.id, second.data.id].sort()]],
    );
    await node.runtime.update(await node.call('order'), { id: second.data.id, body: { title: 'b' } });
    await change(node, { UniqueIndexes });
    await workOff(bench, node);
    assert.deepEqual(await indexStates(node), { ...current, 'unique by_title': 'ready' });
    assert.equal(
      (await refusal(node.runtime.create(await node.call('order'), { title: 'b' }))).code,
      'unique_violation',
    );
  });

  test(`${kind}: a change is in force on its node at once, and on others within a second`, async () => {
    const { bench, clock, node } = await org(kind);
    const other = bench.node();
    await node.admin.define('acme', order);
    await other.call('order');
    await change(node, { UpdateParams: [{ name: 'colour' }], removeFields: ['title', 'amount'] });
    assert.deepEqual([...(await node.call('order')).entity.fields.keys()], ['colour']);
    assert.deepEqual([...(await other.call('order')).entity.fields.keys()], ['title', 'amount']);
    clock.advance(1000);
    assert.deepEqual([...(await other.call('order')).entity.fields.keys()], ['colour']);
  });
}

test('an index that is being built shows how far it is', async () => {
  const { bench, clock, node } = await org('memory');
  await node.admin.define('acme', order);
  const call = await node.call('order');
  for (let count = 0; count < 600; count++) await node.runtime.create(call, { title: 'a' });
  const { version } = await change(node, { UpdateParams: [{ name: 'title', index: true }] });
  let steps = 0;
  const work = maintainEntity.run(
    { ...bench.opened, ...node, clock },
    { orgCode: 'acme', entityName: 'order', version },
    async () => {
      clock.advance(1000);
      if (++steps === 5) throw new Error('another process has taken over');
    },
  );
  await assert.rejects(work, /taken over/);
  const [shown] = (await node.admin.show('acme', 'order')).indexes;
  assert.deepEqual(shown, { name: 'title', kind: 'field', state: 'building', done: 500, total: 600 });
});

test('a unique index that goes alone gives its values free', async () => {
  const { bench, node } = await org('memory');
  await node.admin.define('acme', { ...order, UniqueIndexes: [{ indexName: 'one', fields: ['title'] }] });
  await node.runtime.create(await node.call('order'), { title: 'a' });
  await change(node, { UniqueIndexes: [] });
  await node.runtime.create(await node.call('order'), { title: 'a' });
  await workOff(bench, node);
  assert.deepEqual(
    (await bench.contents()).filter(({ pk }) => pk.startsWith('unique#')),
    [],
  );
  assert.deepEqual((await node.call('order')).entity.uniques, []);
});

test('what is sent takes the place of what stands, and the rest stays', async () => {
  const { node } = await org('memory');
  const UniqueIndexes = [{ indexName: 'one', fields: ['title'] }];
  const Views = { short: { fields: [{ name: 'title' }] } };
  const parentIndex = { parentFieldName: 'title', gpkTemplate: 'org#{org};p#{title}', gskTemplate: '{id}' };
  const defined = await node.admin.define('acme', { ...order, UniqueIndexes, Views });
  const { version, api, entityName } = await change(node, { parentIndex, Views: null });
  assert.deepEqual([api, entityName], ['create-order', 'order']);
  assert.ok(version > defined.version);
  const { create, list } = await node.admin.show('acme', 'order');
  const key = 'apiname#create-order;version#active';
  assert.deepEqual(create, { key, version, ...order, UniqueIndexes, parentIndex });
  assert.equal(list.version, defined.version);
  assert.deepEqual(Object.keys(list.Views as object), ['default', 'compact']);
});

test('a config that was read can be edited and put back', async () => {
  const { node } = await org('memory');
  await node.admin.define('acme', order);
  const { create } = await node.admin.show('acme', 'order');
  const edited = { ...create, UpdateParams: [{ name: 'title', description: 'what it is called' }] };
  const { version } = await change(node, edited);
  assert.ok(version > create.version);
  const problem = await refusal(change(node, { ...edited, key: 'other', entityName: 'invoice' }));
  assert.equal(problem.code, 'validation_failed');
  assert.deepEqual(
    problem.details.errors?.map(({ pointer, code }) => [pointer, code]),
    [
      ['/key', 'read_only'],
      ['/version', 'read_only'],
      ['/entityName', 'read_only'],
    ],
  );
});

test('of changes that hold one version by `If-Match` exactly one is made, whichever node takes them', async () => {
  const { bench, node } = await org('memory');
  const { version } = await node.admin.define('acme', order);
  const body = { UpdateParams: [{ name: 'title', description: 'new' }] };
  const request = { api: 'create-order', body, ifMatch: [`"${version}"`] };
  const attempts = Array.from({ length: 8 }, () => bench.node().admin.change('acme', request));
  const outcomes = await Promise.allSettled(attempts);
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  const present = (await node.admin.show('acme', 'order')).create.version;
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    assert.equal(outcome.reason.code, 'version_mismatch');
    assert.equal(outcome.reason.details.version, present);
  }
});

test('of changes of the five configs at once none is lost', async () => {
  const { bench, node } = await org('memory');
  await node.admin.define('acme', order);
  const Views = { own: { fields: [{ name: 'title' }] } };
  const apis = ['create', 'get', 'list', 'update', 'delete'] as const;
  await Promise.all(apis.map((action) => change(bench.node(), { Views }, `${action}-order`)));
  const shown = await node.admin.show('acme', 'order');
  for (const action of apis) assert.deepEqual((shown[action].Views as Partial<typeof Views>).own, Views.own, action);
  assert.equal(new Set(apis.map((action) => shown[action].version)).size, 5);
});

test('fields are merged by their names: what is not sent stays, and the reply names the fields', async () => {
  const { node } = await org('memory');
  const title = { name: 'title', index: true, description: 'what it is called' };
  await node.admin.define('acme', { ...order, UpdateParams: [title, { name: 'amount', colType: 'number' }] });
  const { warnings } = await change(node, { UpdateParams: [{ name: 'colour' }, { name: 'title', description: null }] });
  assert.deepEqual(warnings, ['field `amount` was not sent and is unchanged: `removeFields` removes a field']);
  const fields = async () => (await node.admin.compiled('acme', 'order'))?.definition.UpdateParams;
  const amount = { name: 'amount', colType: 'number' };
  assert.deepEqual(await fields(), [{ name: 'title', index: true }, amount, { name: 'colour' }]);
  const sorted = await change(node, { UpdateParams: [{ name: 'colour' }, { name: 'amount' }, { name: 'title' }] });
  assert.equal(sorted.warnings, undefined);
  assert.deepEqual(await fields(), [{ name: 'colour' }, amount, { name: 'title', index: true }]);
});

test('a field that records have values of goes by force alone, and its values go with it for good', async () => {
  const { bench, clock, node } = await org('memory');
  const secret = { name: 'secret', colType: 'encrypted' };
  const amount = { name: 'amount', colType: 'number', index: true };
  await node.admin.define('acme', { ...order, UpdateParams: [{ name: 'title', search: true }, amount, secret] });
  const first = await node.call('order');
  const ids: string[] = [];
  for (const body of [{ title: 'a', amount: 1, secret: 's' }, { title: 'b', amount: 2 }, { title: 'c' }])
    ids.push((await node.runtime.create(first, body)).data.id);
  const removeFields = ['amount', 'secret'];
  const before = await bench.contents();
  const { code, message, details } = await refusal(change(node, { removeFields }));
  assert.deepEqual(
    [code, details],
    [
      'conflict',
      {
        would_lose: [
          { name: 'amount', records: 2 },
          { name: 'secret', records: 1 },
        ],
        checked: 3,
        complete: true,
        examples: ids.slice(0, 2).map((id) => ({ tenant_code: 'main', id })),
      },
    ],
  );
  assert.match(message, /`amount`, `secret`.*2 have `amount`, 1 have `secret`.*force=true/);
  assert.deepEqual(await bench.contents(), before);
  await force(node, { removeFields });
  const kept = await node.runtime.create(await node.call('order'), { title: 'd' });
  const early = await refusal(change(node, { UpdateParams: [{ name: 'amount', colType: 'encrypted' }] }));
  assert.deepEqual([early.code, /still being erased/.test(early.message)], ['conflict', true]);
  for (let round = 0; round < 3; round++) {
    await workOff(bench, node);
    clock.advance(6500);
  }
  const texts = (await bench.contents()).map(({ pk, sk, value }) => `${pk} ${sk} ${value}`).join();
  assert.doesNotMatch(texts, /amount|"secret"/);
  const call = await node.call('order');
  assert.deepEqual([call.entity.hidden, call.entity.unkept], [[], []]);
  await change(node, { UpdateParams: [{ name: 'amount' }, { ...secret, validate: true, required: false }] });
  const again = await node.call('order');
  assert.deepEqual(
    (await listAll(node, again)).map((record) => [record.title, record.amount]),
    [
      ['d', undefined],
      ['c', undefined],
      ['b', undefined],
      ['a', undefined],
    ],
  );
  assert.equal((await node.runtime.update(again, { id: kept.data.id, body: { amount: '3' } })).data.amount, '3');
  const { actual, expected } = await derived(bench, again);
  assert.deepEqual(actual, expected);
});

test('a record written while the values of a field are erased keeps none of them', async () => {
  const { bench, node } = await org('memory');
  await node.admin.define('acme', order);
  const stale = bench.node();
  const { data } = await stale.runtime.create(await stale.call('order'), { title: 'a', amount: 1 });
  await force(node, { removeFields: ['amount'] });
  const written = await node.runtime.update(await node.call('order'), { id: data.id, body: { title: 'b' } });
  assert.equal(written.data.amount, undefined);
  const late = stale.runtime.update(await stale.call('order'), { id: data.id, body: { amount: 2 } });
  assert.equal((await refusal(late)).code, 'unknown_field');
});

test('a field without values goes unasked, and a formula has none of its own', async () => {
  const { node } = await org('memory');
  const label = { name: 'label', colType: 'formula', formula: '<{title}>' };
  await node.admin.define('acme', { ...order, UpdateParams: [...order.UpdateParams, label] });
  await node.runtime.create(await node.call('order'), { title: 'a' });
  await change(node, { removeFields: ['amount', 'label'] });
  assert.deepEqual([...(await node.call('order')).entity.fields.keys()], ['title']);
});

test('what was readable is shown no more once its field is encrypted, and the reply says where it still is', async () => {
  const { node } = await org('memory');
  await node.admin.define('acme', order);
  await node.runtime.create(await node.call('order'), { title: 'secret' });
  const body = { UpdateParams: [{ name: 'title', colType: 'encrypted' }] };
  assert.deepEqual((await refusal(change(node, body))).details.would_lose, [{ name: 'title', records: 1 }]);
  const { warnings } = await force(node, body);
  assert.match(warnings?.join() ?? '', /`title`.*unsealed/);
  assert.deepEqual((await node.call('order')).entity.hidden, ['title']);
});

test('keys of records never change, so other key templates are refused; the same ones in other words are not', async () => {
  const { node } = await org('memory');
  await node.admin.define('acme', order);
  const problem = await refusal(change(node, { baseKeys: { pkTemplate: 'org#{org};x', skTemplate: 'y#{id}' } }));
  assert.equal(problem.code, 'conflict');
  await change(node, { baseKeys: { pkTemplate: 'org#{org};data#order', skTemplate: 'order#{id}' } });
  await change(node, { baseKeys: null });
});

test('a definition that does not hold as a whole is refused, and nothing is written', async () => {
  const { bench, node } = await org('memory');
  await node.admin.define('acme', { ...order, UniqueIndexes: [{ indexName: 'one', fields: ['title'] }] });
  await change(node, { Views: { own: { fields: [{ name: 'amount' }] } } }, 'list-order');
  const items = () => bench.opened.maintenance.scan('org#acme', undefined, 1000);
  const before = await items();
  const bad: readonly (readonly [unknown, string, readonly string[]])[] = [
    [[], 'validation_failed', ['']],
    [null, 'validation_failed', ['']],
    [{ colour: 1 }, 'unknown_field', ['/colour']],
    [{ colour: null }, 'unknown_field', ['/colour']],
    [{ UpdateParams: null }, 'validation_failed', ['/UpdateParams', '/UniqueIndexes/0/fields/0']],
    [{ removeFields: 'title' }, 'validation_failed', ['/removeFields']],
    [{ removeFields: ['amount', 'colour'] }, 'unknown_field', ['/removeFields/1']],
    [{ UpdateParams: [{ name: 'amount' }], removeFields: ['amount'] }, 'validation_failed', ['/removeFields/0']],
    [{ entityName: 'invoice' }, 'validation_failed', ['/entityName']],
    [{ UpdateParams: [{ name: 'a b' }, { name: 'new' }] }, 'validation_failed', ['/UpdateParams/0/name']],
    [{ UpdateParams: [{ name: 'new' }, { name: 'new' }] }, 'validation_failed', ['/UpdateParams/1/name']],
    [
      { UpdateParams: [{ name: 'new' }, { name: 'amount', pattern: 'a' }] },
      'validation_failed',
      ['/UpdateParams/1/pattern'],
    ],
    [{ removeFields: ['title'] }, 'unknown_field', ['/UniqueIndexes/0/fields/0']],
    [{ removeFields: ['amount'] }, 'unknown_field', ['/UpdateParams']],
    [{ Views: { v: { fields: [{ name: 'none' }] } } }, 'unknown_field', ['/Views/v/fields/0/name']],
    [
      { UpdateParams: [...order.UpdateParams, { name: 'x', lookup: { entity: 'none' } }] },
      'validation_failed',
      ['/UpdateParams/2/lookup/entity'],
    ],
  ];
  for (const [body, code, pointers] of bad) {
    const problem = await refusal(change(node, body));
    assert.equal(problem.code, code, JSON.stringify(body));
    assert.deepEqual(
      problem.details.errors?.map(({ pointer }) => pointer),
      pointers,
      JSON.stringify(body),
    );
  }
  for (const api of ['create-none', 'none-order', 'create', '', 'create-user', 'order', '__proto__'])
    assert.equal((await refusal(change(node, {}, api))).code, 'not_found', api);
  assert.deepEqual(await items(), before);
});

test('a view of another config that names a field is no reason against changing that field', async () => {
  const { node } = await org('memory');
  await node.admin.define('acme', { ...order, Views: { own: { fields: [{ name: 'amount' }] } } });
  await change(node, { UpdateParams: [{ name: 'amount', description: 'new' }] });
  const problem = await refusal(change(node, { removeFields: ['amount'] }));
  assert.deepEqual(
    problem.details.errors?.map(({ pointer }) => pointer),
    ['/Views/own/fields/0/name'],
  );
  await change(node, { removeFields: ['amount'], Views: {} });
});

test('while the indexes of many changes are being removed, further ones wait', async () => {
  const { bench, clock, node } = await org('memory');
  const fields = (index: boolean) => Array.from({ length: 20 }, (_, n) => ({ name: `f${n}`, index }));
  await node.admin.define('acme', { entityName: 'order', UpdateParams: fields(true) });
  let problem: Problem | undefined;
  for (let round = 0; round < 10 && problem === undefined; round++) {
    await change(node, { UpdateParams: fields(false) }).catch((error) => {
      problem = error;
    });
    if (problem === undefined) await change(node, { UpdateParams: fields(true) });
  }
  assert.equal(problem?.code, 'conflict');
  await workOff(bench, node);
  clock.advance(6000);
  await workOff(bench, node);
  await change(node, { UpdateParams: fields(false) });
});

test('records get a formula’s new value in the background or when they are written, and the reply says so', async () => {
  const { bench, node } = await org('memory');
  await node.admin.define('acme', order);
  const { data } = await node.runtime.create(await node.call('order'), { title: 'a' });
  const formula = { name: 'label', colType: 'formula', formula: '<{title}>' };
  const other = await node.runtime.create(await node.call('order'), { title: 'c' });
  const { fills } = await change(node, { UpdateParams: [...order.UpdateParams, formula] });
  assert.deepEqual(fills, [{ field: 'label', state: 'filling', done: 0, total: 2 }]);
  const written = await node.runtime.update(await node.call('order'), { id: data.id, body: { title: 'b' } });
  assert.equal(written.data.label, '<b>');
  await workOff(bench, node);
  const shown = await node.runtime.get(await node.call('order'), other.data.id);
  assert.equal(JSON.parse(shown?.value ?? '{}').label, '<c>');
});
