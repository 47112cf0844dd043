/** What two nodes on one database count of an org together, and how they hold it to its plan. */
import assert from 'node:assert/strict';
import { assertBecomes } from './eventually.ts';
import { testOnOneDay as test } from './on-one-day.ts';
import { type AppUser, act, count, defineEntity, definition, foundedOrg, type Org } from './org.ts';
import { givePlan, observe, withOperator } from './plans.ts';
import { commandToEnd } from './platform.ts';
import { type Nodes, orgOn, skip, twoNodes, userOn } from './two-nodes.ts';

const measure = (user: AppUser, times: number) =>
  Promise.all(Array.from({ length: times }, () => act(user, 'GET', '/user/me')));
const statusOfAdding = async (user: AppUser) => (await act(user, 'POST', '/create/order', { body: {} })).status;
const reportedCalls = async (org: Org) => (await observe(org)).usage.api_calls;

async function assertNothingDiffers({ one, other, dataDir }: Nodes): Promise<void> {
  await Promise.all([one.terminate(), other.terminate()]);
  const { code, stdout, stderr } = await commandToEnd(['recount'], { dataDir });
  assert.deepEqual([code, stderr], [0, ''], stdout);
  assert.match(stdout, /nothing differs\n$/);
}

async function orgOnTwoNodes(nodes: Nodes) {
  const { org, founder } = await foundedOrg(nodes.one);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  return { orgs: [org, orgOn(nodes.other, org)], users: [founder, userOn(nodes.other, founder)] } as const;
}

test('calls that two nodes answer add up on both, and a drain of one loses none', { skip }, async (t) => {
  const nodes = await twoNodes(t);
  const { orgs, users } = await orgOnTwoNodes(nodes);
  await measure(users[0], 10);
  await measure(users[1], 7);
  // Each second a node stores what it counted, and looks at what others have.
  for (const org of orgs) await assertBecomes(async () => (await reportedCalls(org)).today, 19);
  await measure(users[1], 5);
  await measure(users[0], 20);
  await nodes.one.terminate();
  assert.deepEqual(await reportedCalls(orgs[1]), { ...(await reportedCalls(orgs[1])), today: 44, month: 44 });
  await assertNothingDiffers(nodes);
});

test('of writers on two nodes none gets past the limit of records once both know of it', { skip }, async (t) => {
  const nodes = await twoNodes(t, withOperator.env);
  const { orgs, users } = await orgOnTwoNodes(nodes);
  await givePlan(orgs[0], { records: 40 });
  const writeUntilRefused = async (user: AppUser): Promise<number> => {
    for (let made = 0; ; made += 1) if ((await statusOfAdding(user)) !== 201) return made;
  };
  // Each node ends with a refusal of its own, as soon as it knows of what the other has made.
  const made = (await Promise.all(users.map(writeUntilRefused))).reduce((sum, one) => sum + one, 0);
  assert.ok(made >= 40, String(made));
  const again = await Promise.all([...users, ...users, ...users].map(statusOfAdding));
  assert.deepEqual([...new Set(again)], [429]);
  for (const [index, user] of users.entries()) {
    assert.equal(await count(user, 'order'), made);
    await assertBecomes(async () => {
      const { usage, flags } = await observe(orgs[index] ?? orgs[0]);
      return [usage.records.total, flags.recordLimitExceeded];
    }, [made, true]);
  }
  await assertNothingDiffers(nodes);
});

test('another node goes by a plan that was changed, and by calls that were made', { skip }, async (t) => {
  const nodes = await twoNodes(t, withOperator.env);
  const { orgs, users } = await orgOnTwoNodes(nodes);
  assert.equal(await statusOfAdding(users[1]), 201);
  const adding = () => statusOfAdding(users[1]);
  await givePlan(orgs[0], { records: 0 });
  await assertBecomes(adding, 429);
  // Each request counts as a call.
  await givePlan(orgs[0], { api_calls_per_day: 10_000 });
  await assertBecomes(adding, 201);
  const { today } = await reportedCalls(orgs[0]);
  await givePlan(orgs[0], { api_calls_per_day: today + 200 });
  await measure(users[0], 200);
  assert.equal(await statusOfAdding(users[0]), 429);
  await assertBecomes(adding, 429);
  assert.equal((await act(users[1], 'GET', '/list/order')).status, 200);
  await assertNothingDiffers(nodes);
});
