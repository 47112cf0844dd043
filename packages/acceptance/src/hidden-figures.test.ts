/**
 * Attacks on records that a row rule hides, by all replies about many records at once. Twins have the same records for the
 * caller, and hidden ones of other contents at the same places: whatever is asked, the answers about twins are alike.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  deny,
  foundedOrg,
  memberWith,
  type Statement,
  withCondition,
  withFields,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

const UpdateParams = [
  { name: 'keeper' },
  { name: 'level', colType: 'integer' },
  { name: 'status', index: true },
  { name: 'region' },
  { name: 'amount', colType: 'integer', index: true },
  { name: 'weight', colType: 'number' },
  { name: 'is_paid', colType: 'boolean' },
  { name: 'sold_at', colType: 'datetime' },
  { name: 'note', search: true },
  { name: 'salary', colType: 'integer' },
];
const layouts = {
  direct: () => ({}),
  templated: (name: string) => ({ baseKeys: { pkTemplate: `org#{org};${name}#{user_id}`, skTemplate: 'z#{id};x' } }),
};
const twins = ['left', 'right'] as const;

/** Both are of one caller alone. */
const shown = [
  { status: 'open', region: 'north', amount: 10, weight: 0.5, sold_at: '2026-03-31T22:30:00Z', note: 'plain' },
  { status: 'open', region: 'south', amount: 20, weight: 1.5, sold_at: '2026-04-01T10:00:00Z' },
  { status: 'paid', region: 'north', amount: 40, is_paid: true, sold_at: '2026-04-02T10:00:00Z' },
  { region: 'north', amount: 80 },
];
/** Beyond every shown value in one twin, and without one in the other. */
const hidden = {
  left: [
    {
      status: 'zzz',
      region: 'secret',
      amount: 9_000_000,
      weight: 1e9,
      sold_at: '1971-01-01T00:00:00Z',
      note: 'whisper',
    },
    { status: 'aaa', region: 'secret', amount: -9_000_000, weight: -1e9, sold_at: '2999-01-01T00:00:00Z', salary: 7 },
    { status: 'open', region: 'north', amount: 10, is_paid: false, note: 'whisper plain' },
  ],
  right: [{}, { status: 'open' }, { note: 'other' }],
};

for (const [layout, keysOf] of Object.entries(layouts))
  for (const twin of twins) {
    const entityName = `${layout}${twin}`;
    await defineEntity(org, { entityName, UpdateParams, ...keysOf(entityName) });
    for (const [at, body] of shown.entries()) {
      const other = hidden[twin][at];
      if (other !== undefined) await create(founder, entityName, { ...other, keeper: 'other', level: 9 });
      await create(founder, entityName, { ...body, keeper: 'mine', level: 1 });
    }
  }

const verbs = (layout: string, ...kinds: readonly string[]) =>
  twins.flatMap((twin) => kinds.map((verb) => `${verb}${layout}${twin}`));
const mine = (layout: string, condition: NonNullable<Statement['Condition']>): readonly Statement[] => [
  withCondition(allow(verbs(layout, 'list', 'count')), condition),
];
const but = (layout: string, verb: string, condition: NonNullable<Statement['Condition']>): readonly Statement[] => [
  allow(verbs(layout, 'list', 'count')),
  withCondition(deny(verbs(layout, verb)), condition),
];

/** Those that an engine is asked, and those that are judged one record after the other. */
const rules: Readonly<Record<string, (layout: string) => readonly Statement[]>> = {
  'by numbers': (layout) => mine(layout, { NumericLessThan: { 'record.level': '5' } }),
  'by a text': (layout) => mine(layout, { StringEquals: { 'record.keeper': 'mine' } }),
  'by a pattern': (layout) => mine(layout, { StringLike: { 'record.keeper': 'm*' } }),
  'by a Deny on lists': (layout) => but(layout, '*', { NumericGreaterThan: { 'record.level': '5' } }),
  'by a Deny on getting': (layout) => but(layout, 'get', { StringLike: { 'record.keeper': 'oth*' } }),
};

const all =
  'count,sum:amount,avg:amount,min:amount,max:amount,sum:weight,min:weight,distinct:region,min:sold_at,max:status';
const figures: readonly Readonly<Record<string, string>>[] = [
  {},
  { measure: all },
  { measure: 'distinct:amount,distinct:status,max:sold_at,min:region,max:note,max:is_paid,sum:salary,distinct:salary' },
  { group: 'region', measure: all },
  { group: 'status,region,is_paid', measure: 'count,max:amount' },
  { group: 'note' },
  // A hidden time would be a part of its own, or make too many of them.
  { group: 'day(sold_at)', measure: 'count,sum:amount' },
  { group: 'hour(sold_at)', time_zone: 'Europe/Berlin' },
  { group: 'region', having: 'count > 2' },
  { group: 'region', measure: 'max:amount', having: 'max_amount > 80 || max_amount < 0' },
  { group: 'status', measure: 'sum:amount', sortby: 'sum_amount', sortdir: 'desc', pagesize: '1' },
  { group: 'region', sortby: 'count', pagesize: '1' },
  ...[
    'region=secret',
    'status=zzz',
    'amount_op=gt&amount=1000',
    'amount_op=lt&amount=0',
    'q=whisper',
    'sold_at_op=exists&sold_at=true',
  ]
    .map((text) => Object.fromEntries(new URLSearchParams(text)))
    .flatMap((chosen) => [chosen, { ...chosen, group: 'region', measure: all }]),
  { filter: 'amount > 1000 || salary == 7' },
  { filter: 'region == "north" && !(amount > 1000)', group: 'status', measure: all },
  { q: 'plain', group: 'note' },
];

const lists: readonly Readonly<Record<string, string>>[] = [
  { facets: 'status,region,note,is_paid,salary' },
  { facets: 'region', filter: 'amount > 1000 || region == "south"' },
  { facets: 'status', q: 'whisper' },
  { total: 'true', filter: 'region == "secret" || region == "south"' },
  { total: 'true', sortby: 'amount', sortdir: 'desc' },
  { sortby: 'amount' },
  { sortby: 'weight' },
  { sortby: 'status', filter: 'amount > 15' },
  { status: 'open', sortby: 'amount' },
  { q: 'plain' },
];

interface Page {
  readonly items: readonly (Readonly<Record<string, unknown>> & { readonly values?: object })[];
  readonly nexttoken: string | null;
}

/** All pages, without what is each record's own. */
async function pages(user: AppUser, path: string, sent: Readonly<Record<string, string>>): Promise<readonly object[]> {
  const found: object[] = [];
  for (let nexttoken: string | null | undefined; nexttoken !== null; ) {
    const query = new URLSearchParams({ ...sent, ...(nexttoken === undefined ? {} : { nexttoken }) });
    const reply = await act<Page>(user, 'GET', `${path}?${query}`);
    assert.equal(reply.status, 200, `${path}?${query} ${reply.text}`);
    const { items, ...rest } = reply.body;
    const plain = items.map(({ id, created_at, updated_at, version, ...item }) => item);
    found.push({ ...rest, items: plain, nexttoken: rest.nexttoken === null });
    nexttoken = rest.nexttoken;
  }
  return found;
}

for (const layout of Object.keys(layouts))
  for (const [rule, statements] of Object.entries(rules))
    test(`B27: no figure, page or count shows anything of records that are hidden ${rule}, ${layout}`, async () => {
      const user = await memberWith(founder, statements(layout));
      const bothAlike = async (path: string, sent: Readonly<Record<string, string>>) => {
        const [left, right] = await Promise.all(twins.map((twin) => pages(user, `/${path}/${layout}${twin}`, sent)));
        assert.deepEqual(left, right, `${path} ${JSON.stringify(sent)}`);
        return left;
      };
      const [whole] = (await bothAlike('aggregate', { measure: 'count,sum:amount,min:amount' })) ?? [];
      assert.deepEqual(whole, {
        items: [{ group: {}, values: { count: 4, sum_amount: 150, min_amount: 10 } }],
        nexttoken: true,
      });
      for (const sent of figures) await bothAlike('aggregate', sent);
      for (const sent of lists)
        for (const pagesize of ['1', '2', '100']) await bothAlike('list', { ...sent, pagesize });
      for (const { facets, total, sortby, ...chosen } of lists) {
        const counts = await Promise.all(
          twins.map((twin) => act(user, 'GET', `/count/${layout}${twin}?${new URLSearchParams(chosen)}`)),
        );
        const [left, right] = counts.map(({ status, body }) => [status, body]);
        assert.deepEqual(left, right, JSON.stringify(chosen));
      }
    });

test('B27: a field that some records hide is no part of a question, in any of its places', async () => {
  const user = await memberWith(founder, [
    withFields(allow(verbs('direct', 'list', 'count')), '!salary', '!note'),
    withCondition(withFields(allow(verbs('direct', 'list', 'count')), 'salary', 'note'), {
      NumericLessThan: { 'record.level': '5' },
    }),
  ]);
  const queries = [
    ...['measure=sum:salary', 'measure=distinct:note', 'group=note', 'group=status,salary', 'salary=7'],
    ...[
      'salary_op=exists&salary=true',
      'filter=salary == 7',
      'filter=has(note)',
      'measure=max:salary&sortby=max_salary',
    ],
    ...['measure=min:salary&having=min_salary > 1', 'group=salary&pagesize=1'],
  ];
  const refused = async (path: string): Promise<void> => {
    const problem = assertProblem(await act(user, 'GET', path), 'invalid_request');
    assert.deepEqual([...new Set(problem.errors?.map(({ code }) => code))], ['not_readable'], path);
  };
  for (const query of queries) await refused(`/aggregate/directleft?${query}`);
  for (const query of ['facets=salary', 'facets=status,note', 'facets=status&salary=7', 'sortby=salary'])
    await refused(`/list/directleft?${query}`);
  assert.deepEqual(await pages(user, '/aggregate/directleft', { q: 'whisper' }), [
    { items: [{ group: {}, values: { count: 0 } }], nexttoken: true },
  ]);
});

test('a Deny on figures or on lists wins over what allows the other, also of some records alone', async () => {
  const isSouth = { NumericEquals: { 'record.amount': '20' } };
  const resources = ['/aggregate/directleft', '/list/directleft'];
  for (const resource of resources) {
    const denied = await memberWith(founder, [allow('listdirectleft'), deny('listdirectleft', resource)]);
    assertProblem(await act(denied, 'GET', '/aggregate/directleft'), 'access_denied');
    const alone = await memberWith(founder, [allow('listdirectleft', resource)]);
    assertProblem(await act(alone, 'GET', '/aggregate/directleft'), 'access_denied');
    const part = await memberWith(founder, [
      withCondition(allow('listdirectleft'), { NumericLessThan: { 'record.level': '5' } }),
      withCondition(deny('listdirectleft', resource), isSouth),
    ]);
    assert.deepEqual(await pages(part, '/aggregate/directleft', { measure: 'count,sum:amount' }), [
      { items: [{ group: {}, values: { count: 3, sum_amount: 130 } }], nexttoken: true },
    ]);
  }
  const fields = await memberWith(founder, [
    withFields(allow('listdirectleft', '/aggregate/directleft'), 'amount', 'status'),
    withFields(allow('listdirectleft', '/list/directleft'), 'amount', 'region'),
  ]);
  assert.equal((await act(fields, 'GET', '/aggregate/directleft?measure=sum:amount')).status, 200);
  for (const field of ['status', 'region'])
    assertProblem(await act(fields, 'GET', `/aggregate/directleft?group=${field}`), 'invalid_request');
});
