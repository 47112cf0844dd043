import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfigReader } from '../../config/config-reader.ts';
import { systemConfig } from '../../config/config-set.ts';
import { createAccessEpochs } from '../../iam/policies/epochs.ts';
import { uuidv7Source } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';
import { appUsers } from '../../people/app-users/app-user.ts';
import { createMailThrottle } from '../../people/realm/mailed-codes.ts';
import type { Store } from '../../store/port.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { openWorkspace } from '../../tenancy/workspace-head.ts';
import { completeFounding, takeCode } from '../founding.ts';
import { listMemberships } from '../memberships.ts';
import { acceptInvitation, type GrantorDeps } from './accept-invitation.ts';
import { createInvitations } from './invitations.ts';

const place = { env: 'test', orgCode: 'acme' } as const;
const week = 7 * 24 * 60 * 60 * 1000;
const person = (name: string, digit: string) => ({
  id: `018bcfe5-6800-7000-8000-00000000000${digit}`,
  email: `${name}@acme.example`,
  fn: '',
  ln: '',
});
const [ann, bob] = [person('ann', 'a'), person('bob', 'b')];

/** A workspace that Ann has founded and invited Bob into. */
async function invitedBob() {
  let now = 1_800_000_000_000;
  const clock = { now: () => now };
  const { store, maintenance } = await openStore({ kind: 'memory', clock });
  const configs = createConfigReader({ store, clock });
  const both = <T>(one: T) => ({ test: one, prod: one });
  const newId = uuidv7Source(clock);
  const partsOn = (store: Store): GrantorDeps => ({
    clock,
    newId,
    stores: both(store),
    configs: both(configs),
    platform: store.scope('platform'),
    epochs: createAccessEpochs(),
  });
  const deps = partsOn(store);
  const intent = await takeCode(deps, place, { code: 'team', name: 'Team', founder: ann });
  assert.ok(intent !== undefined);
  await completeFounding(deps, place, intent);
  const workspace = openWorkspace(deps, place, intent.row);
  const context = { workspace, config: systemConfig, actor: { userId: ann.id, claims: {} } };
  const invitations = createInvitations({
    ...deps,
    platform: store.scope('platform'),
    mailThrottle: createMailThrottle({ clock }),
  });
  const issued = await invitations.create(context, { email: 'BOB@acme.example' });
  const accept = (on: Store = store, person = bob) =>
    acceptInvitation(partsOn(on), place, { code: issued.code, person });
  return { store, maintenance, deps, context, invitations, accept, issued, advance: (by: number) => (now += by) };
}

const isGone = (error: unknown): boolean => error instanceof Problem && error.code === 'not_found';

test('an invitation is good to its last moment and not after it', async () => {
  const early = await invitedBob();
  early.advance(week - 1);
  assert.equal((await early.accept()).code, 'team');
  const late = await invitedBob();
  late.advance(week);
  await assert.rejects(late.accept(), isGone);
  assert.deepEqual(await late.invitations.list(late.context), []);
  await assert.rejects(late.invitations.resend(late.context, late.issued.id), isGone);
});

test('an invitation of a sender whose account is disabled or being erased admits no person', async () => {
  const created_at = '2026-11-20T09:00:00Z';
  const disabled = { disabled: { at: created_at, by: 'builder', reason: 'left' } };
  for (const closed of [disabled, { is_erasing: true as const }]) {
    const { store, accept } = await invitedBob();
    const account = { ...ann, email_verified: true, created_at };
    await store.scope('org#acme').commit([appUsers.insert(ann.id, { ...account, ...closed })]);
    await assert.rejects(accept(), { code: 'escalation_refused' });
    await store.scope('org#acme').commit([appUsers.put(ann.id, account, { if: 'any' })]);
    await accept();
  }
});

test('of many who have one address, by several providers, one comes in by a code', async () => {
  const { store, deps, accept } = await invitedBob();
  const bobs = [...'0123456789'].map((digit) => person('bob', digit));
  const outcomes = await Promise.allSettled(bobs.map((one) => accept(store, one)));
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  const found = await Promise.all(bobs.map(({ id }) => listMemberships(deps, place, id)));
  assert.equal(found.flat().length, 1);
});

test('the code stands nowhere in the store', async () => {
  const { store, maintenance, issued } = await invitedBob();
  const secret = issued.code.split('.').at(-1) ?? assert.fail();
  for (const { name } of await maintenance.scopes(undefined, 100)) {
    const items = await maintenance.scan(name, undefined, 1000);
    assert.ok(items.length > 0 && !JSON.stringify(items).includes(secret), store.scope(name).name);
  }
});

test('after a crash at any commit the invitation is good still, or the person is in and found there', async () => {
  for (let livesFor = 0; livesFor < 3; livesFor++) {
    const { store, deps, accept } = await invitedBob();
    let commits = 0;
    const dying: Store = {
      ...store,
      scope: (name) => ({
        ...store.scope(name),
        commit: async (changes) => {
          if (commits++ >= livesFor) throw new Error('crashed');
          return store.scope(name).commit(changes);
        },
      }),
    };
    await assert.rejects(accept(dying), /crashed/);
    const isIn = livesFor >= 2;
    assert.equal((await listMemberships(deps, place, bob.id)).length, isIn ? 1 : 0);
    if (isIn) await assert.rejects(accept(), isGone);
    else assert.equal((await accept()).code, 'team');
    assert.equal((await listMemberships(deps, place, bob.id)).length, 1);
  }
});
