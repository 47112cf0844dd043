/** A first sign-in writes to the org and to the workspace: wherever it is cut off, the next one makes it whole, once. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createConfigReader } from '../config/config-reader.ts';
import { createAccessEpochs } from '../iam/policies/epochs.ts';
import { systemClock } from '../lib/clock.ts';
import { uuidv7Source } from '../lib/ids.ts';
import { type ExchangedToken, exchangeToken } from '../people/app-users/app-sign-in.ts';
import { logInWithPassword } from '../people/app-users/password-log-in.ts';
import { createProviderTokens } from '../people/oidc/provider-tokens.ts';
import type { Org } from '../people/org-users/org-directory.ts';
import { createLoginThrottle } from '../people/realm/realm.ts';
import { createOrgSettings, settingTypes } from '../people/settings/org-settings.ts';
import { generateSigningKey } from '../people/signing-key.ts';
import { openSigningKeys } from '../people/signing-keys.ts';
import { createFastHasher } from '../people/testing/fast-passwords.ts';
import { keysPath, makeKeyPair, startLoopbackProvider } from '../people/testing/loopback-provider.ts';
import { createSecretsInMemory } from '../people/testing/secrets-in-memory.ts';
import { interceptStore } from '../store/intercepted-store.ts';
import type { Store } from '../store/port.ts';
import { Crash, crashing } from '../store/testing/failing-store.ts';
import { openStore } from '../store/testing/open-store.ts';
import { orgScopeName, workspaceScopeName } from '../tenancy/workspace.ts';
import { createHomes } from './homes.ts';

const clock = systemClock;
const auditContext = { at: '', actor: { kind: 'org_user', id: 'builder' }, request_id: '' } as const;
const provider = await startLoopbackProvider();
after(() => provider.stop());
const pair = await makeKeyPair('ES256', '1');
provider.publish(pair);
const audience = 'client-at-the-provider';
const clientId = 'test_client';
const org: Org = {
  code: 'acme',
  name: 'Acme',
  created_at: '',
  environments: { test: { client_id: clientId }, prod: null },
};
const vault = createSecretsInMemory({ signing_keys: [await generateSigningKey(clock.now())] });
const shared = {
  clock,
  newId: uuidv7Source(clock),
  hasher: createFastHasher(),
  loginThrottle: createLoginThrottle({ clock }),
  signingKeys: await openSigningKeys({ vault, clock }),
  providers: createProviderTokens({ clock, allowPrivateAddresses: true }),
  issuer: 'https://platform.example',
  epochs: createAccessEpochs(),
};

/** The way a user of this name signs in, over a store that may fail. */
type SignIn = (store: Store, name: string) => Promise<ExchangedToken>;

function partsOn(store: Store) {
  const configs = createConfigReader({ store, clock });
  const both = { stores: { test: store, prod: store }, configs: { test: configs, prod: configs } };
  const parts = { ...shared, ...both, platform: store.scope('platform') };
  return { ...parts, homes: createHomes(parts) };
}

const ways: Readonly<Record<string, SignIn>> = {
  'by a password': async (store, name) => {
    const parts = partsOn(store);
    const policy = { enabled: true, allow_signup: true, min_length: 10 };
    const body = { email: `${name}@acme.example`, password: 'correct horse battery' };
    const request = { env: 'test', body, ip: '127.0.0.1', policy } as const;
    const { token } = await logInWithPassword(parts, store.scope(orgScopeName(org.code)), request);
    return exchangeToken(parts, org, { clientId, oauthToken: token, requestId: 'r' });
  },
  'through a provider': async (store, name) => {
    const seconds = Math.floor(clock.now() / 1000);
    const who = { sub: name, email: `${name}@acme.example`, email_verified: true };
    const times = { iat: seconds, exp: seconds + 300 };
    const oauthToken = await pair.sign({ iss: provider.issuer, aud: audience, ...who, ...times });
    return exchangeToken(partsOn(store), org, { clientId, oauthToken, requestId: 'r' });
  },
};

async function newStore(): Promise<Store> {
  const { store } = await openStore({ kind: 'memory', clock });
  const settings = createOrgSettings({
    env: 'test',
    types: settingTypes,
    store,
    configs: createConfigReader({ store, clock }),
    auditContext,
  });
  await settings.put(org.code, issuers);
  return store;
}

const issuers = { group: 'auth', name: 'issuers', value: [{ issuer: provider.issuer, audiences: [audience] }] };

/** The store, each of whose calls lets everybody else go on first: so that what runs at once does meet. */
function crowded(store: Store): Store {
  return interceptStore(store, async (_operation, call) => {
    await new Promise((resolve) => setImmediate(resolve));
    return call();
  });
}

/** The number that there are of everything that a first sign-in makes. */
async function made(store: Store) {
  const orgScope = store.scope(orgScopeName(org.code));
  const rows = async (pk: string) => (await orgScope.range(pk, { limit: 200 })).length;
  const counted = ['user', 'useraclpolicy', 'usergroup', 'aclpolicy', 'group'].map((sk) => ({ pk: 'count', sk }));
  const counters = await store.scope(workspaceScopeName(org.code, 'main')).get(counted);
  const [users, links, admins, policies, groups] = counters.map((counter) => Number(counter?.value ?? 0));
  const accounts = { accounts: await rows('app-user'), identities: await rows('identity') };
  return { ...accounts, workspaces: await rows('workspace'), users, links, admins, policies, groups };
}

function whole(people: number) {
  const inOrg = { accounts: people, identities: people, workspaces: 1 };
  return { ...inOrg, users: people, links: people, admins: 1, policies: 2, groups: 1 };
}

for (const [way, signIn] of Object.entries(ways)) {
  test(`64 first sign-ins at once ${way}, of one person and of 64, make each person and the workspace once`, async () => {
    const store = await newStore();
    const twins = await Promise.all(Array.from({ length: 64 }, () => signIn(crowded(store), 'ann')));
    assert.equal(new Set(twins.map(({ user_id }) => user_id)).size, 1);
    assert.equal(new Set(twins.map(({ tenant_id }) => tenant_id)).size, 1);
    assert.deepEqual(await made(store), whole(1));
    const crowd = await newStore();
    const all = await Promise.all(Array.from({ length: 64 }, (_, index) => signIn(crowded(crowd), `person-${index}`)));
    assert.equal(new Set(all.map(({ user_id }) => user_id)).size, 64);
    assert.equal(new Set(all.map(({ tenant_id }) => tenant_id)).size, 1);
    assert.deepEqual(await made(crowd), whole(64));
  });

  test(`a first sign-in ${way} that is cut off at any call to the store is made whole by the next one`, async () => {
    for (const when of ['before', 'after'] as const)
      for (let callsLeft = 0; ; callsLeft++) {
        assert.ok(callsLeft < 100, 'it never ends');
        const store = await newStore();
        const survived = await signIn(crashing(store, callsLeft, when), 'ann').then(
          () => true,
          (error: unknown) => assert.ok(error instanceof Crash, `${error}`),
        );
        const [bob, ann] = [await signIn(store, 'bob'), await signIn(store, 'ann')];
        assert.equal(ann.tenant_id, bob.tenant_id);
        assert.deepEqual(await made(store), whole(2), `cut off ${when} call ${callsLeft}`);
        if (survived) break;
      }
  });
}

test('of first sign-ins at once that are all cut off, the next ones make each person and the workspace once', async () => {
  const signIn = ways['through a provider'];
  assert.ok(signIn !== undefined);
  const names = Array.from({ length: 8 }, (_, index) => `person-${index % 4}`);
  for (const when of ['before', 'after'] as const)
    for (let callsLeft = 0; callsLeft < 150; callsLeft += 7) {
      const store = await newStore();
      const dying = crowded(crashing(store, callsLeft, when));
      await Promise.allSettled(names.map((name) => signIn(dying, name)));
      await Promise.all(names.map((name) => signIn(crowded(store), name)));
      assert.deepEqual(await made(store), whole(4), `cut off ${when} call ${callsLeft}`);
    }
  assert.equal(provider.calls.filter((path) => path === keysPath).length, 1);
});
