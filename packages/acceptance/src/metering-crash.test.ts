/** What is left of what was counted when the platform ends, in whichever way. */
import assert from 'node:assert/strict';
import { eventually } from './eventually.ts';
import { testOnOneDay as test } from './on-one-day.ts';
import { type AppUser, act, count, defineEntity, definition, foundedOrg, type Org } from './org.ts';
import { auditOf, givePlan, observe, withOperator } from './plans.ts';
import { commandToEnd, type Gateways, type Platform } from './platform.ts';
import { platformOf } from './platform-for-tests.ts';

const workers = 8;

function on({ app, management }: Gateways, org: Org): Org {
  return { ...org, app, management };
}

/** What is asked for, over and over by some at once, until the platform is gone. @returns how much was answered, and sent. */
async function untilGone(user: AppUser, ask: (user: AppUser) => Promise<{ readonly status: number }>) {
  const tally = { answered: 0, sent: 0 };
  const work = async (): Promise<void> => {
    for (;;) {
      tally.sent += 1;
      const { status } = await ask(user);
      if (status < 300) tally.answered += 1;
      // A platform that drains answers no more than what it has begun.
      else if (status === 503) return;
      else assert.fail(`answered ${status}`);
    }
  };
  const gone = (error: unknown): void => {
    if (!(error instanceof TypeError)) throw error;
  };
  const ended = Promise.all(Array.from({ length: workers }, () => work().catch(gone)));
  return { tally, ended };
}

async function assertNothingDiffers(platform: Platform): Promise<void> {
  await platform.terminate();
  const { code, stdout, stderr } = await commandToEnd(['recount'], { dataDir: platform.dataDir });
  assert.deepEqual([code, stderr], [0, ''], stdout);
}

test('kill -9 loses no call that a second has stored and no record that was answered, and counts none twice', async (t) => {
  const first = await platformOf(t, withOperator);
  const { org, founder } = await foundedOrg(first);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  await givePlan(org, { api_calls_per_day: 40 });
  const alerts = async () => (await auditOf(org)).filter((action) => action === 'plan.limit_near').length;
  for (let sent = 0; sent < 30; sent++) await act(founder, 'GET', '/user/me');
  await eventually('the alert of 80 %', async () => (await alerts()) === 1);
  // An alert counts calls that are not stored yet; the next one comes after they were.
  for (let sent = 0; sent < 6; sent++) await act(founder, 'GET', '/user/me');
  await eventually('the alert of 95 %', async () => (await alerts()) === 2);
  await givePlan(org, {});
  const create = (user: AppUser) => act(user, 'POST', '/create/order', { body: { title: 'x' } });
  const { tally, ended } = await untilGone(founder, create);
  let looked = 0;
  for (; tally.answered < 100; looked++) await act(founder, 'GET', '/count/order');
  await first.kill();
  await ended;
  const second = await platformOf(t, { ...withOperator, dataDir: first.dataDir });
  const after = on(second, org);
  const records = await count({ ...founder, org: after }, 'order');
  assert.ok(records >= tally.answered && records <= tally.sent, `${records} of ${tally.answered} to ${tally.sent}`);
  const { usage } = await observe(after);
  assert.equal(usage.records.total, records);
  const calls = usage.api_calls.today;
  // The last one of them is the count above.
  assert.ok(calls >= 33 && calls <= 39 + tally.sent + looked, String(calls));
  await assertNothingDiffers(second);
});

test('a drain loses no call that was answered, also amid calls', async (t) => {
  const first = await platformOf(t);
  const { org, founder } = await foundedOrg(first);
  const { tally, ended } = await untilGone(founder, (user) => act(user, 'GET', '/user/me'));
  while (tally.answered < 200) await observe(org);
  const { code } = await first.terminate();
  await ended;
  assert.equal(code, 0);
  const second = await platformOf(t, { dataDir: first.dataDir });
  const { today } = (await observe(on(second, org))).usage.api_calls;
  const [least, most] = [tally.answered + 2, tally.sent + 2];
  assert.ok(today >= least && today <= most, `${today} of ${least} to ${most}`);
  await assertNothingDiffers(second);
});
