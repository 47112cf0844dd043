/** Keys as two processes see them, and what is left of a key that was half made or half removed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceKeyRequest } from '@freehold/contract/management/service-keys';
import { createConfigReader } from '../../config/config-reader.ts';
import { linksPerUserMax } from '../../iam/members/links.ts';
import { createAccessEpochs } from '../../iam/policies/epochs.ts';
import { createRuntime, foundWorkspace } from '../../iam/testing/founded-workspace.ts';
import { createCursors } from '../../records/listing/cursor.ts';
import { interceptStore } from '../../store/intercepted-store.ts';
import type { Change, Store } from '../../store/port.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { orgScopeName } from '../../tenancy/workspace.ts';
import { workspaceRowKey } from '../../tenancy/workspace-directory.ts';
import { type WorkspaceHead, workspaceHeadKey } from '../../tenancy/workspace-head.ts';
import { createAppSessions } from '../sessions/app-sessions.ts';
import { generateSigningKey } from '../signing-key.ts';
import { openSigningKeys } from '../signing-keys.ts';
import { noHomes } from '../testing/no-homes.ts';
import { createSecretsInMemory } from '../testing/secrets-in-memory.ts';
import { createServiceKeys, type ServiceKeys } from './service-keys.ts';

const auditContext = { at: '', actor: { kind: 'org_user', id: 'builder' }, request_id: '' } as const;
const command = { orgCode: 'acme', auditContext };
const body = { env: 'test', tenant_code: 'main', name: 'Sync', policies: ['vieweracl'] } as const;
const first = { env: 'test', pageSize: 10, nexttoken: undefined } as const;
const ended = { code: 'token_invalid' };

async function bench() {
  let now = Date.parse('2026-11-21T00:00:00Z');
  const clock = { now: () => now };
  const { store } = await openStore({ kind: 'memory', clock });
  const founded = await foundWorkspace(store, clock);
  const { tenantId: id, tenantCode: code, scope } = founded.workspace;
  const head: WorkspaceHead = { id, code, name: 'Main', founder_id: founded.founderId, default_member_access: '' };
  await scope.commit([{ kind: 'put', ...workspaceHeadKey, value: JSON.stringify(head), if: 'absent' }]);
  const row = { id, code, name: 'Main', state: 'ready', created_at: '' };
  const orgScope = store.scope(orgScopeName('acme'));
  await orgScope.commit([{ kind: 'put', ...workspaceRowKey(code), value: JSON.stringify(row), if: 'absent' }]);
  const vault = createSecretsInMemory({ signing_keys: [await generateSigningKey(now)] });
  const signingKeys = await openSigningKeys({ vault, clock });
  /** A process with caches of its own, on this store or on a failing one. */
  const newProcess = (on: Store = store) => {
    const configs = createConfigReader({ store: on, clock });
    const revocations = createAccessEpochs();
    const shared = { stores: { test: on, prod: on }, clock, revocations, configs: { test: configs, prod: configs } };
    const runtime = createRuntime(on, { clock, newId: founded.newId });
    const cursors = createCursors(new Uint8Array(32));
    const epochs = createAccessEpochs();
    const platform = on.scope('platform');
    return {
      keys: createServiceKeys({ ...shared, newId: founded.newId, runtime, cursors }),
      sessions: createAppSessions({ ...shared, platform, signingKeys, issuer: 'i', epochs, homes: noHomes }),
    };
  };
  return {
    store,
    orgScope,
    newProcess,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    now: () => now,
    members: async () => (await founded.as(founded.founderId).all('user')).length,
  };
}

/** The store with a scope whose commits of a certain sort are cut off, as by a crash before them. */
function failing(store: Store, name: string, isCutOff: (changes: readonly Change[]) => boolean): Store {
  return interceptStore(store, async ({ scope, changes }, call) => {
    if (scope === name && changes !== undefined && isCutOff(changes)) throw new Error('cut off');
    return call();
  });
}

async function stateOf(keys: ServiceKeys): Promise<readonly string[]> {
  return (await keys.list('acme', first)).items.map(({ state }) => state);
}

test('a key that has expired opens nothing from that moment on, also where it was known', async () => {
  const { newProcess, pass, now } = await bench();
  const { keys, sessions } = newProcess();
  const expires_at = new Date(now() + 5000).toISOString();
  const { key } = await keys.create(command, { ...body, expires_at });
  await sessions.authenticate(key, 'acme');
  pass(4999);
  await sessions.authenticate(key, 'acme');
  pass(1);
  await assert.rejects(async () => sessions.authenticate(key, 'acme'), { code: 'token_expired' });
  await assert.rejects(async () => newProcess().sessions.authenticate(key, 'acme'), { code: 'token_expired' });
});

test('a key is a server: its caller has the names of the key, and an address that never counts as verified', async () => {
  const { newProcess } = await bench();
  const { keys, sessions } = newProcess();
  const { id, key } = await keys.create(command, body);
  const { kind, claims } = await sessions.authenticate(key, 'acme');
  const { sub, role, email_verified, fn, ln, idp, clientid, ep, exp } = claims;
  assert.deepEqual(
    { kind, sub, role, email_verified, fn, ln, idp, clientid, ep, exp },
    {
      ...{ kind: 'service_key', sub: id, role: 'service', email_verified: false, fn: 'Sync', ln: '' },
      ...{ idp: 'service_key', clientid: '', ep: 0, exp: Date.parse('9999-12-31T23:59:59Z') / 1000 },
    },
  );
});

test('a key that one process removes is dead there at once, and elsewhere within the time that is settled', async () => {
  const { newProcess, pass } = await bench();
  const [here, elsewhere] = [newProcess(), newProcess()];
  const { id, key } = await here.keys.create(command, body);
  for (const { sessions } of [here, elsewhere]) await sessions.authenticate(key, 'acme');
  await here.keys.remove({ ...command, id });
  await assert.rejects(async () => here.sessions.authenticate(key, 'acme'), ended);
  pass(59_999);
  await elsewhere.sessions.authenticate(key, 'acme');
  pass(1);
  await assert.rejects(async () => elsewhere.sessions.authenticate(key, 'acme'), ended);
});

test('an unknown key costs one lookup, and none where it has not the form of a key or the org no code', async () => {
  const { store, newProcess } = await bench();
  let reads = 0;
  const counted = failing(store, orgScopeName('acme'), () => false);
  const counting: Store = {
    ...counted,
    scope: (name) => {
      const scope = counted.scope(name);
      return { ...scope, get: (keys) => scope.get(keys).finally(() => reads++) };
    },
  };
  const { sessions } = newProcess(counting);
  const unknown = `fhk_test_${'A'.repeat(43)}`;
  for (let round = 1; round <= 3; round++) {
    await assert.rejects(async () => sessions.authenticate(unknown, 'acme'), ended);
    assert.equal(reads, round);
  }
  for (const [token, org] of [
    [`${unknown}A`, 'acme'],
    [unknown, 'acme-main'],
    [unknown, ''],
  ] as const)
    await assert.rejects(async () => sessions.authenticate(token, org), ended);
  assert.equal(reads, 3);
});

test('a key is good in its environment alone, also where both lie in one store', async () => {
  const { newProcess } = await bench();
  const { keys, sessions } = newProcess();
  const { key } = await keys.create(command, body);
  await assert.rejects(async () => sessions.authenticate(key.replace('fhk_test_', 'fhk_prod_'), 'acme'), ended);
  assert.equal((await sessions.authenticate(key, 'acme')).claims.env, 'test');
});

test('a call for another org that fails costs the key nothing in its own', async () => {
  const { newProcess } = await bench();
  const { keys, sessions } = newProcess();
  const { key, id } = await keys.create(command, body);
  const other = assert.rejects(async () => sessions.authenticate(key, 'beta'), ended);
  assert.equal((await sessions.authenticate(key, 'acme')).claims.sub, id);
  await other;
});

test('what is cut off while a key is made opens nothing, is seen, and goes with the key', async () => {
  const isReadiness = (changes: readonly Change[]) => changes.some(({ kind }) => kind === 'append');
  const { store, newProcess, members, orgScope } = await bench();
  const before = await members();
  const dying = newProcess(failing(store, orgScopeName('acme'), isReadiness));
  // The state that a crash would leave, since the attempt to tidy up is cut off too.
  const crash = newProcess(
    failing(store, orgScopeName('acme'), (changes) => isReadiness(changes) || isForgetting(changes)),
  );
  await assert.rejects(() => crash.keys.create(command, body), /cut off/);
  assert.deepEqual(await stateOf(newProcess().keys), ['making']);
  assert.deepEqual(await orgScope.range('service-key-hash', { limit: 1 }), []);
  const [left] = (await newProcess().keys.list('acme', first)).items;
  await newProcess().keys.remove({ ...command, id: left?.id ?? '' });
  assert.deepEqual(await stateOf(newProcess().keys), []);
  await assert.rejects(() => dying.keys.create(command, body), /cut off/);
  assert.deepEqual(await stateOf(newProcess().keys), []);
  assert.equal(await members(), before);
});

function isForgetting(changes: readonly Change[]): boolean {
  return changes.some((change) => change.kind === 'add' && change.by === -1);
}

test('a removal that is cut off has ended the key, and is completed by another one', async () => {
  const { store, newProcess, members } = await bench();
  const before = await members();
  const { keys, sessions } = newProcess();
  const { id, key } = await keys.create(command, body);
  const isOfWorkspace = orgScopeName('acme-main');
  const crash = newProcess(failing(store, isOfWorkspace, () => true));
  await assert.rejects(() => crash.keys.remove({ ...command, id }), /cut off/);
  await assert.rejects(async () => newProcess().sessions.authenticate(key, 'acme'), ended);
  assert.deepEqual(await stateOf(keys), ['removing']);
  await keys.remove({ ...command, id });
  assert.deepEqual(await stateOf(keys), []);
  assert.equal(await members(), before);
  await assert.rejects(() => keys.remove({ ...command, id }), { code: 'not_found' });
  await assert.rejects(async () => sessions.authenticate(key, 'acme'), ended);
});

test('that a key is used is written at most once in ten minutes', async () => {
  const { newProcess, pass, now, orgScope } = await bench();
  const { keys, sessions } = newProcess();
  const { key, id } = await keys.create(command, body);
  const start = now();
  const describe = async () => {
    await sessions.authenticate(key, 'acme');
    // A commit of a scope takes its turn: whatever was asked for before this one is done.
    await orgScope.commit([{ kind: 'append', pk: 'turn', value: '' }], { priority: 'background' });
    return Date.parse((await keys.list('acme', first)).items[0]?.last_used_at ?? '') - start;
  };
  assert.equal(await describe(), 0);
  for (let minute = 1; minute < 10; minute++) {
    pass(60_000);
    assert.equal(await describe(), 0);
  }
  pass(60_000);
  assert.equal(await describe(), 600_000);
  await keys.remove({ ...command, id });
  assert.deepEqual(await orgScope.range('service-key-use', { limit: 1 }), []);
});

test('a key may be given as many policies as a member may have', () => {
  assert.equal(ServiceKeyRequest.properties.policies.maxItems, linksPerUserMax);
});
