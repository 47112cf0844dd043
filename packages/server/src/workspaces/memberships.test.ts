import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfigReader } from '../config/config-reader.ts';
import { systemClock } from '../lib/clock.ts';
import { uuidv7Source } from '../lib/ids.ts';
import { type Change, Conflict, type Scope, type Store } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { workspaceScopeName } from '../tenancy/workspace.ts';
import type { MembershipDeps } from './founding.ts';
import { enterDefaultWorkspace, listMemberships } from './memberships.ts';

const place = { env: 'test', orgCode: 'acme' } as const;
const workspaceScope = workspaceScopeName('acme', 'main');

async function newStore(): Promise<Store> {
  return (await openStore({ kind: 'memory', clock: systemClock })).store;
}

function partsOn(store: Store): MembershipDeps {
  const configs = createConfigReader({ store, clock: systemClock });
  return {
    clock: systemClock,
    newId: uuidv7Source(systemClock),
    stores: { test: store, prod: store },
    configs: { test: configs, prod: configs },
  };
}

const person = (name: string) => ({
  id: idOf(name),
  email: `${name}@acme.example`,
  email_verified: false,
  fn: '',
  ln: '',
});

function idOf(name: string): string {
  return `018bcfe5-6800-7000-8000-${Buffer.from(name.padEnd(6, '_').slice(0, 6)).toString('hex')}`;
}

test('makes one workspace, one founder and one membership each of many first sign-ins at once', async () => {
  const store = await newStore();
  const people = ['ann', 'bob', 'cy', 'dan'].map(person);
  const runs = Array.from({ length: 64 }, (_, index) => people[index % people.length] ?? person('ann'));
  const entered = await Promise.all(runs.map((one) => enterDefaultWorkspace(partsOn(store), place, one)));
  const tenants = new Set(entered.map((membership) => membership?.workspace.tenantId));
  assert.equal(tenants.size, 1);
  const admins = entered.filter((membership) => membership?.member.data.role === 'admin');
  assert.equal(new Set(admins.map((membership) => membership?.member.data.id)).size, 1);
  const scope = store.scope(workspaceScope);
  const counters = await scope.get(['user', 'useraclpolicy', 'aclpolicy', 'group'].map((sk) => ({ pk: 'count', sk })));
  assert.deepEqual(
    counters.map((counter) => counter?.value),
    ['4', '4', '2', '1'],
  );
});

test('completes, after a crash at any commit, what a first sign-in has begun', async () => {
  for (let crashAt = 0; crashAt < 6; crashAt++)
    for (const when of ['before', 'after'] as const) {
      const store = await newStore();
      const failing = failingStore(store, crashAt, when);
      const [ann, bob] = [person('ann'), person('bob')];
      await enterDefaultWorkspace(partsOn(failing), place, ann).catch(() => undefined);
      await enterDefaultWorkspace(partsOn(failing), place, bob).catch(() => undefined);
      for (const one of [bob, ann]) {
        const membership = await enterDefaultWorkspace(partsOn(store), place, one);
        assert.equal(membership?.member.data.id, one.id);
        const found = await listMemberships(partsOn(store), place, one.id);
        assert.deepEqual(
          found.map(({ head: { code, id } }) => [code, id]),
          [['main', membership?.workspace.tenantId]],
          `crash ${when} commit ${crashAt}`,
        );
      }
      const founders = await store.scope(workspaceScope).get([{ pk: 'count', sk: 'usergroup' }]);
      assert.equal(founders[0]?.value, '1');
    }
});

/** Fails one commit and every call after it, with the commit done or not. */
function failingStore(store: Store, crashAt: number, when: 'before' | 'after'): Store {
  let commits = 0;
  const commit = async (scope: Scope, changes: readonly Change[]) => {
    const isAlive = commits < crashAt;
    const isCrash = commits++ === crashAt;
    if (isAlive) return scope.commit(changes);
    if (isCrash && when === 'after') await scope.commit(changes).catch(ignoreConflict);
    throw new Error('crashed');
  };
  return {
    ...store,
    scope: (name) => {
      const scope = store.scope(name);
      return { ...scope, commit: (changes) => commit(scope, changes) };
    },
  };
}

function ignoreConflict(error: unknown): void {
  if (!(error instanceof Conflict)) throw error;
}
