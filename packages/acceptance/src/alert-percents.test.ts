/** At which shares of a limit an org is warned. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { eventually } from './eventually.ts';
import { create, defineEntity, definition, foundedOrg, joinOrg, manage, type Org, signUp } from './org.ts';
import { auditOf, givePlan, observe, withOperator } from './plans.ts';
import { platformOfFile } from './platform-for-tests.ts';

const gateways = await platformOfFile(withOperator);
const path = '/org/alerts';

function set(org: Org, percents: unknown, token = org.builder.token) {
  return manage<{ readonly percents: readonly number[] }>(org, 'PUT', path, { body: { percents }, token });
}

interface Entry {
  readonly action: string;
  readonly detail?: { readonly percent?: number; readonly percents?: string };
}

async function entries(org: Org, action: string): Promise<readonly Entry[]> {
  const reply = await manage<{ readonly items: readonly Entry[] }>(org, 'GET', `/audit?action=${action}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

test('an org is warned at the shares that it has set, and at no others', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  assert.deepEqual((await observe(org)).alert_percents, [80, 95, 100]);
  const reply = await set(org, [100, 50, 99]);
  assert.deepEqual([reply.status, reply.body], [200, { percents: [50, 99, 100] }]);
  assert.deepEqual((await observe(org)).alert_percents, [50, 99, 100]);
  await givePlan(org, { records: 10 });
  for (let made = 0; made < 5; made++) await create(founder, 'order', { title: 'One' });
  await eventually('the first alert', async () => (await entries(org, 'plan.limit_near')).length > 0);
  const shown = async () => (await observe(org)).alerts.map(({ percent, level, used }) => [percent, level, used]);
  assert.deepEqual(await shown(), [[50, 'info', 5]]);
  for (let made = 0; made < 4; made++) await create(founder, 'order', { title: 'One' });
  // The share of 80 % was passed in between.
  assert.deepEqual(await shown(), [[50, 'info', 9]]);
  await create(founder, 'order', { title: 'Last' });
  assert.deepEqual(await shown(), [[100, 'critical', 10]]);
  await eventually('the second alert', async () => (await entries(org, 'plan.limit_near')).length > 1);
  const auditEntries = (await entries(org, 'plan.limit_near')).map(({ detail }) => detail?.percent);
  assert.deepEqual(auditEntries, [100, 50]);
  const [changed] = await entries(org, 'alert_percents.changed');
  assert.equal(changed?.detail?.percents, '50, 99, 100');
});

test('the shares are whole numbers from 1 to 100, five at most, each once, and contain 100', async () => {
  const org = await signUp(gateways);
  for (const percents of [
    ...[[], [50], [0, 100], [100, 101], [99.5, 100], [100, 100], [1, 2, 3, 4, 5, 100], ['50', 100], [null, 100]],
    ...[100, '100', null, { 0: 100 }, [[100]]],
  ])
    assertProblem(await set(org, percents), 'validation_failed');
  const without = assertProblem(await set(org, [80]), 'validation_failed');
  assert.deepEqual(
    without.errors?.map(({ pointer, message }) => [pointer, message]),
    [['/percents', 'must contain 100: a limit that is reached stops writes']],
  );
  assertProblem(await manage(org, 'PUT', path, { body: {} }), 'validation_failed');
  assertProblem(await manage(org, 'PUT', path, { body: { percents: [100], more: 1 } }), 'unknown_field');
  assert.deepEqual((await observe(org)).alert_percents, [80, 95, 100]);
  assert.deepEqual((await set(org, [1, 2, 3, 4, 100])).body, { percents: [1, 2, 3, 4, 100] });
});

test('only an org admin sets them, for the own org alone', async () => {
  const org = await signUp(gateways);
  const other = await signUp(gateways);
  const developer = await joinOrg(org, 'developer');
  const body = { percents: [10, 100] };
  assertProblem(await call('PUT', org.management + path, { body }), 'token_missing');
  assertProblem(await set(org, [10, 100], 'x.y.z'), 'token_invalid');
  assertProblem(await set(org, [10, 100], developer.token), 'role_required');
  assert.deepEqual((await observe(org)).alert_percents, [80, 95, 100]);
  assert.ok((await auditOf(org)).includes('alert_percents.change_refused'));
  assert.equal((await set(org, [10, 100])).status, 200);
  assert.deepEqual((await observe(other)).alert_percents, [80, 95, 100]);
});
