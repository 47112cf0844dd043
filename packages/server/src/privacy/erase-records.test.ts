import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../lib/problem.ts';
import { overtaken } from '../store/transact.ts';
import { type Erasing, eraseRecord } from './erase-person.ts';
import type { NamedRecord } from './named-records.ts';
import type { PersonJobRun } from './person-data.ts';

/** The outcome of a record that stays, where its write ends like this. */
function eraseWith(refusal: Problem, isGivenUp: boolean) {
  const writeLoop = () => Promise.reject(refusal);
  const job = { kind: 'erase', records: 'keep', caller: { actor: { kind: 'org_user', id: 'b' }, request_id: 'r' } };
  const named = { entity: { name: 'note' }, record: { data: { id: 'n' } }, relation: 'owned', isRetired: false };
  return eraseRecord(
    { deps: { writeLoop }, job } as unknown as PersonJobRun,
    { ids: new Set(['p']) } as unknown as Erasing,
    {
      named: named as unknown as NamedRecord,
      isGivenUp,
    },
  );
}

test('a record that others keep changing is tried again, and reported only when it is given up', async () => {
  assert.deepEqual(await eraseWith(overtaken(), false), { kind: 'wait' });
  const given = await eraseWith(overtaken(), true);
  assert.equal(given.kind === 'refused' && given.problem.code, 'conflict');
});

test('a record that cannot be written is reported at once', async () => {
  const problem = new Problem('unique_violation', 'the value is taken');
  assert.deepEqual(await eraseWith(problem, false), { kind: 'refused', problem, isChanged: false });
});
