import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orgAudit, readEntry } from '../audit/audit-entry.ts';
import { createConfigReader } from '../config/config-reader.ts';
import { systemClock } from '../lib/clock.ts';
import { uuidv7Source } from '../lib/ids.ts';
import type { Store } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { orgScopeName, workspaceScopeName } from '../tenancy/workspace.ts';
import { completeFounding, findIntent, type MembershipDeps, takeCode } from './founding.ts';
import { listMemberships, resolveWorkspace } from './memberships.ts';

const place = { env: 'test', orgCode: 'acme' } as const;
const ann = {
  id: '018bcfe5-6800-7000-8000-0000000000aa',
  email: 'ann@acme.example',
  email_verified: false,
  fn: '',
  ln: '',
};

function partsOn(store: Store): MembershipDeps {
  const configs = createConfigReader({ store, clock: systemClock });
  const both = <T>(one: T) => ({ test: one, prod: one });
  return { clock: systemClock, newId: uuidv7Source(systemClock), stores: both(store), configs: both(configs) };
}

/** Every commit after so many of them fails, done or not. */
function dyingStore(store: Store, livesFor: number, isLastDone: boolean): Store {
  let commits = 0;
  return {
    ...store,
    scope: (name) => {
      const scope = store.scope(name);
      return {
        ...scope,
        commit: async (changes, options) => {
          const turn = commits++;
          if (turn < livesFor) return scope.commit(changes, options);
          if (turn === livesFor && isLastDone) await scope.commit(changes, options);
          throw new Error('crashed');
        },
      };
    },
  };
}

test('what a workspace starts with is recorded under its founder’s request, whichever request completes the founding', async () => {
  const { store } = await openStore({ kind: 'memory', clock: systemClock });
  const deps = partsOn(store);
  const intent = await takeCode(deps, { ...place, requestId: 'r1' }, { code: 'team', name: 'Team', founder: ann });
  assert.equal((await listMemberships(deps, place, ann.id)).length, 1);
  const items = await store.scope(workspaceScopeName('acme', 'team')).range(orgAudit, { limit: 100 });
  const entries = items.map(readEntry);
  assert.ok(entries.some((entry) => entry?.action === 'policy_link.created' && entry.detail?.user_id === ann.id));
  for (const entry of entries) assert.deepEqual([entry?.actor.id, entry?.request_id], [ann.id, 'r1']);
  const row = (await findIntent(store.scope(orgScopeName('acme')), 'team'))?.row;
  assert.deepEqual([intent?.row.request_id, row?.state, row?.request_id], ['r1', 'ready', undefined]);
});

test('a workspace whose founding crashed at any commit is whole or not there, and its founder finds it', async () => {
  for (let livesFor = 0; livesFor < 3; livesFor++)
    for (const isLastDone of [false, true]) {
      const { store } = await openStore({ kind: 'memory', clock: systemClock });
      const dying = partsOn(dyingStore(store, livesFor, isLastDone));
      const found = async () => {
        const intent = await takeCode(dying, place, { code: 'team', name: 'Team', founder: ann });
        if (intent !== undefined) await completeFounding(dying, place, intent);
      };
      await assert.rejects(found(), /crashed/);
      const isStarted = livesFor > 0 || isLastDone;
      const memberships = await listMemberships(partsOn(store), place, ann.id);
      assert.deepEqual(
        memberships.map(({ head, member }) => [head.code, head.name, member.data.role]),
        isStarted ? [['team', 'Team', 'admin']] : [],
        `crash ${isLastDone ? 'after' : 'before'} commit ${livesFor}`,
      );
      const arrived = await resolveWorkspace(partsOn(store), place, ann);
      assert.equal(arrived?.workspace.tenantCode, isStarted ? 'team' : 'main');
      const again = await takeCode(partsOn(store), place, { code: 'team', name: 'Other', founder: ann });
      assert.equal(again === undefined, isStarted);
    }
});
