import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openForTest } from '../../store/testing/open-test-store.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { recordedDays, recordedDecisions } from '../recording/recorded-rows.ts';
import { readRecorded } from './read-recorded.ts';

const now = Date.parse('2026-06-08T12:00:00Z');
const tenantId = '01890a5d-ac96-774b-bcce-b302099a8057';
const days = ['2026-06-05', '2026-06-06', '2026-06-07', '2026-06-08'];
const rowsOfDay = 60;

/** Four days of so many rows, and on each day 100 calls that found no room. */
async function recordedDaysOf(t: TestContext) {
  const { store } = await openForTest(t, 'memory', { now: () => now });
  const scope = store.scope('test:acme');
  const sample = { at: '', method: 'GET', resource: '/list/order', params: {}, ip: '', looks: [{}] };
  for (const day of days) {
    const rows = Array.from({ length: rowsOfDay }, (_, nr) => ({ name: `n#${nr}`, user_id: `u${nr}` }));
    const reported = { action: 'listorder', shape: '/list/order', outcome: 'allowed', calls: 1, last_at: day } as const;
    await scope.commit([
      recordedDays.put({ day, node: 'n' }, { rows: rowsOfDay, not_recorded: 100 }, { if: 'absent' }),
      ...rows.map(({ name, user_id }) =>
        recordedDecisions.put(
          { tenantId, day, name },
          { user_id, ...reported, samples: [sample], reports: [] },
          { if: 'absent' },
        ),
      ),
    ]);
  }
  const deps = {
    recorder: { store: async () => undefined },
    orgScopes: () => ({ test: scope, prod: scope }),
    clock: { now: () => now },
  };
  const workspace = { orgCode: 'acme', env: 'test', tenantId } as Workspace;
  return (request: { readonly since?: number; readonly limit: number }) => readRecorded(deps, workspace, request);
}

test('where there are too many decisions, those of the latest days are read', async (t) => {
  const read = await recordedDaysOf(t);
  const all = await read({ limit: 1000 });
  assert.deepEqual([all.decisions.length, all.truncated], [days.length * rowsOfDay, false]);
  assert.equal(new Set(all.decisions.map(({ day, user_id }) => `${day} ${user_id}`)).size, all.decisions.length);
  const some = await read({ limit: rowsOfDay + 1 });
  assert.deepEqual([some.decisions.length, some.truncated], [rowsOfDay + 1, true]);
  assert.deepEqual([...new Set(some.decisions.map(({ day }) => day))], ['2026-06-08', '2026-06-07']);
});

test('what found no room is counted for the days that are asked for alone', async (t) => {
  const read = await recordedDaysOf(t);
  assert.equal((await read({ limit: 1000 })).not_recorded, 400);
  const { since, not_recorded, decisions } = await read({ since: Date.parse('2026-06-07T09:00:00Z'), limit: 1000 });
  assert.deepEqual([since, not_recorded, decisions.length], ['2026-06-07T00:00:00.000Z', 200, 2 * rowsOfDay]);
});
