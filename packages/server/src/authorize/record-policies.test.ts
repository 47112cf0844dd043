import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AccessContext, compilePolicies } from '../access/port.ts';
import type { RecordCall, RecordPolicy } from '../records/port.ts';
import { policyWith } from '../records/record-policy.ts';
import { listQuery, type Node, openBench, user } from '../testing/record-bench.ts';
import { recordPolicyOf } from './record-policies.ts';

const other = '018bcfe5-0000-7000-8000-000000000002';
const owners = [user, other, `${user} `, 'with "quotes"', '{', `x","keeper":"${user}`, 'ü', '12', 'true'];

const record = fc.record(
  {
    keeper: fc.constantFrom(user, user, ...owners),
    points: fc.constantFrom(0, 12, 120, -1.5, 1e15),
    paid: fc.boolean(),
    title: fc.constantFrom('plain', 'a\nb', `,"keeper":"${user}"`, 'x"y', '{}'),
    meta: fc.constantFrom<unknown>({ keeper: user }, { a: [{ keeper: user }] }, {}, 1, 'text'),
    tags: fc.subarray(['a', 'keeper', '{']),
  },
  { requiredKeys: [] },
);

const condition = fc.constantFrom(
  { StringEquals: { 'record.keeper': '$\u007buser.id}' } },
  { StringEquals: { 'record.created_by': '$\u007buser.id}' } },
  { StringEqualsIfExists: { 'record.keeper': '$\u007buser.id}' } },
  { StringEquals: { 'record.Keeper': '$\u007buser.id}' } },
  { StringLike: { 'record.keeper': '*e*' } },
  { StringNotEquals: { 'record.keeper': '$\u007buser.id}' } },
  { NumericLessThan: { 'record.points': 13 } },
  { Bool: { 'record.paid': true } },
  { StringEquals: { 'record.points': '12', 'record.keeper': '$\u007buser.id}' } },
  { Null: { 'record.keeper': 'false' } },
  { StringEquals: { 'record.meta.keeper': '$\u007buser.id}' } },
  { 'ForAnyValue:StringEquals': { 'record.tags': 'a' } },
);

const statement = fc.record(
  {
    Effect: fc.constantFrom('Allow', 'Allow', 'Deny'),
    Action: fc.constant('listnote'),
    Resource: fc.constant('*'),
    Condition: condition,
    Fields: fc.subarray(['keeper', 'title', 'points'], { minLength: 1 }),
  },
  { requiredKeys: ['Effect', 'Action', 'Resource', 'Condition'] },
);

const query = fc.record(
  {
    pagesize: fc.constantFrom('1', '3', '20'),
    sortdir: fc.constantFrom('asc', 'desc'),
    title: fc.constantFrom('plain', 'x"y'),
    paid: fc.constantFrom('true', 'false'),
  },
  { requiredKeys: ['pagesize'] },
);

function rowsBy(statements: readonly unknown[]): RecordPolicy | undefined {
  const context: AccessContext = {
    request: {
      method: 'GET',
      path: '/list/note',
      pathParameters: { entity: 'note' },
      queryParameters: new Map(),
      ip: '127.0.0.1',
      time: 0,
    },
    user: { id: user, email: 'ann@example.com' },
    tenant: { id: 't', code: 't' },
    jwt: {},
    pending: ['record'],
  };
  const policy = { policyId: 'p', policyName: 'p', via: { kind: 'direct' }, statements } as const;
  const ruling = compilePolicies([policy]).rule('listnote', '/list/note', () => context);
  const request = {
    action: 'listnote',
    method: 'GET',
    resource: '/list/note',
    params: {},
    query: '',
    takesBody: false,
  };
  const refuse = (): never => {
    throw new TypeError('a list refuses no record');
  };
  return recordPolicyOf({
    request,
    ruling,
    evaluate: (one, states) => ruling.evaluate(one, undefined, states),
    refuse,
  });
}

/** Every page, and what is said of it. */
async function pagesOf({ runtime }: Node, call: RecordCall, parameters: Readonly<Record<string, string>>) {
  const pages = [];
  for (let nexttoken: string | null = ''; nexttoken !== null; ) {
    const query = { ...parameters, ...(nexttoken === '' ? {} : { nexttoken }) };
    const page = await runtime.list(call, { ...listQuery(call, query), wantsExplanation: true });
    const shown = page.items.map(({ value, version, fields }) => ({
      value,
      version,
      fields:
        fields === undefined ? 'all' : ['keeper', 'title', 'points', 'paid', 'meta'].filter((one) => fields.has(one)),
    }));
    const { budget, ...explain } = page.explain ?? {};
    pages.push({ shown, isPartial: page.isPartial, isLast: page.nexttoken === null, explain, steps: budget?.steps });
    nexttoken = page.nexttoken;
  }
  return pages;
}

test('lists and counts by the texts of a few fields are those by whole records', async (context) => {
  const seen = { short: 0, found: 0 };
  for (const isIndexed of [false, true]) {
    const bench = await openBench(context);
    const node = bench.node();
    await node.admin.define('acme', {
      entityName: 'note',
      UpdateParams: [
        { name: 'keeper', ...(isIndexed ? { index: true } : {}) },
        { name: 'meta', colType: 'json' },
        { name: 'points', colType: 'number' },
        { name: 'paid', colType: 'boolean' },
        { name: 'tags', colType: 'array', items: { colType: 'string' } },
        { name: 'title' },
      ],
    });
    await bench.workOff();
    const call = await node.call('note');
    for (const body of fc.sample(record, { numRuns: 60, seed: 7 })) {
      const made = await node.runtime.create(call, body);
      const { value = '' } = (await node.runtime.get(call, made.data.id)) ?? {};
      assert.equal(value, JSON.stringify(JSON.parse(value)));
    }
    await fc.assert(
      fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 3 }), query, async (statements, parameters) => {
        const rows = rowsBy(statements);
        if (rows === undefined || rows.isNone) return;
        if (rows.reads?.() !== undefined) seen.short += 1;
        const short = { ...call, rows: rowsBy(statements) };
        const whole = { ...call, rows: policyWith(rows, { reads: () => undefined }) };
        const pages = await pagesOf(node, short, parameters);
        assert.deepEqual(pages, await pagesOf(node, whole, parameters));
        seen.found += Math.sign(pages.flatMap(({ shown }) => shown).length);
        const counted = { ...listQuery(call), wantsExplanation: false };
        assert.deepEqual(await node.runtime.count(short, counted), await node.runtime.count(whole, counted));
      }),
      { numRuns: 60, seed: 11 },
    );
  }
  assert.ok(seen.short > 20 && seen.found > 20, JSON.stringify(seen));
});
