import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { directPartition } from '../../records/record-keys.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { type Node, RecordBench, SteppedClock, withoutOthers } from '../../testing/record-bench.ts';
import { lookBudget } from './look-at-records.ts';

async function org() {
  const clock = new SteppedClock();
  const bench = new RecordBench(await openStore({ kind: 'memory', clock }), clock);
  await bench.found(bench.workspace);
  return { bench, node: bench.node() };
}

type Field = { readonly name: string; readonly [hint: string]: unknown };

const templated = { pkTemplate: 'org#{org};{user_id}', skTemplate: 'z#{id};x' };

/** An entity with these fields; a change to others, and what of it is refused. */
async function define(node: Node, fields: readonly Field[], baseKeys?: typeof templated): Promise<void> {
  await node.admin.define('acme', { entityName: 'order', UpdateParams: fields, ...(baseKeys && { baseKeys }) });
}

interface Refused {
  readonly would_fail: number;
  readonly checked: number;
  readonly complete: boolean;
  readonly examples: readonly {
    readonly tenant_code: string;
    readonly id: string;
    readonly errors: readonly { pointer: string; code: string }[];
  }[];
}

async function changeTo(node: Node, fields: readonly Field[], force = false): Promise<Refused | undefined> {
  try {
    const body = await withoutOthers(node.admin, 'order', { UpdateParams: fields });
    await node.admin.change('acme', { api: 'create-order', body, force });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Problem && error.code === 'conflict', String(error));
    assert.match(error.message, /force=true/);
    return error.details as unknown as Refused;
  }
}

async function create(node: Node, body: unknown, entityName = 'order'): Promise<string> {
  return (await node.runtime.create(await node.call(entityName), body)).data.id;
}

const x = (hints: object = {}): Field => ({ name: 'x', ...hints });
const v = { validate: true, required: false };

const cases: readonly (readonly [string, Field, readonly unknown[], Field, readonly string[]])[] = [
  ['a value that is needed', x(), ['a', undefined], x({ validate: true }), ['required']],
  ['a shorter length', x(v), ['ab', 'abc'], x({ ...v, maxlength: 2 }), ['too_long']],
  ['a longer length', x(v), ['ab', 'a'], x({ ...v, minlength: 2 }), ['too_short']],
  ['another bound', x({ colType: 'number' }), [1, 2], x({ ...v, colType: 'number', max: 1 }), ['too_large']],
  [
    'fewer values',
    x({ colType: 'enum', enumValues: ['a', 'b'] }),
    ['a', 'b'],
    x({ colType: 'enum', enumValues: ['a'] }),
    ['not_in_enum'],
  ],
  ['a pattern', x(), ['a', 'b'], x({ ...v, pattern: '^a' }), ['pattern_mismatch']],
  ['another type', x(), ['a', 'b'], x({ colType: 'number' }), ['wrong_type', 'wrong_type']],
  [
    'a type with one form',
    x(),
    ['018bcfe5-0000-7000-8000-00000000000a', '018BCFE5-0000-7000-8000-00000000000B'],
    x({ colType: 'guid' }),
    ['other_form'],
  ],
  [
    'elements of another type',
    x({ colType: 'array' }),
    [['a'], []],
    x({ colType: 'array', items: { colType: 'integer' } }),
    ['wrong_type'],
  ],
  [
    'a value that was sealed',
    x({ colType: 'encrypted' }),
    ['a', undefined],
    x({ validate: true }),
    ['required', 'required'],
  ],
  [
    'a sealed value that is needed',
    x({ colType: 'encrypted' }),
    ['a', undefined],
    x({ colType: 'encrypted', validate: true }),
    ['required'],
  ],
];

for (const [what, before, values, after, codes] of cases)
  for (const baseKeys of [undefined, templated])
    test(`${what}: records of ${baseKeys === undefined ? 'the default' : 'other'} keys that lack it are named, and nothing changes`, async () => {
      const { bench, node } = await org();
      await define(node, [before], baseKeys);
      for (const value of values) await create(node, value === undefined ? {} : { x: value });
      const stored = () => bench.opened.maintenance.scan('org#acme', undefined, 1000);
      const current = await stored();
      const refused = await changeTo(node, [after]);
      assert.deepEqual(
        refused?.examples.flatMap(({ errors }) => errors.map(({ code }) => code)),
        codes,
      );
      assert.deepEqual(
        { ...refused, examples: [] },
        { would_fail: codes.length, checked: values.length, complete: true, examples: [] },
      );
      assert.deepEqual(await stored(), current);
      assert.equal(await changeTo(node, [after], true), undefined);
    });

test('a narrower definition that every record meets is taken', async () => {
  const { node } = await org();
  await define(node, [x()]);
  await create(node, { x: 'abc' });
  assert.equal(await changeTo(node, [x({ validate: true, minlength: 3, maxlength: 3, pattern: '^abc$' })]), undefined);
});

test('what was accepted by force is not held against the changes after it', async () => {
  const { node } = await org();
  await define(node, [x()]);
  await create(node, {});
  assert.equal(await changeTo(node, [x({ validate: true })], true), undefined);
  assert.equal(await changeTo(node, [x({ validate: true }), { name: 'y' }]), undefined);
});

test('ids that lead to no record of the entity are found when a field becomes a lookup; others are not', async () => {
  const { node } = await org();
  await node.admin.define('acme', { entityName: 'customer', UpdateParams: [] });
  await define(node, [x({ colType: 'guid' }), { name: 'y', colType: 'guid' }]);
  const customer = await create(node, {}, 'customer');
  const own = await create(node, { x: customer, y: customer });
  await create(node, { x: own });
  await create(node, {});
  const refused = await changeTo(node, [
    x({ colType: 'guid', lookup: { entity: 'customer' } }),
    { name: 'y', colType: 'guid' },
  ]);
  assert.deepEqual([refused?.would_fail, refused?.checked], [1, 3]);
  assert.deepEqual(
    refused?.examples[0]?.errors.map(({ pointer, code }) => [pointer, code]),
    [['/x', 'unknown_reference']],
  );
  assert.equal((await changeTo(node, [x({ colType: 'guid', lookup: { entity: 'order' } })]))?.would_fail, 1);
});

test('the records of all workspaces count, and a few of them are named', async () => {
  const { bench, node } = await org();
  await define(node, [x()]);
  for (const code of ['main', 'second', 'third']) {
    const workspace = bench.workspaceOf(code);
    await bench.found(workspace);
    for (let count = 0; count < 3; count++) await node.runtime.create(await node.call('order', { workspace }), {});
  }
  const refused = await changeTo(node, [x({ validate: true })]);
  assert.deepEqual([refused?.would_fail, refused?.checked, refused?.complete], [9, 9, true]);
  assert.deepEqual(
    refused?.examples.map(({ tenant_code }) => tenant_code),
    ['main', 'main', 'main', 'second', 'second'],
  );
});

test('of more records than are looked at the answer says so, and asks to be forced even where none of them fails', async () => {
  const { bench, node } = await org();
  await define(node, [x()]);
  const { entity, workspace } = await node.call('order');
  const pk = directPartition(entity, workspace);
  for (let first = 0; first < lookBudget.records; first += 500) {
    const ids = Array.from({ length: 500 }, bench.newId);
    await workspace.scope.commit(
      ids.map((id) => ({ kind: 'put', pk, sk: `order#${id}`, value: JSON.stringify({ id, x: 'a' }), if: 'absent' })),
    );
  }
  // The workspace is one of what is looked at.
  const refused = await changeTo(node, [x({ validate: true, pattern: '^a' })]);
  assert.deepEqual(refused, { would_fail: 0, checked: lookBudget.records - 1, complete: false, examples: [] });
  assert.equal(await changeTo(node, [x({ index: true })]), undefined);
  // The query of the store leaves out all of them but one.
  await create(node, { x: 'b' });
  const narrowed = await changeTo(node, [x({ colType: 'enum', enumValues: ['a'] })]);
  assert.deepEqual(
    [narrowed?.would_fail, narrowed?.checked, narrowed?.complete, narrowed?.examples.length],
    [1, lookBudget.records + 1, true, 1],
  );
  assert.equal(await changeTo(node, [x({ validate: true })]), undefined);
  assert.equal(await changeTo(node, [x({ validate: true, pattern: '^a' })], true), undefined);
});

test('records are looked at while others of the process are served', async () => {
  const { node } = await org();
  await define(node, [x()]);
  for (let count = 0; count < 50; count++) await create(node, { x: 'a' });
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await changeTo(node, [x({ validate: true, pattern: '^a' })]);
  isDone = true;
  assert.ok(turns >= 50, String(turns));
});
