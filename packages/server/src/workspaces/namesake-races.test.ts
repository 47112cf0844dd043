/**
 * A workspace is removed, and another one founded under its code, while a call by a token of the first is on its way:
 * whichever call of the one the other falls before, nothing of it gets into the second. Nothing is this slow; a machine
 * that was put to sleep is.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfigReader } from '../config/config-reader.ts';
import { createAccessEpochs } from '../iam/policies/epochs.ts';
import type { AppTokenClaims } from '../people/app-tokens.ts';
import { openWorkspaceSession } from '../people/sessions/app-sessions.ts';
import { everyInterleaving, extentOn, type Interleaving } from '../records/testing/interleaving.ts';
import type { OpenedStore, Store } from '../store/port.ts';
import { openForTest, raceKinds } from '../store/testing/open-test-store.ts';
import { listAll, outcomeOf, RecordBench, SteppedClock } from '../testing/record-bench.ts';
import { findMembership } from './memberships.ts';
import { ann, orgWithTeam, place } from './testing/org-with-team.ts';
import { closeWorkspace, purgeWorkspace } from './workspace-removal.ts';

const minutes = 60 * 1000;
const days = 24 * 60 * minutes;

for (const kind of raceKinds)
  for (const [when, isSoFar] of [
    ['until it is removed', false],
    ['until its code is taken again', true],
  ] as const)
    test(`a call by a token of a workspace that lasts ${when} writes nothing into the next one of the code (${kind})`, async (context) => {
      const clock = new SteppedClock();
      const opened = await openForTest(context, kind, clock);
      await new RecordBench(opened, clock).node().admin.define('acme', { entityName: 'order', UpdateParams: [] });
      const seen = new Set<string>();
      await everyInterleaving(extentOn(kind), async (interleaving) => {
        seen.add(await meet({ opened, clock, interleaving, code: `t${seen.size}-${clock.now()}`, isSoFar }));
        clock.advance(1);
      });
      assert.deepEqual([...seen].sort(), ['done', 'not_found', 'token_invalid']);
    });

interface Meeting {
  readonly opened: OpenedStore;
  readonly clock: SteppedClock;
  readonly interleaving: Interleaving;
  readonly code: string;
  /** Whether the other process founds the next workspace while the call is still held. */
  readonly isSoFar: boolean;
}

async function meet({ opened, clock, interleaving, code, isSoFar }: Meeting): Promise<string> {
  const team = await orgWithTeam(opened, clock, code);
  const claims = await claimsOf(team);
  const [own, other] = interleaving.stores(opened.store);
  const foundAgain = async () => {
    clock.advance(30 * days);
    await team.foundWhole();
  };
  const [outcome] = await interleaving.run(
    () => outcomeOf(write(opened, { clock, claims, own })),
    async () => {
      const space = { ...team.space, store: other };
      await team.remove();
      await closeWorkspace(space, team.work);
      clock.advance(10 * minutes);
      await purgeWorkspace(space, team.work, async () => undefined);
      if (isSoFar) await foundAgain();
    },
  );
  if (!isSoFar) await foundAgain();
  const node = new RecordBench(opened, clock, code).node();
  assert.deepEqual(await listAll(node, await node.call('order')), [], interleaving.name);
  assert.equal(
    await outcomeOf(openWorkspaceSession(partsOn(opened.store, clock), { kind: 'person', claims })),
    'token_invalid',
  );
  return outcome;
}

interface Call {
  readonly clock: SteppedClock;
  readonly claims: AppTokenClaims;
  /** The store, as the call has it. */
  readonly own: Store;
}

/** The work of a process for a call: it lets the caller in, and makes the requested write. */
async function write(opened: OpenedStore, { clock, claims, own }: Call): Promise<void> {
  const { workspace } = await openWorkspaceSession(partsOn(own, clock), { kind: 'person', claims });
  const node = new RecordBench(opened, clock).node(own);
  await node.runtime.create(await node.call('order', { workspace }), {});
}

function partsOn(store: Store, clock: SteppedClock) {
  const configs = createConfigReader({ store, clock });
  const both = <T>(one: T) => ({ test: one, prod: one });
  return { stores: both(store), clock, epochs: createAccessEpochs(), configs: both(configs) };
}

async function claimsOf({ deps, tenant }: Awaited<ReturnType<typeof orgWithTeam>>): Promise<AppTokenClaims> {
  const found = await findMembership(deps, place, { tenant, userId: ann.id });
  const ofPlace = { org: 'acme', env: 'test', tenant_id: tenant.id, tenant_code: tenant.code } as const;
  const ofPerson = { sub: ann.id, email: ann.email, email_verified: true, fn: '', ln: '', role: 'admin' };
  const ofToken = { iss: '', aud: '', iat: 0, exp: 0, ep: 0, jti: '', idp: 'password', auth_time: 0, clientid: '' };
  return { ...ofPlace, ...ofPerson, ...ofToken, member_since: String(found?.member.data.created_at) };
}
