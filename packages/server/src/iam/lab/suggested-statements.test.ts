import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SuggestedStatements } from './suggested-statements.ts';

test('where not all have room, an Allow is left out and never a Deny', async () => {
  const suggested = new SuggestedStatements();
  const stored = (Effect: 'Allow' | 'Deny', nr: number) => {
    return { Effect, Action: ['*'], Resource: [`/item/order/${nr}`] };
  };
  for (let nr = 0; nr < 60; nr++)
    for (const action of ['getorder', 'updateorder'])
      suggested.add(stored('Allow', nr), { action, shape: '/item/order/{id}', Effect: 'Allow' });
  suggested.add(stored('Deny', 7), { action: 'getorder', shape: '/item/order/{id}', Effect: 'Deny' });
  const { statements, left_out } = await suggested.result(() => undefined);
  assert.equal(statements.filter(({ Effect }) => Effect === 'Deny').length, 1);
  assert.deepEqual([statements.length, left_out], [50, 22]);
});
