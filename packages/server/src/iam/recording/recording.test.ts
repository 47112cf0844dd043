import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { compilePolicies } from '../../access/port.ts';
import { type ConfigSet, systemConfig } from '../../config/config-set.ts';
import type { ConfigReader } from '../../config/port.ts';
import { openForTest } from '../../store/testing/open-test-store.ts';
import type { OrgScopes } from '../../tenancy/port.ts';
import { type DecidedCall, DecisionBuffer, recordedCall } from './decision-buffer.ts';
import { startDecisionRecorder } from './decision-recorder.ts';
import { eachRecorded, type RecordedDecision, readDays } from './recorded-rows.ts';

const now = Date.parse('2026-06-01T12:00:00Z');
const tenantId = '01890a5d-ac96-774b-bcce-b302099a8057';
const allowing = (Mode?: 'report') =>
  compilePolicies([
    {
      ...{ policyId: 'p1', policyName: 'all', via: { kind: 'direct' } },
      statements: [
        { Sid: 'All', Effect: 'Allow', Action: ['*'], Resource: ['*'] },
        ...(Mode === undefined ? [] : [{ Sid: 'No', Effect: 'Deny', Action: ['get*'], Resource: ['*'], Mode }]),
      ],
    },
  ]);

function called(userId: string, more: Partial<DecidedCall> & { readonly orgCode?: string } = {}): DecidedCall {
  const { orgCode = 'acme', access = allowing(), ...others } = more;
  const resource = `/item/order/${userId}`;
  return {
    access,
    place: { orgCode, env: 'test', tenantId, tenantCode: 'main' },
    ...{ userId, email: `${userId}@example.com` },
    ...{
      action: 'getorder',
      resource,
      commonLength: '/item/order/'.length,
      rest: '{id}',
      outcome: 'allowed',
      isOfBlock: false,
      time: now,
    },
    sample: () =>
      recordedCall({ method: 'GET', resource, params: { id: userId }, ip: '', origin: undefined, time: now }, [{}]),
    ...others,
  };
}

function seeded(): () => number {
  let dice = 0;
  return () => {
    dice = (dice * 16_807 + 7) % 2_147_483_647;
    return dice / 2_147_483_647;
  };
}

test('calls that are alike are counted as one, with few samples of them', () => {
  const buffer = new DecisionBuffer({ random: () => 0.999 });
  const access = allowing();
  for (let count = 0; count < 1000; count++) buffer.note(called('u1', { access, time: now + count }));
  buffer.note(called('u1', { access, outcome: 'explicit_deny' }));
  const [org] = buffer.take();
  assert.deepEqual(
    org?.decisions.map(({ calls, samples, outcome }) => [calls, samples.length, outcome]),
    [
      [1000, 2, 'allowed'],
      [1, 1, 'explicit_deny'],
    ],
  );
  assert.equal(buffer.size, 0);
  assert.deepEqual(buffer.take(), []);
});

test('each of the calls that are alike is as likely to be a sample', () => {
  const random = seeded();
  const [calls, runs, samplesMax] = [40, 4000, 2];
  const chosen = Array.from({ length: calls }, () => 0);
  const access = allowing();
  for (let run = 0; run < runs; run++) {
    const buffer = new DecisionBuffer({ random, samplesMax });
    for (let nr = 0; nr < calls; nr++) {
      const sample = () => ({ ...called('u1').sample(), ip: String(nr) });
      const isCounted = buffer.count(callerOf(access), 'getorder', request('u1'));
      if (!isCounted) buffer.note(called('u1', { access, sample }));
    }
    const [org] = buffer.take();
    assert.deepEqual([org?.decisions[0]?.calls, org?.decisions[0]?.samples.length], [calls, samplesMax]);
    for (const { ip } of org?.decisions[0]?.samples ?? []) chosen[Number(ip)] = (chosen[Number(ip)] ?? 0) + 1;
  }
  const expected = (runs * samplesMax) / calls;
  // Six standard deviations.
  for (const count of chosen) assert.ok(Math.abs(count - expected) < 6 * Math.sqrt(expected), chosen.join());
});

test('a call is counted without being noted only where one like it is known and it is no sample', () => {
  // The next samples are far away.
  const buffer = new DecisionBuffer({ random: () => 1 - 1e-9, samplesMax: 1 });
  const access = allowing();
  const counts = (userId: string, action = 'getorder', of = access): boolean =>
    buffer.count(callerOf(of, userId), action, request(userId));
  assert.equal(counts('u1'), false);
  buffer.note(called('u1', { access }));
  assert.equal(counts('u1'), true);
  assert.equal(counts('u1', 'listorder'), false);
  assert.equal(counts('u1', 'getorder', allowing()), false);
  const { resource, params } = request('u1');
  for (const other of [
    { resource: '/item/other/u1', params },
    { resource, params: {} },
    { resource: `${resource}0`, params },
  ])
    assert.equal(buffer.count(callerOf(access), 'getorder', other), false);
  buffer.note(called('u2', { access, outcome: 'explicit_deny', action: 'updateorder' }));
  assert.equal(counts('u2', 'updateorder'), false);
  const [org] = buffer.take();
  assert.deepEqual(
    org?.decisions.map(({ action, calls }) => [action, calls]),
    [
      ['getorder', 2],
      ['updateorder', 1],
    ],
  );
  assert.equal(counts('u1'), false);
});

test('calls that are counted together are those of one workspace, and the last of them gives the time', () => {
  const buffer = new DecisionBuffer({ random: () => 1 - 1e-9, samplesMax: 1 });
  const access = allowing();
  buffer.note(called('u1', { access }));
  const { caller } = callerOf(access);
  assert.equal(buffer.count({ caller, time: now + 5 }, 'getorder', request('u1')), true);
  const other = { ...caller.place, workspace: { ...caller.place.workspace, tenantId: 'other' } };
  assert.equal(buffer.count({ caller: { ...caller, place: other }, time: now + 9 }, 'getorder', request('u1')), false);
  assert.deepEqual(
    buffer.take().flatMap(({ decisions }) => decisions.map(({ calls, lastAt }) => [calls, lastAt])),
    [[2, now + 5]],
  );
});

function callerOf(access: DecidedCall['access'], sub = 'u1') {
  const workspace = { orgCode: 'acme', env: 'test', tenantId, tenantCode: 'main' } as const;
  return { caller: { claims: { sub }, place: { access, workspace } }, time: now };
}

function request(id: string) {
  return { resource: `/item/order/${id}`, params: { entity: 'order', id } };
}

test('an org that fills the buffer leaves room for others', () => {
  const buffer = new DecisionBuffer({ decisionsMax: 100, random: seeded() });
  for (let user = 0; user < 500; user++) buffer.note(called(`u${user}`, { orgCode: 'large' }));
  for (let user = 0; user < 20; user++) buffer.note(called(`u${user}`, { orgCode: 'small' }));
  assert.equal(buffer.size, 100);
  const [large, small] = buffer.take();
  assert.equal(small?.decisions.length, 20);
  assert.equal(large?.decisions.length, 80);
  const calls = (large?.decisions ?? []).reduce((sum, one) => sum + one.calls, large?.left ?? 0);
  assert.equal(calls, 500);
});

test('what policies keep alive is bounded too', () => {
  const buffer = new DecisionBuffer({ partsMax: 10 });
  for (let user = 0; user < 50; user++) buffer.note(called(`u${user}`));
  assert.ok(buffer.size < 10, String(buffer.size));
});

const place = { orgCode: 'acme', env: 'test' } as const;

async function opened(
  t: TestContext,
  more: { rowsPerDay?: number; isOn?: boolean; fails?: boolean; heldOrg?: string } = {},
) {
  const { store } = await openForTest(t, 'memory', { now: () => now });
  const scope = store.scope('test:acme');
  const errors: unknown[] = [];
  const settings: ConfigSet['settings'] = new Map(
    more.isOn === false ? [['acl.record_decisions', { value: false, version: 1 }]] : [],
  );
  const reader = { current: async () => ({ ...systemConfig, settings }) } as unknown as ConfigReader;
  const failing = {
    ...scope,
    commit: async () => {
      throw new Error('no disk');
    },
  };
  const held = Promise.withResolvers<void>();
  const holding = {
    ...scope,
    commit: (...args: Parameters<typeof scope.commit>) => held.promise.then(() => scope.commit(...args)),
  };
  const like = (other: Partial<typeof scope>) => Object.assign(Object.create(scope), other) as typeof scope;
  const orgScopes: OrgScopes = (orgCode) => {
    const one = more.fails === true ? like(failing) : orgCode === more.heldOrg ? like(holding) : scope;
    return { test: one, prod: one };
  };
  const { rowsPerDay } = more;
  const recorder = startDecisionRecorder({
    ...{ configs: { test: reader, prod: reader }, orgScopes, clock: { now: () => now } },
    ...(rowsPerDay === undefined ? {} : { rowsPerDay }),
    onError: (error) => errors.push(error),
  });
  t.after(() => {
    held.resolve();
    return recorder.close();
  });
  const rows = async (): Promise<readonly RecordedDecision[]> => {
    const all: RecordedDecision[] = [];
    for await (const some of eachRecorded(scope, tenantId, '2026-06-01')) all.push(...some.map(({ value }) => value));
    return all;
  };
  return { recorder, rows, errors, letGo: held.resolve, days: (from = '2026-06-01') => readDays(scope, from) };
}

test('what is stored is added to the rows of the day, with the statement that decided', async (t) => {
  const { recorder, rows, errors } = await opened(t);
  const access = allowing('report');
  for (const _ of [1, 2]) {
    for (let count = 0; count < 3; count++) recorder.note(called('u1', { access }));
    await recorder.store(place);
  }
  assert.deepEqual(errors, []);
  const [row, ...others] = await rows();
  assert.equal(others.length, 0);
  assert.deepEqual([row?.calls, row?.policy_id, row?.Sid, row?.samples.length], [6, 'p1', 'All', 2]);
  assert.deepEqual(
    row?.reports.map(({ Sid, would, calls }) => [Sid, would, calls]),
    [['No', 'deny', 6]],
  );
});

test('an org is stored when it is asked for, though the turn of all orgs is held up by another', async (t) => {
  const { recorder, rows, letGo } = await opened(t, { heldOrg: 'busy' });
  recorder.note(called('u0', { orgCode: 'busy' }));
  recorder.note(called('u1'));
  const ending = recorder.close();
  await new Promise(setImmediate);
  await recorder.store(place);
  assert.equal((await rows()).length, 1);
  letGo();
  await ending;
});

test('two that ask at once both wait until all is stored', async (t) => {
  const { recorder, letGo } = await opened(t, { heldOrg: 'acme' });
  recorder.note(called('u1'));
  const ended: number[] = [];
  const pending = [1, 2].map((nr) => recorder.store(place).then(() => ended.push(nr)));
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  assert.deepEqual(ended, []);
  letGo();
  await Promise.all(pending);
});

test('a day has at most so many rows, and what finds no room is counted', async (t) => {
  const { recorder, rows, days } = await opened(t, { rowsPerDay: 3 });
  for (const _ of [1, 2]) {
    for (let user = 0; user < 5; user++) recorder.note(called(`u${user}`));
    await recorder.store(place);
  }
  assert.equal((await rows()).length, 3);
  const { rows: counted, not_recorded } = await days();
  const recorded = (await rows()).reduce((sum, { calls }) => sum + calls, 0);
  assert.deepEqual([counted, recorded + not_recorded], [3, 10]);
  assert.deepEqual(await days('2026-06-02'), { rows: 0, not_recorded: 0 }, 'of the day before nothing is said');
});

test('an org that does not record has no rows', async (t) => {
  const { recorder, rows } = await opened(t, { isOn: false });
  recorder.note(called('u1'));
  await recorder.store(place);
  recorder.note(called('u1'));
  await recorder.store(place);
  assert.deepEqual(await rows(), []);
});

test('a failure is told and fails nothing', async (t) => {
  const { recorder, rows, errors } = await opened(t, { fails: true });
  recorder.note(called('u1'));
  await recorder.store(place);
  recorder.note(
    called('u2', {
      sample: () => {
        throw new Error('no sample');
      },
    }),
  );
  assert.deepEqual(errors.map(String), ['Error: no disk', 'Error: no sample']);
  assert.deepEqual(await rows(), []);
});
