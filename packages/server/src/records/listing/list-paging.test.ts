import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../lib/problem.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { thinned } from '../../store/testing/quick.ts';
import { listAll, listQuery, type Node, RecordBench, SteppedClock, user } from '../../testing/record-bench.ts';
import type { RecordData } from '../record.ts';
import type { RecordCall } from '../writing/write-loop.ts';
import { scanBudget } from './walking/record-walk.ts';

const clock = new SteppedClock();
const opened = await openStore({ kind: 'memory', clock });
const bench = new RecordBench(opened, clock);
const node = bench.node();
const { runtime } = node;
/** The records that a page of a small node looks at. */
const itemsMax = 200;
let tenants = 0;

const UpdateParams = [{ name: 'rank', colType: 'number', index: true }, { name: 'text' }];
await node.admin.define('acme', { entityName: 'direct', UpdateParams });
const baseKeys = { pkTemplate: 'org#{org};t', skTemplate: '{text};{rank}#{id}' };
await node.admin.define('acme', { entityName: 'templated', UpdateParams, baseKeys });

/** The same fields, listed by owner, parent and words. */
const grouped = {
  UpdateParams: [UpdateParams[0], { name: 'text', search: true }],
  ownerIndexes: [{ ownerFieldName: 'created_by', gpkTemplate: 'org#{org};o#{created_by}', gskTemplate: '{rank}#{id}' }],
  parentIndex: { parentFieldName: 'text', gpkTemplate: 'org#{org};p#{text}', gskTemplate: '{rank}' },
};
await node.admin.define('acme', { entityName: 'grouped', ...grouped });
await node.admin.define('acme', {
  entityName: 'grouped_templated',
  ...grouped,
  baseKeys: { ...baseKeys, pkTemplate: 'org#{org};g' },
});

function freshCall(entityName = 'direct'): Promise<RecordCall> {
  return node.call(entityName, { workspace: new RecordBench(opened, clock, `t${++tenants}`).workspace });
}

const queries: readonly Readonly<Record<string, string>>[] = [
  {},
  { sortdir: 'asc' },
  { sortby: 'rank' },
  { sortby: 'rank', sortdir: 'desc' },
  { rank: '1' },
  { rank: '1', rank_op: 'gte', sortby: 'rank' },
  { text: 'a' },
  { text: 'a', sortby: 'rank' },
  { sortby: 'updated_at' },
];
const groupedQueries: typeof queries = [
  ...queries,
  { owner: user },
  { owner: user, sortby: 'rank', sortdir: 'desc' },
  { owner: user, text: 'b' },
  { q: 'a' },
  { q: 'a', sortdir: 'asc' },
  { q: 'a', sortby: 'rank' },
  { q: 'a', text: 'a' },
  { q: 'a a' },
];

const body = fc.record({ rank: fc.integer({ min: 0, max: 2 }), text: fc.constantFrom('a', 'b') });
const disturbance = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), body }),
  fc.record({ kind: fc.constant('remove' as const), which: fc.nat({ max: 20 }) }),
  fc.record({ kind: fc.constant('move' as const), which: fc.nat({ max: 20 }), body }),
);

for (const [entityName, requested] of Object.entries({
  direct: queries,
  templated: queries,
  grouped: groupedQueries,
  grouped_templated: groupedQueries,
}))
  test(`pages of ${entityName} records hold each that stood throughout once, whatever others do meanwhile`, async () => {
    const property = fc.asyncProperty(
      fc.array(body, { minLength: 1, maxLength: 20 }),
      fc.array(fc.array(disturbance, { maxLength: 4 }), { maxLength: 12 }),
      fc.constantFrom(...requested),
      fc.integer({ min: 1, max: 4 }),
      async (bodies, disturbances, parameters, pagesize) => {
        const call = await freshCall(entityName);
        const made: RecordData[] = [];
        for (const one of bodies) made.push((await runtime.create(call, one)).data);
        const expected = (await listAll(node, call, parameters)).map(({ id }) => id);
        const disturbed = new Set<string>();
        const listed: string[] = [];
        let nexttoken: string | null | undefined;
        for (let page = 0; nexttoken !== null; page++) {
          const given = { ...parameters, pagesize: String(pagesize), ...(nexttoken ? { nexttoken } : {}) };
          const answer = await runtime.list(call, listQuery(call, given));
          assert.ok(answer.items.length <= pagesize);
          listed.push(...answer.items.map(({ value }) => (JSON.parse(value) as RecordData).id));
          nexttoken = answer.nexttoken;
          for (const one of disturbances[page] ?? []) await disturb(call, { one, made, disturbed });
        }
        const expectedIds = expected.filter((id) => !disturbed.has(id));
        assert.deepEqual(
          listed.filter((id) => expectedIds.includes(id)),
          expectedIds,
        );
      },
    );
    await fc.assert(property, { numRuns: thinned(300) });
  });

type Disturbance = typeof disturbance extends fc.Arbitrary<infer D> ? D : never;

async function disturb(
  call: RecordCall,
  act: { readonly one: Disturbance; readonly made: readonly RecordData[]; readonly disturbed: Set<string> },
): Promise<void> {
  const { one, made, disturbed } = act;
  clock.advance(1);
  if (one.kind === 'add') {
    await runtime.create(call, one.body);
    return;
  }
  const id = made[one.which]?.id;
  if (id === undefined || (await runtime.get(call, id)) === undefined) return;
  disturbed.add(id);
  if (one.kind === 'remove') await runtime.remove(call, { id });
  else await runtime.update(call, { id, body: one.body });
}

test('past the scan budget pages and counts end short, with a cursor, and still come to the end', async () => {
  const small = bench.node(undefined, undefined, itemsMax);
  const { runtime } = small;
  const call = await freshCall();
  const total = 2 * itemsMax + 50;
  for (let index = 0; index < total; index++)
    await runtime.create(call, { text: index % 100 === 7 ? 'wanted' : 'other', rank: 1 });
  const expected = (await listAll(node, call, { pagesize: '200' })).filter(({ text }) => text === 'wanted');
  assert.equal(expected.length, 5);
  for (const parameters of [{ text: 'wanted' }, { text: 'wanted', rank: '1' }]) {
    const first = await runtime.list(call, listQuery(call, parameters));
    assert.ok(first.items.length < 5 && first.nexttoken !== null && first.isPartial);
    assert.equal(first.partialReason, 'records');
    const none = await runtime.list(call, listQuery(call, { ...parameters, text: 'none' }));
    assert.ok(none.items.length === 0 && none.nexttoken !== null && none.isPartial);
    assert.deepEqual(await listAll(small, call, parameters), expected);
    assert.deepEqual((await node.runtime.list(call, listQuery(call, parameters))).isPartial, false);
    const query = listQuery(call, { ...parameters, total: 'true' });
    const atLeast = await runtime.total(call, query, await runtime.list(call, query));
    const counts = await countInParts(small, call, parameters);
    assert.deepEqual(atLeast, { atLeast: counts[0] });
    assert.ok(counts.length > 1);
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      5,
    );
  }
  assert.deepEqual(await runtime.count(call, listQuery(call, { rank: '1' })), { count: total });
  assert.deepEqual(await runtime.count(call, listQuery(call)), { count: total });
  for (const parameters of [{ rank: '1' }, {}]) {
    const page = await runtime.list(call, listQuery(call, parameters));
    const query = listQuery(call, { ...parameters, nexttoken: page.nexttoken ?? '' });
    assert.equal(await runtime.total(call, query, page), total);
  }
});

async function countInParts({ runtime }: Node, call: RecordCall, parameters: Readonly<Record<string, string>>) {
  const counts: number[] = [];
  // Each part says that it is one, the last one too.
  for (let nexttoken: string | undefined; ; ) {
    const given = nexttoken === undefined ? parameters : { ...parameters, nexttoken };
    const part = await runtime.count(call, listQuery(call, given));
    counts.push(part.count);
    nexttoken = part.nexttoken;
    assert.equal(part.partial === true, counts.length > 1 || nexttoken !== undefined);
    if (nexttoken === undefined) return counts;
  }
}

test('a search that has to look at more than its budget ends short, with a cursor, and still comes to the end', async () => {
  const small = bench.node(undefined, undefined, itemsMax);
  const { runtime } = small;
  const call = await freshCall('grouped');
  // More than are put in order by the words that begin so.
  const total = 2_300;
  const wanted: string[] = [];
  for (let index = 0; index < total; index++) {
    const isWanted = index % 700 === 7;
    const { id } = (await runtime.create(call, { text: `w${isWanted ? 'anted' : index} common`, rank: index })).data;
    if (isWanted) wanted.unshift(id);
  }
  const listed = async (parameters: Readonly<Record<string, string>>) =>
    (await listAll(small, call, parameters)).map(({ id }) => id);
  // A word that begins no frequent one, a word that does, several words, and several sorted by a field.
  for (const q of ['wanted', 'want', 'common wanted', 'wanted comm']) {
    assert.deepEqual(await listed({ q }), wanted, q);
    assert.deepEqual(await listed({ q, sortdir: 'asc', pagesize: '2' }), wanted.toReversed(), q);
    assert.deepEqual(await listed({ q, sortby: 'rank', sortdir: 'desc', pagesize: '3' }), wanted, q);
    const counts = await countInParts(small, call, { q });
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      wanted.length,
      q,
    );
  }
  for (const q of ['w', 'common', 'common w']) {
    const all = await listed({ q, pagesize: '200' });
    assert.equal(new Set(all).size, total, q);
    assert.deepEqual(all, all.toSorted().toReversed(), q);
  }
  assert.deepEqual(await listed({ q: 'common nothing' }), []);
});

test('values that the index cuts to one beginning are distinguished by a filter, listed and counted', async () => {
  await node.admin.define('acme', { entityName: 'long', UpdateParams: [{ name: 'text', index: true }] });
  const call = await freshCall('long');
  const start = 'a'.repeat(508);
  const texts = ['', 'b', 'bb', 'é', '\u0001', 'b'.repeat(200)].map((end) => start + end);
  for (const text of texts) await runtime.create(call, { text });
  for (const text of texts) {
    const listed = await listAll(node, call, { text });
    assert.deepEqual(
      listed.map((data) => data.text),
      [text],
    );
    assert.deepEqual(await runtime.count(call, listQuery(call, { text })), { count: 1 });
  }
});

test('pages of large records stay within the budget of bytes and lose none', async () => {
  await node.admin.define('acme', {
    entityName: 'large',
    UpdateParams: [...grouped.UpdateParams, { name: 'word', search: true }],
  });
  const call = await freshCall('large');
  const text = '€'.repeat(100_000);
  const ids: string[] = [];
  for (let index = 0; index < 40; index++)
    ids.unshift((await runtime.create(call, { text, rank: index, word: 'here too' })).data.id);
  for (const parameters of [
    {},
    { sortby: 'rank', sortdir: 'desc' },
    { rank: '0', rank_op: 'gte' },
    { q: 'her' },
    { q: 'here to' },
    { q: 'here', sortby: 'rank', sortdir: 'desc' },
  ]) {
    const first = await runtime.list(call, listQuery(call, { ...parameters, pagesize: '200' }));
    const bytes = first.items.reduce((sum, item) => sum + Buffer.byteLength(item.value), 0);
    assert.ok(first.items.length > 1 && bytes <= scanBudget.bytes + 400_000);
    assert.ok(first.isPartial && first.nexttoken !== null);
    const listed = await listAll(node, call, { ...parameters, pagesize: '200' });
    assert.deepEqual(
      listed.map(({ id }) => id),
      ids,
    );
  }
});

test('a cursor is good for its list alone: caller, workspace, entity, query, and with any page size', async () => {
  const call = await freshCall();
  for (const rank of [1, 1, 1]) await runtime.create(call, { rank, text: 'a' });
  const query = { rank: '1', text: 'a', pagesize: '1' };
  assert.equal((await runtime.list(call, listQuery(call, query))).isPartial, false);
  const { nexttoken } = await runtime.list(call, listQuery(call, query));
  assert.ok(nexttoken !== null);
  const accepts = (other: RecordCall, parameters: Readonly<Record<string, string>>) =>
    runtime.list(other, listQuery(other, { ...parameters, nexttoken })).then(
      () => true,
      (error: unknown) => {
        assert.ok(error instanceof Problem && error.code === 'invalid_cursor', String(error));
        return false;
      },
    );
  assert.ok(await accepts(call, query));
  assert.ok(await accepts(call, { text: 'a', rank: '1', pagesize: '200' }));
  const { workspace } = call;
  const others: readonly RecordCall[] = [
    { ...call, actor: { userId: user.replace(/.$/, '9'), claims: {} } },
    { ...call, workspace: { ...workspace, env: 'prod' } },
    { ...call, workspace: { ...workspace, orgCode: 'other' } },
    { ...call, workspace: { ...workspace, tenantId: 'other' } },
    await node.call('templated', { workspace }),
  ];
  for (const other of others) assert.equal(await accepts(other, query), false);
  const otherQueries = [
    { rank: '1' },
    { ...query, rank: '2' },
    { ...query, rank_op: 'ne' },
    { ...query, sortdir: 'asc' },
  ];
  for (const other of [{}, ...otherQueries, { ...query, sortby: 'rank' }])
    assert.equal(await accepts(call, other), false);
  await assert.rejects(runtime.count(call, listQuery(call, { ...query, nexttoken })), { code: 'invalid_cursor' });
});
