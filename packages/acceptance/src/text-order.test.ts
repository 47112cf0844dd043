/** Texts have one order wherever they are compared: that of their UTF-8 bytes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { act, count, create, defineEntity, definition, foundedOrg, list } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

/** In the order of their UTF-8 bytes; UTF-16 units put the last two before the others. */
const texts = ['\ufb00', '\ufffd', '😀', '\u{10ffff}'];
const [first = ''] = texts;

test('a list by parameters, by a filter, by a filter that no index serves, and a sort agree about the order of texts', async () => {
  await defineEntity(org, definition('sign', [{ name: 'a', index: true }, { name: 'b' }]));
  for (const a of texts.toReversed()) await create(founder, 'sign', { a, b: a });
  const queries = [
    { a: first, a_op: 'gt' },
    { filter: `a > "${first}"` },
    { filter: `b > "${first}"` },
    { filter: `!(b <= "${first}")` },
    { filter: `a > "${first}" || a == "none"` },
  ];
  for (const query of queries) {
    const search = `?${new URLSearchParams({ ...query, sortby: 'a' })}`;
    const { items } = await list(founder, 'sign', search);
    assert.deepEqual(
      items.map(({ a }) => a),
      texts.slice(1),
      search,
    );
    assert.equal(await count(founder, 'sign', search), 3, search);
  }
});

test('checks and formulas compare texts in this order', async () => {
  const fields = [
    { name: 'from' },
    { name: 'to' },
    { name: 'rises', colType: 'formula', formula: { cel: 'from < to', type: 'boolean' } },
  ];
  const checks = [{ cel: 'from <= to || to == ""', message: 'from comes before to' }];
  await defineEntity(org, { ...definition('range', fields), checks });
  const [, , emoji] = texts;
  assert.equal((await create(founder, 'range', { from: first, to: emoji })).rises, true);
  const refused = await act(founder, 'POST', '/create/range', { body: { from: emoji, to: first } });
  assert.match(assertProblem(refused, 'validation_failed').errors?.[0]?.message ?? '', /from comes before to/);
});
