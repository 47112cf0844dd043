import assert from 'node:assert/strict';
import { test } from 'node:test';
import { managementApi } from '@freehold/contract/management';
import { type Route, reply, route } from '@freehold/contract/route';
import { itemsOf, named, ofRecords, recordOf, Type, text } from '@freehold/contract/schema';
import { assertMayAsk, shownBy } from './production-values.ts';

const developer = { role: 'developer' };
const admin = { role: 'org_admin' };

const Inner = named('Inner', Type.Object({ id: text, secret: ofRecords(text) }));
const Whole = Type.Object({
  email: ofRecords(text),
  one: Type.Union([Inner, Type.Null()]),
  many: Type.Array(Inner),
  by_name: recordOf(Inner),
  parts: Type.Array(Type.Object({ env: text, value: ofRecords(text) })),
});

function described(production: Route['production']): Route {
  return route({
    method: 'GET',
    path: '/planted',
    access: 'developer',
    tag: 'account',
    summary: 'A planted route',
    replies: { 200: reply('One or all.', Type.Union([Whole, itemsOf(Whole)])) },
    ...(production === undefined ? {} : { production }),
  });
}

const whole = {
  email: 'a',
  one: { id: '1', secret: 'b' },
  many: [{ id: '2', secret: 'c' }],
  by_name: { x: { id: '3', secret: 'd' } },
  parts: [
    { env: 'prod', value: 'e' },
    { env: 'test', value: 'f' },
  ],
};
const left = {
  one: { id: '1' },
  many: [{ id: '2' }],
  by_name: { x: { id: '3' } },
  parts: [{ env: 'prod' }, { env: 'test', value: 'f' }],
};
const inTest = { query: { env: 'test' }, body: undefined };
const inProd = { query: { env: 'prod' }, body: undefined };

test('marked members are left out of production for a developer, at any depth', () => {
  const shown = shownBy(described(undefined));
  assert.deepEqual(shown?.(whole, developer, inProd), left);
  assert.deepEqual(shown?.({ items: [whole] }, developer, inProd), { items: [left] });
  assert.deepEqual(shown?.({ ...whole, one: null }, developer, inProd), { ...left, one: null });
});

test('an admin is answered all of it, and of test everyone is', () => {
  const shown = shownBy(described(undefined));
  assert.deepEqual(shown?.(whole, admin, inProd), whole);
  // Values that name production themselves are held back in a reply about test too.
  const { parts: _, ...ofTest } = whole;
  assert.deepEqual(shown?.({ ...ofTest, parts: [] }, developer, inTest), { ...ofTest, parts: [] });
  assert.deepEqual(shown?.({ ...ofTest, parts: [] }, developer, { query: {}, body: { env: 'test' } }), {
    ...ofTest,
    parts: [],
  });
});

test('what nothing says of which environment it is, is taken for production', () => {
  assert.deepEqual(shownBy(described(undefined))?.(whole, developer, { query: {}, body: undefined }), left);
});

test('a call that is for admins in production is refused to others, there alone', () => {
  const always = described({ refused: 'always' });
  assert.throws(() => assertMayAsk(always, developer, inProd), { code: 'role_required' });
  assert.throws(() => assertMayAsk(always, developer, { query: {}, body: { env: 'prod' } }), { code: 'role_required' });
  assertMayAsk(always, admin, inProd);
  assertMayAsk(always, developer, inTest);
  assertMayAsk(always, developer, { query: {}, body: {} });
  const some = described({ refused: ['q', 'record.id'] });
  assertMayAsk(some, developer, { query: { env: 'prod' }, body: { record: { title: 'a' } } });
  for (const sent of [
    { query: { env: 'prod', q: '' }, body: undefined },
    { query: {}, body: { env: 'prod', record: { id: 'x', title: 'a' } } },
  ])
    assert.throws(() => assertMayAsk(some, developer, sent), { code: 'role_required' });
});

test('every route that reads, and whose reply has marked members, says what it leaves out', () => {
  for (const [name, one] of Object.entries(managementApi) as [string, Route][]) {
    const { method, access, production } = one;
    if (method !== 'GET' || !['developer', 'watch', 'publish'].includes(access)) continue;
    const isDocumented = production?.leftOut !== undefined || production?.refused === 'always';
    assert.ok(shownBy(one) === undefined || isDocumented, name);
  }
});
