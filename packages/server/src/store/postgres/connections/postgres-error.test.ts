import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { endsSession } from './postgres-error.ts';

test('a server that cannot do what a statement asks has lost no session, as it has where a plan is stale', () => {
  const refusal = (routine: string) =>
    Object.assign(new pg.DatabaseError('refused', 7, 'error'), { code: '0A000', routine });
  assert.equal(endsSession(refusal('CreateDistributedPlan')), false);
  assert.equal(endsSession(refusal('RevalidateCachedQuery')), true);
});
