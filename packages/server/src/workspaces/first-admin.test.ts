import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orgAudit, readEntry } from '../audit/audit-entry.ts';
import { createConfigReader } from '../config/config-reader.ts';
import { createAccessEpochs } from '../iam/policies/epochs.ts';
import { heldPolicies } from '../iam/policies/held-policies.ts';
import { systemClock, timestamp } from '../lib/clock.ts';
import { uuidv7Source } from '../lib/ids.ts';
import { Problem } from '../lib/problem.ts';
import { orgs } from '../people/org-users/org-directory.ts';
import { everyInterleaving, extentOn } from '../records/testing/interleaving.ts';
import type { Store } from '../store/port.ts';
import { openForTest, raceKinds } from '../store/testing/open-test-store.ts';
import { workspaceScopeName } from '../tenancy/workspace.ts';
import { asFirstAdmin, awaitedFounder, type FirstAdminDeps, provisionProd } from './first-admin.ts';
import { resolveWorkspace } from './memberships.ts';

const newId = uuidv7Source(systemClock);
const builder = 'bea@builders.example';
const auditContext = { at: timestamp(0), actor: { kind: 'org_user', id: newId() }, request_id: 'r' } as const;

function depsOn(store: Store): FirstAdminDeps {
  const configs = createConfigReader({ store, clock: systemClock });
  const both = <T>(one: T) => ({ test: one, prod: one });
  const platform = store.scope('platform');
  return {
    clock: systemClock,
    newId,
    stores: both(store),
    configs: both(configs),
    platform,
    epochs: createAccessEpochs(),
  };
}

function person(email: string, email_verified: boolean) {
  return { id: newId(), email, email_verified, fn: '', ln: '' };
}
type Person = ReturnType<typeof person>;

/** An org without its production. */
async function newOrg(store: Store, code = 'acme') {
  const environments = { test: { client_id: 'test_1' }, prod: null };
  await store
    .scope('platform')
    .commit([orgs.insert(code, { code, name: 'Acme', created_at: timestamp(0), environments })]);
}

function provision(store: Store, founderEmail?: string, orgCode = 'acme') {
  return provisionProd(depsOn(store), { orgCode, auditContext, founderEmail, builderEmail: builder });
}

/** The purpose of a person's token, as the exchange issues it. */
async function signIn(store: Store, who: Person, { env = 'prod' as 'test' | 'prod', orgCode = 'acme' } = {}) {
  const deps = depsOn(store);
  const place = { env, orgCode, requestId: 'sign-in' };
  const membership = await resolveWorkspace(deps, place, who);
  return membership && asFirstAdmin(deps, place, { person: who, membership });
}

async function holds(store: Store, who: Person, orgCode = 'acme'): Promise<string> {
  const scope = store.scope(workspaceScopeName(orgCode, 'main'));
  const workspace = { env: 'prod', orgCode, tenantId: '', tenantCode: 'main', scope } as const;
  const held = await heldPolicies(workspace, who.id);
  return held
    .map(({ policyName, via }) => `${policyName} ${via.kind}`)
    .sort()
    .join();
}

const admin = 'adminacl direct,adminacl group,vieweracl direct';
const member = 'vieweracl direct';

for (const kind of raceKinds) {
  test(`of strangers who come first at the same moment none is an admin of production (${kind})`, async (t) => {
    const { store } = await openForTest(t, kind, systemClock);
    let nr = 0;
    await everyInterleaving('edges', async (interleaving) => {
      const orgCode = `acme${nr++}`;
      await newOrg(store, orgCode);
      await provision(store, undefined, orgCode);
      const [one, other] = interleaving.stores(store);
      const strangers = [person('eve@x.example', true), person('mallory@x.example', true)] as const;
      await interleaving.run(
        () => signIn(one, strangers[0], { orgCode }),
        () => signIn(other, strangers[1], { orgCode }),
      );
      for (const stranger of strangers) assert.equal(await holds(store, stranger, orgCode), member, interleaving.name);
      assert.deepEqual(await awaitedFounder(depsOn(store), orgCode), { email: builder });
    });
  });

  test(`of a sign-in and a change of the address one is first, and the former address is no admin after the answer (${kind})`, async (t) => {
    const { store } = await openForTest(t, kind, systemClock);
    const seen = new Set<string>();
    let nr = 0;
    await everyInterleaving(extentOn(kind), async (interleaving) => {
      const orgCode = `acme${nr++}`;
      await newOrg(store, orgCode);
      await provision(store, 'former@x.example', orgCode);
      const former = person('former@x.example', true);
      const isFounded = nr % 2 === 0;
      if (isFounded) await signIn(store, person('eve@x.example', false), { orgCode });
      const [one, other] = interleaving.stores(store);
      const [, changed] = await interleaving.run(
        () => signIn(one, former, { orgCode }),
        () =>
          provision(other, 'next@x.example', orgCode).then(
            () => 'changed',
            (error: unknown) => (error instanceof Problem ? error.code : assert.fail(String(error))),
          ),
      );
      const held = await holds(store, former, orgCode);
      assert.equal(held, changed === 'changed' ? member : admin, `${interleaving.name}: ${changed}`);
      seen.add(changed);
      const next = person('next@x.example', true);
      await signIn(store, next, { orgCode });
      assert.equal(await holds(store, next, orgCode), changed === 'changed' ? admin : member, interleaving.name);
    });
    assert.deepEqual([...seen].sort(), ['changed', 'conflict']);
  });

  test(`of two accounts with the address of the founder one becomes the first admin (${kind})`, async (t) => {
    const { store } = await openForTest(t, kind, systemClock);
    let nr = 0;
    await everyInterleaving('edges', async (interleaving) => {
      const orgCode = `acme${nr++}`;
      await newOrg(store, orgCode);
      await provision(store, undefined, orgCode);
      const [one, other] = interleaving.stores(store);
      const twins = [person(builder, true), person(builder, true)] as const;
      await interleaving.run(
        () => signIn(one, twins[0], { orgCode }),
        () => signIn(other, twins[1], { orgCode }),
      );
      const held = [await holds(store, twins[0], orgCode), await holds(store, twins[1], orgCode)].sort();
      assert.deepEqual(held, [admin, member], interleaving.name);
    });
  });
}

test('the founder is a member like others until the address is verified, and then the first admin, once', async (t) => {
  const { store } = await openForTest(t, 'memory', systemClock);
  await newOrg(store);
  await provision(store);
  const unproved = person(builder.toUpperCase(), false);
  assert.equal((await signIn(store, unproved))?.member.data.role, undefined);
  assert.equal(await holds(store, unproved), member);
  const other = person('eve@x.example', true);
  await signIn(store, other);
  assert.deepEqual(await awaitedFounder(depsOn(store), 'acme'), { email: builder });
  const arrived = await signIn(store, { ...unproved, email_verified: true });
  assert.equal(arrived?.member.data.role, 'admin');
  assert.deepEqual([await holds(store, unproved), await holds(store, other)], [admin, member]);
  assert.equal(await awaitedFounder(depsOn(store), 'acme'), undefined);
  const entries = (await store.scope(workspaceScopeName('acme', 'main')).range(orgAudit, { limit: 100 })).map(
    readEntry,
  );
  const granted = entries.filter((entry) => entry?.action === 'policy_link.created' && entry.actor.kind === 'platform');
  assert.deepEqual(
    granted.map((entry) => [entry?.detail?.user_id, entry?.request_id]),
    [[unproved.id, 'sign-in']],
  );
  await assert.rejects(provision(store, 'next@x.example'), { code: 'conflict' });
  assert.equal((await provision(store)).awaited_founder, undefined);
  const next = person('next@x.example', true);
  await signIn(store, next);
  assert.equal(await holds(store, next), member);
});

test('what the platform founds is no record of the stranger who came first', async (t) => {
  const { store, maintenance } = await openForTest(t, 'memory', systemClock);
  await newOrg(store);
  await provision(store);
  const stranger = person('eve@x.example', true);
  await signIn(store, stranger);
  const items = await maintenance.scan(workspaceScopeName('acme', 'main'), undefined, 1000);
  const records = items.filter(({ pk }) => /;data#(aclpolicy|group)$/.test(pk)).map(({ value }) => JSON.parse(value));
  assert.equal(records.length, 3);
  for (const record of records) assert.notEqual(record.created_by, stranger.id);
});

test('an org that an earlier release has provisioned has no first admin until one is named', async (t) => {
  const { store } = await openForTest(t, 'memory', systemClock);
  await newOrg(store);
  const platform = store.scope('platform');
  const row = await orgs.read(platform, 'acme');
  assert.ok(row !== undefined);
  const prod = { client_id: 'prod_1', provisioned_at: timestamp(0) };
  await platform.commit([orgs.replace(row, { ...row.value, environments: { ...row.value.environments, prod } })]);
  const bea = person(builder, true);
  await signIn(store, bea);
  assert.equal(await holds(store, bea), member);
  assert.deepEqual((await provision(store)).awaited_founder, { email: null });
  assert.deepEqual((await provision(store, builder)).awaited_founder, { email: builder });
  await signIn(store, bea);
  assert.equal(await holds(store, bea), admin);
});

test('in test the first who signs in founds the workspace, as before', async (t) => {
  const { store } = await openForTest(t, 'memory', systemClock);
  await newOrg(store);
  assert.equal((await signIn(store, person('eve@x.example', false), { env: 'test' }))?.member.data.role, 'admin');
});
