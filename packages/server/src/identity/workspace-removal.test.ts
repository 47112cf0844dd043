import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfigReader } from '../entities/config-reader.ts';
import { systemConfig } from '../entities/config-set.ts';
import { orgScopeName, workspaceScopeName } from '../entities/workspace.ts';
import { createAccessEpochs } from '../iam/access-epochs.ts';
import { uuidv7Source } from '../lib/ids.ts';
import { openStore } from '../store/open-store.ts';
import { ScopeClosed } from '../store/port.ts';
import { findMembership, listMemberships, type MembershipParts } from './memberships.ts';
import { openWorkspace } from './workspace-head.ts';
import {
  closeWorkspace,
  closeWorkspaceJob,
  purgeWorkspace,
  purgeWorkspaceJob,
  type RemovalWork,
  removeWorkspace,
} from './workspace-removal.ts';
import { completeFounding, takeCode } from './workspaces/founding.ts';

const place = { env: 'test', orgCode: 'acme' } as const;
const days = 24 * 60 * 60 * 1000;
const ann = { id: '018bcfe5-6800-7000-8000-0000000000aa', email: 'ann@acme.example', fn: '', ln: '' };
const stillMine = () => Promise.resolve();

/** An org with a workspace `team`, and time that passes when it is told to. */
async function orgWithTeam() {
  let now = 1_800_000_000_000;
  const clock = { now: () => now };
  const opened = await openStore({ kind: 'memory', clock });
  const { store, maintenance } = opened;
  const configs = createConfigReader({ store, clock });
  const both = <T>(one: T) => ({ test: one, prod: one });
  const parts: MembershipParts = { clock, newId: uuidv7Source(clock), stores: both(store), configs: both(configs) };
  const orgScope = store.scope(orgScopeName('acme'));
  const scope = store.scope(workspaceScopeName('acme', 'team'));
  const found = () => takeCode(parts, place, { code: 'team', name: 'Team', founder: ann });
  const foundWhole = async () => {
    const intent = await found();
    assert.ok(intent !== undefined);
    await completeFounding(parts, place, intent);
    return { id: intent.row.id, code: 'team' };
  };
  const tenant = await foundWhole();
  const remove = () => {
    const workspace = openWorkspace(parts, place, tenant);
    const context = { workspace, config: systemConfig, actor: { userId: ann.id, claims: {} } };
    const removal = { ...parts, epochs: createAccessEpochs(), poke: () => undefined };
    return removeWorkspace(removal, context, { code: 'team' });
  };
  return {
    ...opened,
    parts,
    clock,
    orgScope,
    scope,
    tenant,
    found,
    foundWhole,
    remove,
    work: { orgCode: 'acme', ...tenant } satisfies RemovalWork,
    space: { store, maintenance, clock },
    advance: (milliseconds: number) => (now += milliseconds),
    dueJobs: async () => (await maintenance.due('work', now, 100)).map(({ item }) => item.sk),
    stored: async () => (await maintenance.scan(scope.name, undefined, 1000)).length,
  };
}

test('a workspace lets nobody in from its removal on, and takes no write once it is closed', async () => {
  const { remove, parts, tenant, dueJobs, space, work, scope, advance } = await orgWithTeam();
  assert.ok((await findMembership(parts, place, { tenant, userId: ann.id })) !== undefined);
  await remove();
  assert.equal(await findMembership(parts, place, { tenant, userId: ann.id }), undefined);
  assert.deepEqual(await listMemberships(parts, place, ann.id), []);
  assert.deepEqual(await dueJobs(), [`${closeWorkspaceJob};team`]);
  await closeWorkspace(space, work);
  await assert.rejects(scope.commit([{ kind: 'put', pk: 'p', sk: 's', value: '1', if: 'any' }]), ScopeClosed);
  advance(10 * 60 * 1000);
  assert.ok((await dueJobs()).includes(`${purgeWorkspaceJob};team`));
});

test('nothing of a removed workspace is left, and its code is free after 30 days and not before', async () => {
  const { remove, space, work, stored, found, foundWhole, advance, parts, tenant } = await orgWithTeam();
  await remove();
  await closeWorkspace(space, work);
  assert.ok((await stored()) > 0);
  await purgeWorkspace(space, work, stillMine);
  assert.equal(await stored(), 0);
  advance(30 * days - 1);
  assert.equal(await found(), undefined);
  advance(1);
  const next = await foundWhole();
  assert.notEqual(next.id, tenant.id);
  assert.ok((await findMembership(parts, place, { tenant: next, userId: ann.id })) !== undefined);
  assert.equal(await findMembership(parts, place, { tenant, userId: ann.id }), undefined);
});

test('the jobs of a removal that come again touch nothing of the next workspace of the code', async () => {
  const { remove, space, work, advance, foundWhole, stored, parts, scope } = await orgWithTeam();
  await remove();
  await closeWorkspace(space, work);
  await purgeWorkspace(space, work, stillMine);
  await closeWorkspace(space, work);
  advance(30 * days);
  const next = await foundWhole();
  const before = await stored();
  await closeWorkspace(space, work);
  await purgeWorkspace(space, work, stillMine);
  assert.equal(await stored(), before);
  await scope.commit([{ kind: 'put', pk: 'p', sk: 's', value: '1', if: 'any' }]);
  assert.ok((await findMembership(parts, place, { tenant: next, userId: ann.id })) !== undefined);
});

test('a purge that was broken off is done to its end by the next one', async () => {
  const { remove, space, work, stored, orgScope, scope } = await orgWithTeam();
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
  await purgeWorkspace(space, work, stillMine);
  assert.equal(await stored(), 0);
});
