import assert from 'node:assert/strict';
import { test } from 'node:test';
import { managementApi } from '@freehold/contract/management';
import { operatorKinds } from './operator-kinds.ts';

test('each kind of act that the operator may be refused can be chosen in the log, and no kind that there is not', () => {
  const refusals = Object.values(managementApi).flatMap((route) =>
    route.access === 'operator' && 'refusedAs' in route && route.refusedAs !== undefined ? [route.refusedAs] : [],
  );
  assert.ok(refusals.length > 0);
  const kinds = new Set(refusals.map((action) => action.slice(0, action.indexOf('.') + 1)));
  assert.deepEqual(operatorKinds.map(({ value }) => value).toSorted(), [...kinds].toSorted());
});
