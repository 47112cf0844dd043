import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf, routesOf, rowsOf } from './rows/every-route.ts';

for (const gateway of ['app', 'management', 'metrics'] as const)
  test(`every route of the ${gateway} gateway has its largest in the table, and the table no route that there is not`, () => {
    assert.deepEqual(Object.keys(rowsOf[gateway]).sort(), routesOf[gateway].map(keyOf).sort());
  });
