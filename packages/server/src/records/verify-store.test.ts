import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entityRows, references, versionKey } from '../config/org-keys.ts';
import { fenceKey } from '../records/writing/fence.ts';
import type { Change, Item, Key } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { RecordBench, SteppedClock, verifyParts } from '../testing/record-bench.ts';
import { recordCounter, sealedKey } from './indexes/derive.ts';
import type { RecordData } from './record.ts';
import type { DriftKind } from './verification/look.ts';
import { verifyStore } from './verify-store.ts';
import { numberKey } from './writing/numbering.ts';
import { createSealer } from './writing/sealed-values.ts';

const order = {
  entityName: 'order',
  UpdateParams: [
    { name: 'a', index: true },
    { name: 'text', search: true },
    { name: 'nr', colType: 'autoincrement' },
    { name: 'secret', colType: 'encrypted' },
    { name: 'to', colType: 'guid', lookup: { entity: 'moving', onDelete: 'setnull' } },
    { name: 'who' },
  ],
  UniqueIndexes: [{ indexName: 'one', fields: ['a'] }],
  ownerIndexes: [{ ownerFieldName: 'who', gpkTemplate: 'org#{org};who#{who}', gskTemplate: '{a}' }],
};
const moving = {
  entityName: 'moving',
  baseKeys: { pkTemplate: 'org#{org};by#{k}', skTemplate: 'm#{id}' },
  UpdateParams: [{ name: 'k', validate: true, index: true }],
  UniqueIndexes: [{ indexName: 'key', fields: ['k'] }],
};

/** An org with everything that can lie beside records, and nothing out of place. */
async function soundOrg() {
  const clock = new SteppedClock();
  const bench = new RecordBench(await openStore({ kind: 'memory', clock }), clock);
  await bench.found(bench.workspace);
  const node = bench.node();
  await node.admin.define('acme', moving);
  await node.admin.define('acme', order);
  const make = async (entity: string, body: object) => (await node.runtime.create(await node.call(entity), body)).data;
  const target = await make('moving', { k: 'm' });
  const records: readonly RecordData[] = [
    await make('order', { a: 'x', text: 'red green', secret: 's', to: target.id }),
    await make('order', { a: 'y', text: 'blue', secret: 't' }),
  ];
  const items = await bench.contents();
  const itemOf = (starts: string, isWanted: (item: Item) => boolean = () => true): Item => {
    const found = items.find((item) => item.pk.startsWith(starts) && isWanted(item));
    assert.ok(found !== undefined, starts);
    return found;
  };
  return { bench, target, records, itemOf };
}

type Org = Awaited<ReturnType<typeof soundOrg>>;

interface Fault {
  readonly name: string;
  readonly plant: (org: Org) => readonly Change[];
  /** The scope in which it is planted, if not in the workspace. */
  readonly scope?: string;
  readonly found: readonly (readonly [kind: DriftKind, problem: RegExp])[];
}

const remove = ({ pk, sk }: Key): Change => ({ kind: 'remove', pk, sk, if: 'present' });
const put = ({ pk, sk }: Key, value: string): Change => ({ kind: 'put', pk, sk, value, if: 'any' });
const point = (entry: Key, target: Key): Change => ({ kind: 'put-index', pk: entry.pk, sk: entry.sk, target });
const placeOf = (org: Org, which: number): Key => ({
  pk: 'org#acme-main;data#order',
  sk: `order#${org.records[which]?.id}`,
});
const textOf = (org: Org, which: number, changes: object): string =>
  JSON.stringify({ ...org.records[which], ...changes });
const absentId = '018bcfe5-0000-7000-8000-00000000dead';

const faults: readonly Fault[] = [
  {
    name: 'an index entry that is missing',
    plant: ({ itemOf }) => [remove(itemOf('index#order;field#a'))],
    found: [['index', /is missing/]],
  },
  {
    name: 'a missing word',
    plant: ({ itemOf }) => [remove(itemOf('index#order;search'))],
    found: [['index', /is missing/]],
  },
  {
    name: 'a missing entry of an owner, in the second order of the index',
    plant: ({ itemOf }) => [remove(itemOf('index#order;owner', ({ pk }) => pk.includes(';by#')))],
    found: [['index', /is missing/]],
  },
  {
    name: 'a missing entry of the id index',
    plant: ({ itemOf }) => [remove(itemOf('index#moving;id'))],
    found: [
      ['dangling', /`to` names/],
      ['index', /is missing/],
      ['unique', /belongs to no record/],
    ],
  },
  {
    name: 'an entry that points to another record',
    plant: (org) => [point(org.itemOf('index#order;field#a'), placeOf(org, 1))],
    found: [
      ['index', /does not follow from its record/],
      ['index', /points elsewhere/],
    ],
  },
  {
    name: 'an entry that points to nothing',
    plant: () => [
      point({ pk: 'index#order;field#a@2', sk: 'x' }, { pk: 'org#acme-main;data#order', sk: 'order#none' }),
    ],
    found: [['index', /points to no order/]],
  },
  {
    name: 'an entry of an index that is no more',
    plant: (org) => [point({ pk: 'index#order;field#a@1', sk: 'x' }, placeOf(org, 0))],
    found: [['index', /does not follow from its record/]],
  },
  {
    name: 'an entry of no entity',
    plant: (org) => [point({ pk: 'index#gone;id', sk: 'x' }, placeOf(org, 0))],
    found: [['index', /belongs to no entity/]],
  },
  {
    name: 'a unique value that is not noted',
    plant: ({ itemOf }) => [remove(itemOf('unique#order'))],
    found: [['unique', /is missing/]],
  },
  {
    name: 'a unique value that is noted for another record',
    plant: ({ itemOf, records }) => [
      put(
        itemOf('unique#order', ({ value }) => value === records[0]?.id),
        `${records[1]?.id}`,
      ),
    ],
    found: [
      ['unique', /does not follow from its record/],
      ['unique', /is held by/],
    ],
  },
  {
    name: 'a unique value without a record',
    plant: ({ itemOf }) => [put({ ...itemOf('unique#moving'), sk: 'other' }, absentId)],
    found: [['unique', /belongs to no record/]],
  },
  {
    name: 'a unique value of no entity',
    plant: () => [put({ pk: 'unique#gone;one@1', sk: 'x' }, absentId)],
    found: [['unique', /belongs to no entity/]],
  },
  {
    name: 'a counter that counts one too many',
    plant: () => [{ kind: 'add', ...recordCounter('order'), by: 1 }],
    found: [['count', /counts 3 records where there are 2/]],
  },
  {
    name: 'a counter that is missing',
    plant: () => [remove(recordCounter('moving'))],
    found: [['count', /counts 0 records where there are 1/]],
  },
  {
    name: 'a counter of no entity',
    plant: () => [put(recordCounter('gone'), '4')],
    found: [['count', /counts 4 records where there are 0/]],
  },
  {
    name: 'numbers that would be given again',
    plant: () => [put(numberKey('order', 'nr'), '1')],
    found: [['number', /is at 1, but a record already has 2/]],
  },
  {
    name: 'numbers of no entity',
    plant: () => [put(numberKey('gone', 'nr'), '1')],
    found: [['number', /belongs to no entity/]],
  },
  {
    name: 'sealed values beside the wrong record',
    plant: ({ itemOf, records }) => [
      put(sealedKey('order', `${records[1]?.id}`), itemOf('sealed#order', ({ sk }) => sk === records[0]?.id).value),
    ],
    found: [['sealed', /opens with no known key/]],
  },
  {
    name: 'a sealed value under a key that is unknown',
    plant: ({ bench, records }) => {
      const id = `${records[0]?.id}`;
      const other = createSealer([{ kid: 'other', key: Buffer.alloc(32, 1).toString('base64url') }]);
      const place = { scope: bench.workspace.scope.name, entityName: 'order', id, field: 'secret' };
      return [put(sealedKey('order', id), JSON.stringify({ secret: other.seal('s', place) }))];
    },
    found: [['sealed', /opens with no known key/]],
  },
  {
    name: 'sealed values that are none',
    plant: ({ itemOf }) => [put(itemOf('sealed#order'), 'junk')],
    found: [['sealed', /opens with no known key/]],
  },
  {
    name: 'sealed values beside no record',
    plant: () => [put(sealedKey('order', absentId), '{}')],
    found: [['sealed', /belongs to no record/]],
  },
  {
    name: 'sealed values of an entity that has none',
    plant: ({ target }) => [put(sealedKey('moving', target.id), '{}')],
    found: [['sealed', /belongs to no entity/]],
  },
  {
    name: 'a record that was changed past its indexes',
    plant: (org) => [put(placeOf(org, 0), textOf(org, 0, { a: 'z' }))],
    found: [
      ['index', /is missing/],
      ['index', /is missing/],
      ['index', /does not follow from its record/],
      ['index', /does not follow from its record/],
      ['unique', /is missing/],
      ['unique', /does not follow from its record/],
    ],
  },
  {
    name: 'a record that refers to nothing',
    plant: (org) => [remove(org.itemOf('index#moving;id')), ...removeTarget(org)],
    found: [['dangling', /`to` names the moving/]],
  },
  {
    name: 'what is no record where records lie',
    plant: () => [put({ pk: 'org#acme-main;data#order', sk: `order#${absentId}` }, 'junk')],
    found: [['record', /holds no record/]],
  },
  {
    name: 'a record under the key of another id',
    plant: (org) => [
      put({ pk: 'org#acme-main;data#order', sk: `order#${absentId}` }, textOf(org, 0, {})),
      { kind: 'add', ...recordCounter('order'), by: 1 },
    ],
    found: [
      ['record', /is not the key of its id/],
      ...Array.from({ length: 7 }, () => ['index', /points elsewhere/] as const),
    ],
  },
  {
    name: 'a record of no entity',
    plant: (org) => [put({ pk: 'org#acme-main;data#gone', sk: 'gone#1' }, textOf(org, 0, {}))],
    found: [['record', /is not the key of any entity/]],
  },
  {
    name: 'a fence above the configuration',
    plant: () => [put(fenceKey('order'), '{"generation":99}')],
    found: [['fence', /is above the config version/]],
  },
  {
    name: 'a workspace that was founded after its org’s last change',
    plant: () => [put(fenceKey('*'), '{"configVersion":99}')],
    found: [['fence', /is above the config version/]],
  },
  {
    name: 'references that no definition asks for',
    scope: 'org#acme',
    plant: () => [put(references.key(), '[]')],
    found: [
      ['config', /does not follow from the definitions/],
      ['fence', /is above the config version/],
    ],
  },
  {
    name: 'a config without a body',
    scope: 'org#acme',
    plant: () => [remove(versionKey('list-order', 2))],
    found: [['config', /is live, but missing/]],
  },
  {
    name: 'a missing row of an entity',
    scope: 'org#acme',
    plant: () => [remove(entityRows.key('order'))],
    found: [['config', /is missing/]],
  },
  {
    name: 'a workspace that its org does not know',
    scope: 'org#acme-stray',
    plant: () => [put(recordCounter('order'), '0')],
    found: [['config', /the org has no row for this workspace/]],
  },
];

function removeTarget({ itemOf }: Org): readonly Change[] {
  return [
    remove(itemOf('org#acme-main;by#')),
    remove(itemOf('index#moving;field#k')),
    remove(itemOf('index#moving;field#updated_at')),
    remove(itemOf('unique#moving')),
    remove(recordCounter('moving')),
  ];
}

test('nothing has drifted where nothing was planted, and everything was looked at', async () => {
  const { bench } = await soundOrg();
  const { counts, drift, dangling } = await verifyStore(verifyParts(bench));
  assert.deepEqual([drift, dangling], [[], []]);
  const { length: entries } = (await bench.contents()).filter(({ target }) => target !== undefined);
  assert.deepEqual(counts, { orgs: 1, workspaces: 1, skipped: 0, records: 3, entries, uniques: 3, sealed: 2 });
});

for (const { name, plant, scope = 'org#acme-main', found } of faults)
  test(`a look at a store finds ${name}`, async () => {
    const org = await soundOrg();
    await org.bench.opened.store.scope(scope).commit(plant(org));
    const { drift, dangling } = await verifyStore(verifyParts(org.bench));
    const all = [...drift, ...dangling];
    const reported = JSON.stringify(all, undefined, 1);
    assert.equal(all.length, found.length, reported);
    for (const [kind, problem] of found)
      assert.ok(
        all.some((one) => one.kind === kind && problem.test(one.problem)),
        `${kind} ${problem} in ${reported}`,
      );
  });

test('a look at a store finds scopes that have lost their head, and goes on to look into them', async () => {
  const { bench } = await soundOrg();
  const { maintenance } = bench.opened;
  for (const name of ['org#acme', 'org#acme-main']) await maintenance.load({ name, seq: 0, state: 'open' }, []);
  const { counts, drift } = await verifyStore(verifyParts(bench));
  assert.deepEqual([counts.orgs, counts.workspaces, counts.records], [1, 1, 3]);
  assert.deepEqual(
    drift.map(({ kind, scope, problem }) => [kind, scope, problem]),
    ['org#acme', 'org#acme-main'].map((name) => ['head', name, 'exists, but the head row of its scope is missing']),
  );
});

test('an index that is being built or erased is not asked for, and what is there of it is nothing strange', async () => {
  const { bench } = await soundOrg();
  const { admin, configs } = bench.node();
  const UpdateParams = order.UpdateParams.map((field) => ({ ...field, index: field.name === 'text' }));
  await admin.change('acme', { api: 'create-order', body: { UpdateParams } });
  assert.deepEqual((await verifyStore(verifyParts(bench))).drift, []);
  const node = bench.node();
  await node.runtime.create(await node.call('order'), { text: 'new' });
  assert.deepEqual((await verifyStore(verifyParts(bench))).drift, []);
  const states = (await configs.refresh('acme')).active('order')?.state.indexes.map(({ state }) => state);
  assert.ok(states?.includes('building') && states.includes('dropping'));
});

test('an entity whose removal is under way is no drift', async () => {
  const { bench } = await soundOrg();
  await bench.node().admin.remove('acme', 'order');
  assert.deepEqual((await verifyStore(verifyParts(bench))).drift, []);
  await bench.workOff();
  assert.deepEqual((await verifyStore(verifyParts(bench))).drift, []);
});

test('drift is counted to the end, and reported up to a bound', async () => {
  const { bench } = await soundOrg();
  for (const round of [0, 1, 2]) {
    const strays = Array.from({ length: 500 }, (_, index) =>
      put({ pk: 'unique#gone;x@1', sk: `${round};${index}` }, 'x'),
    );
    await bench.workspace.scope.commit(strays);
  }
  const findings = await verifyStore(verifyParts(bench));
  assert.deepEqual([findings.driftCount, findings.drift.length], [1500, 1000]);
});
