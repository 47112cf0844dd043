import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Scope, ScopeClosed } from '../store/port.ts';
import { openStore, type StoreOptions } from '../store/testing/open-store.ts';
import { findMembership, listMemberships } from './memberships.ts';
import { ann, orgWithTeam, place } from './testing/org-with-team.ts';
import { closeWorkspace, closeWorkspaceJob, purgeWorkspace, purgeWorkspaceJob } from './workspace-removal.ts';

const days = 24 * 60 * 60 * 1000;
const renewLease = () => Promise.resolve();

/** An org with a workspace, and a clock that the test moves. */
async function started(path?: string) {
  let now = 1_800_000_000_000;
  const clock = { now: () => now };
  const options: StoreOptions =
    path === undefined
      ? { kind: 'memory', clock }
      : { kind: 'sqlite', path, clock, onFatal: (error) => assert.fail(error) };
  const opened = await openStore(options);
  return {
    ...opened,
    ...(await orgWithTeam(opened, clock)),
    advance: (milliseconds: number) => (now += milliseconds),
    dueJobs: async () => (await opened.maintenance.due('work', now, 100)).map(({ item }) => item.sk),
  };
}

test('a workspace admits no caller from its removal on, and takes no write once it is closed', async () => {
  const { remove, deps, tenant, dueJobs, space, work, scope, advance } = await started();
  assert.ok((await findMembership(deps, place, { tenant, userId: ann.id })) !== undefined);
  await remove();
  assert.equal(await findMembership(deps, place, { tenant, userId: ann.id }), undefined);
  assert.deepEqual(await listMemberships(deps, place, ann.id), []);
  assert.deepEqual(await dueJobs(), [`${closeWorkspaceJob.name};team`]);
  await closeWorkspace(space, work);
  await assert.rejects(scope.commit([{ kind: 'put', pk: 'p', sk: 's', value: '1', if: 'any' }]), ScopeClosed);
  advance(10 * 60 * 1000);
  assert.ok((await dueJobs()).includes(`${purgeWorkspaceJob.name};team`));
});

test('nothing of a removed workspace is left but a fence against writes, and its code is free after 30 days and not before', async () => {
  const { remove, space, work, stored, found, foundWhole, advance, deps, tenant, orgScope } = await started();
  await remove();
  await closeWorkspace(space, work);
  assert.ok((await stored()) > 0);
  const forgotten: unknown[] = [];
  const forgetRuns = async (of: Scope, code: string) => void forgotten.push([of.name, code]);
  await purgeWorkspace({ ...space, forgetRuns }, work, renewLease);
  assert.deepEqual(forgotten, [[orgScope.name, 'team']]);
  assert.equal(await stored(), 1);
  advance(30 * days - 1);
  assert.equal(await found(), undefined);
  advance(1);
  const next = await foundWhole();
  assert.notEqual(next.id, tenant.id);
  assert.ok((await findMembership(deps, place, { tenant: next, userId: ann.id })) !== undefined);
  assert.equal(await findMembership(deps, place, { tenant, userId: ann.id }), undefined);
});

test('the jobs of a removal that come again touch nothing of the next workspace of the code', async () => {
  const { remove, space, work, advance, foundWhole, stored, deps, scope } = await started();
  await remove();
  await closeWorkspace(space, work);
  await purgeWorkspace(space, work, renewLease);
  await closeWorkspace(space, work);
  advance(30 * days);
  const next = await foundWhole();
  const before = await stored();
  await closeWorkspace(space, work);
  await purgeWorkspace(space, work, renewLease);
  assert.equal(await stored(), before);
  await scope.commit([{ kind: 'put', pk: 'p', sk: 's', value: '1', if: 'any' }]);
  assert.ok((await findMembership(deps, place, { tenant: next, userId: ann.id })) !== undefined);
});

test('a purge that was broken off is done to its end by the next one', async () => {
  const { remove, space, work, stored, orgScope, scope } = await started();
  for (let part = 0; part < 5; part++)
    await scope.commit(
      Array.from({ length: 100 }, (_, index) => ({
        kind: 'put',
        pk: `p${part}`,
        sk: `${index}`,
        value: '1',
        if: 'any',
      })),
    );
  await remove();
  await closeWorkspace(space, work);
  const broken = () => Promise.reject(new Error('crashed'));
  await assert.rejects(purgeWorkspace(space, work, broken), /crashed/);
  assert.ok((await stored()) > 0);
  const [row] = await orgScope.get([{ pk: 'workspace', sk: 'team' }]);
  assert.equal(row?.due, undefined);
  await purgeWorkspace(space, work, renewLease);
  assert.equal(await stored(), 1);
});

test('the records of a removed workspace are in no file of the embedded store', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'freehold-removal-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const { remove, space, work, scope, store } = await started(join(folder, 'test.db'));
  const isInFiles = () =>
    readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes('a-secret-text'));
  const value = JSON.stringify({ title: 'a-secret-text' });
  await scope.commit([{ kind: 'put', pk: 'entity#order', sk: 'o1', value, if: 'any' }]);
  assert.ok(isInFiles());
  await remove();
  await closeWorkspace(space, work);
  await purgeWorkspace(space, work, renewLease);
  // A store that ends leaves no log behind.
  await store.close();
  assert.ok(!isInFiles());
});
