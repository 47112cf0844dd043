import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, assertRefusal, pointers } from './assert-problem.ts';
import {
  act,
  allow,
  count,
  create,
  defineEntity,
  definition,
  foundedOrg,
  list,
  manage,
  memberWith,
  type StoredRecord,
  signUp,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { founderOf, multiOrg } from './workspaces.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

const fields = [
  { name: 'title', search: true },
  { name: 'body', search: true },
  { name: 'tags', colType: 'array', items: { colType: 'string' }, search: true },
  { name: 'contact', colType: 'email', search: true },
  { name: 'label', colType: 'formula', formula: 'ref{rank}', search: true },
  { name: 'rank', colType: 'integer', index: true },
  { name: 'hush' },
];
const ownerIndexes = [
  { ownerFieldName: 'created_by', gpkTemplate: 'org#{org};o#{created_by}', gskTemplate: '{id}', scopeList: true },
];
await defineEntity(org, definition('article', fields));
await defineEntity(org, definition('wordless', [{ name: 'title', index: true }]));
await defineEntity(org, { ...definition('diary', [{ name: 'title', search: true }]), ownerIndexes });

const articles: Record<string, StoredRecord> = {};
for (const [name, body] of Object.entries({
  fox: { title: 'The quick brown fox', body: 'jumps over the lazy dog', rank: 3, hush: 'hiddenword' },
  foxes: { title: 'Foxes and hounds', body: 'A quick guide', rank: 1, tags: ['Hunting', 'wild life'] },
  cafe: { title: 'Crème brûlée', body: 'Straße 5, Café Ödön — ΟΔΟΣ', rank: 2, contact: 'Ada.Lovelace@Example.com' },
  kyoto: { title: '京都の寺院', body: 'กรุงเทพมหานคร is Bangkok', rank: 4 },
  empty: { rank: 5 },
}))
  articles[name] = await create(founder, 'article', body);

const names = new Map(Object.entries(articles).map(([name, { id }]) => [id, name]));
const found = async (query: string) =>
  (await list(founder, 'article', `?${query}`)).items.map(({ id }) => names.get(id));
const q = (text: string) => `q=${encodeURIComponent(text)}`;

/** The search and its results, the newest first. */
const searches: readonly (readonly [string, readonly string[]])[] = [
  ['quick', ['foxes', 'fox']],
  ['qui', ['foxes', 'fox']],
  ['QUICK', ['foxes', 'fox']],
  ['uick', []],
  ['fox', ['foxes', 'fox']],
  ['foxes', ['foxes']],
  ['quick fox', ['foxes', 'fox']],
  ['fox quick', ['fox']],
  ['qui fox', []],
  ['dog the', ['fox']],
  ['  lazy...dog!  ', ['fox']],
  ['lazy cat', []],
  ['hunt', ['foxes']],
  ['wild hounds', ['foxes']],
  ['creme', ['cafe']],
  ['BRULEE', ['cafe']],
  ['brûlée crème', ['cafe']],
  ['strasse', ['cafe']],
  ['STRASSE CAFE', ['cafe']],
  ['οδοσ', ['cafe']],
  ['odon 5', ['cafe']],
  ['lovelace', ['cafe']],
  ['ada.lovelace@example.com', ['cafe']],
  ['ref4', ['kyoto']],
  ['京都', ['kyoto']],
  ['寺院', ['kyoto']],
  ['bangk', ['kyoto']],
  ['hiddenword', []],
  ['undefined', []],
  ['null', []],
];

for (const [text, expected] of searches)
  test(`a search for ${JSON.stringify(text)} finds ${expected.join(' and ') || 'nothing'}`, async () => {
    assert.deepEqual(await found(q(text)), expected);
    assert.deepEqual(await found(`${q(text)}&sortdir=asc`), expected.toReversed());
    assert.equal(await count(founder, 'article', `?${q(text)}`), expected.length);
  });

test('a search goes with filters, sorts and pages', async () => {
  assert.deepEqual(await found('q=quick&sortby=rank'), ['foxes', 'fox']);
  assert.deepEqual(await found('q=quick&sortby=rank&sortdir=desc'), ['fox', 'foxes']);
  assert.deepEqual(await found('q=quick&rank=3'), ['fox']);
  assert.deepEqual(await found('q=quick&rank=1&rank_op=gt'), ['fox']);
  assert.deepEqual(await found('q=quick&rank=2'), []);
  const first = await list(founder, 'article', '?q=quick&pagesize=1');
  assert.equal(names.get(first.items[0]?.id ?? ''), 'foxes');
  const token = encodeURIComponent(first.nexttoken ?? '');
  assert.deepEqual(await found(`q=quick&pagesize=1&nexttoken=${token}`), ['fox']);
  for (const other of ['q=quic', 'q=brown', 'pagesize=1', 'q=quick&rank=3'])
    assertProblem(await act(founder, 'GET', `/list/article?${other}&nexttoken=${token}`), 'invalid_cursor');
});

test('pages of a search taken to the end hold each record once', async () => {
  await defineEntity(
    org,
    definition('many', [
      { name: 'text', search: true },
      { name: 'rank', index: true },
    ]),
  );
  const made: StoredRecord[] = [];
  for (let index = 0; index < 45; index++)
    made.unshift(await create(founder, 'many', { text: `common word${index}`, rank: String(index % 7) }));
  for (const query of ['q=comm', 'q=common%20wor', 'q=wor', 'q=common&sortby=rank']) {
    const ids: string[] = [];
    for (let token = ''; ; ) {
      const page = await list(founder, 'many', `?${query}&pagesize=7${token}`);
      ids.push(...page.items.map(({ id }) => id));
      if (page.nexttoken === null) break;
      token = `&nexttoken=${encodeURIComponent(page.nexttoken)}`;
    }
    assert.deepEqual(ids.toSorted(), made.map(({ id }) => id).toSorted(), query);
    if (!query.includes('sortby'))
      assert.deepEqual(
        ids,
        made.map(({ id }) => id),
        query,
      );
  }
});

test('a record is found by the words that it has now', async () => {
  const { id } = await create(founder, 'article', { title: 'ephemeral thing' });
  names.set(id, 'moving');
  const change = (body: unknown) => act(founder, 'PUT', `/update/article/${id}`, { body });
  assert.deepEqual(await found('q=ephemeral'), ['moving']);
  await change({ title: 'evergreen thing' });
  assert.deepEqual([await found('q=ephemeral'), await found('q=evergreen')], [[], ['moving']]);
  await change({ title: null, rank: 77 });
  assert.deepEqual([await found('q=evergreen'), await found('q=ref77')], [[], ['moving']]);
  await act(founder, 'DELETE', `/delete/article/${id}`);
  assert.deepEqual(await found('q=ref77'), []);
});

test('an entity without search fields cannot be searched', async () => {
  for (const path of ['/list/wordless?q=a', '/count/wordless?q=a', '/list/wordless?q=', '/list/userrole?q=a'])
    assertProblem(await act(founder, 'GET', path), 'search_unavailable');
});

for (const text of ['', ' ', '...', '!?', '*', '.*', "' = --", 'a b c d e f g h i j k', '%00'])
  test(`a search for ${JSON.stringify(text)} is refused`, async () => {
    for (const route of ['list', 'count']) {
      const escaped = text === '%00' ? text : encodeURIComponent(text);
      const reply = await act(founder, 'GET', `/${route}/article?q=${escaped}`);
      const problem = assertRefusal(reply, [400]);
      if (text !== '%00') assert.deepEqual(pointers(problem), ['/q'], reply.text);
    }
  });

test('signs that mean something elsewhere mean nothing in a search', async () => {
  for (const text of ['quick*', '"quick"', '(quick)', 'quick%', 'title:quick', '-quick', 'quick OR dog', "quick' --"]) {
    const ids = await found(q(text));
    assert.ok(text.includes('title') || text.includes('OR') ? ids.length === 0 : ids.length === 2, text);
  }
});

test('a very long search is answered', async () => {
  assert.deepEqual(await found(`q=${'quick'.repeat(500)}`), []);
});

test('a search finds what the caller’s list would show, and nothing of another org', async () => {
  const other = await foundedOrg(gateways);
  await defineEntity(other.org, definition('article', fields));
  assert.deepEqual((await list(other.founder, 'article', '?q=quick')).items, []);
  const member = await memberWith(founder, [allow(['get*', 'list*', 'create*', 'count*'])]);
  const mine = await create(member, 'diary', { title: 'secret thoughts' });
  await create(founder, 'diary', { title: 'secret plans' });
  for (const text of ['secret', 'secr', 'secret thoughts'])
    assert.deepEqual((await list(member, 'diary', `?${q(text)}`)).items, [mine]);
  assert.equal(await count(member, 'diary', '?q=secret'), 1);
  assert.equal((await list(founder, 'diary', '?q=secret&all=true')).items.length, 2);
});

test('a search finds nothing of another workspace of the same org', async () => {
  const own = await multiOrg(gateways);
  await defineEntity(own, definition('article', fields));
  const [here, there] = [await founderOf(own, 'Here'), await founderOf(own, 'There')];
  const mine = await create(here, 'article', { title: 'shared words' });
  await create(there, 'article', { title: 'shared words' });
  for (const text of ['shared', 'share', 'shared wor']) {
    assert.deepEqual((await list(here, 'article', `?${q(text)}`)).items, [mine]);
    assert.equal(await count(here, 'article', `?${q(text)}`), 1);
  }
});

for (const [what, field] of [
  ['a number', { name: 'a', colType: 'integer', search: true }],
  ['JSON', { name: 'a', colType: 'json', search: true }],
  ['numbers in a list', { name: 'a', colType: 'array', items: { colType: 'integer' }, search: true }],
] as const)
  test(`${what} has no words to search for`, async () => {
    const own = await signUp(gateways);
    const reply = await manage(own, 'POST', '/api/create-odd', { body: definition('odd', [field]) });
    assert.deepEqual(pointers(assertProblem(reply, 'validation_failed')), ['/UpdateParams/0/search']);
  });
