import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAccessEpochs } from '../iam/policies/epochs.ts';
import type { Store } from '../store/port.ts';
import { Crash, crashing, type Moment } from '../store/testing/failing-store.ts';
import { openStore } from '../store/testing/open-store.ts';
import { workspaceTable } from '../tenancy/workspace-directory.ts';
import { readHead } from '../tenancy/workspace-head.ts';
import { resolveWorkspace } from './memberships.ts';
import { alignWorkspaceJob, resumeWorkspace, suspendWorkspace } from './suspend-workspace.ts';
import { ann, orgWithTeam, place } from './testing/org-with-team.ts';
import { closeWorkspace } from './workspace-removal.ts';

async function started() {
  const clock = { now: () => 1_800_000_000_000 };
  const opened = await openStore({ kind: 'memory', clock });
  const org = await orgWithTeam(opened, clock);
  const epochs = createAccessEpochs();
  const command = {
    ...{ orgCode: 'acme', env: 'test' as const, id: 'team' },
    auditContext: { at: '2027-01-15T08:00:00Z', actor: { kind: 'org_user' as const, id: 'b1' }, request_id: 'r1' },
  };
  const resumed: unknown[] = [];
  const on = (store: Store) => ({
    ...{ stores: { test: store, prod: store }, epochs, wake: () => undefined },
    workspaceResumed: async (place: unknown) => void resumed.push(place, await state()),
  });
  const state = async () => {
    const row = await workspaceTable.read(org.orgScope, 'team');
    return [row?.value.suspended !== undefined, (await readHead(org.scope))?.is_suspended === true];
  };
  const work = { orgCode: 'acme', code: 'team' };
  const align = () => alignWorkspaceJob.run({ store: opened.store, epochs }, work, async () => undefined);
  return { ...opened, ...org, epochs, command, on, resumed, state, align };
}

async function dies(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => false,
    (error: unknown) => {
      assert.ok(error instanceof Crash, String(error));
      return true;
    },
  );
}

test('a suspension and its end are whole once their job is done, at whichever call of the store the process dies', async () => {
  for (const when of ['before', 'after'] satisfies Moment[])
    for (let left = 0; ; left++) {
      const { store, command, on, state, align } = await started();
      const where = `${when} call ${left}`;
      const died = await dies(suspendWorkspace(on(crashing(store, left, when)), command, 'a dispute'));
      await align();
      const [row, head] = await state();
      assert.equal(row, head, where);
      if (row !== true) await suspendWorkspace(on(store), command, 'a dispute');
      await dies(resumeWorkspace(on(crashing(store, left, when)), command, undefined));
      await align();
      const [after, headAfter] = await state();
      assert.equal(after, headAfter, where);
      if (!died) {
        assert.deepEqual([row, after], [true, false]);
        assert.ok(left >= 4, `${left} calls`);
        break;
      }
    }
});

test('the same asked again completes what was left half done, and is refused', async () => {
  const { store, command, on, state, maintenance } = await started();
  for (let left = 0; (await state())[0] !== true; left++)
    await dies(suspendWorkspace(on(crashing(store, left, 'after')), command, 'a dispute'));
  assert.deepEqual(await state(), [true, false]);
  const due = await maintenance.due('work', 1_800_000_000_000, 10);
  assert.deepEqual(
    due.map(({ item }) => item.sk),
    ['align-workspace;team'],
  );
  await assert.rejects(suspendWorkspace(on(store), command, 'a dispute'), { code: 'conflict' });
  assert.deepEqual(await state(), [true, true]);
});

test('of changes at once the last one holds in the row and in the head', async () => {
  const { store, command, on, state, align } = await started();
  for (let turn = 0; turn < 20; turn++) {
    const pending = Array.from({ length: 6 }, (_, index) =>
      index % 2 === 0 ? suspendWorkspace(on(store), command, 'x') : resumeWorkspace(on(store), command, undefined),
    );
    await Promise.allSettled([...pending, align(), align()]);
    const [row, head] = await state();
    assert.equal(row, head);
  }
});

test('what waited goes on once the workspace lets callers in again, and only after a resume', async () => {
  const { store, command, on, resumed } = await started();
  await assert.rejects(resumeWorkspace(on(store), command, undefined), { code: 'conflict' });
  await suspendWorkspace(on(store), command, 'a dispute');
  assert.deepEqual(resumed, []);
  await resumeWorkspace(on(store), command, undefined);
  assert.deepEqual(resumed, [{ env: 'test', orgCode: 'acme', tenantCode: 'team' }, [false, false]]);
});

test('each change moves the epoch of the workspace, by which those who are in are looked at again', async () => {
  const { store, scope, epochs, command, on } = await started();
  const before = epochs.current(scope.name);
  await suspendWorkspace(on(store), command, 'a dispute');
  const suspended = epochs.current(scope.name);
  await resumeWorkspace(on(store), command, 'paid');
  assert.equal(new Set([before, suspended, epochs.current(scope.name)]).size, 3);
});

test('the last workspace of a person that goes on is found, and none of them is refused', async () => {
  const { store, deps, command, on } = await started();
  const person = { ...ann, email_verified: true };
  assert.equal((await resolveWorkspace(deps, place, person))?.workspace.tenantCode, 'team');
  for (const id of ['team', 'main']) {
    await suspendWorkspace(on(store), { ...command, id }, 'a dispute');
    if (id === 'team') assert.equal((await resolveWorkspace(deps, place, person))?.workspace.tenantCode, 'main');
  }
  await assert.rejects(resolveWorkspace(deps, place, person), { code: 'workspace_suspended' });
});

test('a removal that was let in before the suspension is refused, and one that came first leaves nothing to suspend', async () => {
  const { store, command, on, remove, space, work, align } = await started();
  await suspendWorkspace(on(store), command, 'a dispute');
  await assert.rejects(remove(), { code: 'workspace_suspended' });
  await resumeWorkspace(on(store), command, undefined);
  await remove();
  await assert.rejects(suspendWorkspace(on(store), command, 'a dispute'), { code: 'not_found' });
  await closeWorkspace(space, work);
  await align();
});
