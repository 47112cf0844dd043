import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBench, outcomeOf } from '../testing/record-bench.ts';

test('an org has at most five hundred entities', async (context) => {
  const bench = await openBench(context);
  const { admin } = bench.node();
  for (let index = 0; index < 500; index++) await admin.define('acme', { entityName: `e${index}` });
  assert.equal(await outcomeOf(admin.define('acme', { entityName: 'one_more' })), 'conflict');
  await admin.remove('acme', 'e7');
  assert.equal(await outcomeOf(admin.define('acme', { entityName: 'one_more' })), 'done');
});
