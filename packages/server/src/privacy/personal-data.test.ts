import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCursors } from '../records/port.ts';
import type { Change } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { noCounts, personJobs } from './person-job.ts';
import { listJobs } from './personal-data.ts';

const clock = { now: () => Date.parse('2026-11-20T09:00:00Z') };

/** So many jobs about others, begun after the two about Ann. */
async function fixture(others: number) {
  const { store } = await openStore({ kind: 'memory', clock });
  const jobOf = (n: number, user_id: string): Change =>
    personJobs.insert(`job-${String(n).padStart(5, '0')}`, {
      ...{ kind: 'export', user_id, dry_run: false, state: 'done', created_at: '2026-11-19T09:00:00Z' },
      ...{ caller: { actor: { kind: 'org_user', id: 'b' }, request_id: 'r' }, counts: noCounts },
      ...{ workspaces: [], problems: [], problems_total: 0, stays: [] },
    });
  const scope = store.scope('org#acme');
  await scope.commit([jobOf(0, 'ann'), jobOf(1, 'ann')]);
  for (let from = 0; from < others; from += 100)
    await scope.commit(Array.from({ length: Math.min(100, others - from) }, (_, n) => jobOf(2 + from + n, 'bob')));
  const deps = { stores: { test: store, prod: store }, cursors: createCursors(new Uint8Array(32)), clock };
  const page = (userId: string | undefined, pageSize: number, nexttoken?: string) =>
    listJobs(deps, 'acme', { env: 'test', userId, pageSize, nexttoken });
  return { page };
}

test('the jobs of an account are found behind hundreds of jobs about others', async () => {
  const { page } = await fixture(300);
  const { items, nexttoken } = await page('ann', 50);
  assert.deepEqual([items.map(({ id }) => id), nexttoken], [['job-00001', 'job-00000'], null]);
});

test('a page looks at 500 jobs at most, and the next one goes on', async () => {
  const { page } = await fixture(1200);
  const counts: number[] = [];
  let token: string | undefined;
  do {
    const { items, nexttoken } = await page('ann', 50, token);
    counts.push(items.length);
    token = nexttoken ?? undefined;
  } while (token !== undefined);
  assert.deepEqual(counts, [0, 0, 2]);
});

test('every job is on one page, whatever the size of a page', async () => {
  const { page } = await fixture(60);
  for (const [userId, size] of [
    ['ann', 1],
    ['bob', 50],
    ['bob', 30],
    [undefined, 31],
    [undefined, 62],
  ] as const) {
    const ids: string[] = [];
    let token: string | undefined;
    do {
      const { items, nexttoken } = await page(userId, size, token);
      assert.ok(items.length <= size);
      ids.push(...items.map(({ id }) => id));
      token = nexttoken ?? undefined;
    } while (token !== undefined);
    const expected = userId === 'ann' ? 2 : userId === 'bob' ? 60 : 62;
    assert.deepEqual([ids.length, new Set(ids).size], [expected, expected]);
    assert.deepEqual(ids, ids.toSorted().reverse());
  }
});
