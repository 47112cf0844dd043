import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { deliveries, makeEvent, startReceiver } from '../../event-receiver.ts';
import { assertBecomes } from '../../eventually.ts';
import { type AppUser, create, defineEntity, definition, foundedOrg, joinOrg, manage, type Org } from '../../org.ts';
import { deploy, provision } from '../../promotion.ts';
import { verifyMessage } from '../../standard-webhook.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { retype, signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };
const canary = '<img src=x onerror=alert(1)>';

async function shop(): Promise<{ readonly org: Org; readonly founder: AppUser }> {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, definition('order', [{ name: 'title' }, { name: 'amount', colType: 'integer' }]));
  return { org, founder };
}

async function signedIn(context: TestContext, org: Org): Promise<Page> {
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  return page;
}

const rowOf = (page: Page, name: string) => page.getByRole('row', { name });
const tabOf = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });

test('a builder sees an event, tries it with a sample, pauses it, and gets a secret that verifies what it sends', {
  skip,
}, async (context) => {
  const { org, founder } = await shop();
  const receiver = await startReceiver(context);
  const page = await signedIn(context, org);
  await page.getByRole('link', { name: 'Events', exact: true }).click();
  await page.getByRole('heading', { name: 'No events yet' }).waitFor();
  await assertAccessible(page);
  await makeEvent(org, 'large', receiver.url, { when: 'record.amount > 100' });
  await page.reload();
  await rowOf(page, 'large').getByText('After a record of order is created').waitFor();
  await rowOf(page, 'large').getByText(`Posts to ${receiver.url}`).waitFor();
  await rowOf(page, 'large').getByText('record.amount > 100').waitFor();
  await rowOf(page, 'large').getByText('live', { exact: true }).waitFor();
  await assertAccessible(page);
  await page.getByRole('link', { name: 'large', exact: true }).click();
  await page.getByRole('heading', { name: 'large', level: 1 }).waitFor();
  await page.getByRole('region', { name: 'Definition in JSON' }).getByText('"event_name": "large"').waitFor();
  await assertAccessible(page);

  await tabOf(page, 'Test').click();
  const sample = page.getByRole('textbox', { name: 'Record in JSON' });
  await sample.getByText('"amount"').waitFor();
  await page.getByRole('button', { name: 'Send the sample' }).click();
  await page.getByRole('status').getByText('The sample does not meet the condition').waitFor();
  await retype(sample, '{"amount": 200}');
  receiver.answer = (reply) => void reply.writeHead(202).end(canary);
  await page.getByRole('button', { name: 'Send the sample' }).click();
  await page.getByRole('status').getByText('The sample has arrived').waitFor();
  await page.getByRole('region', { name: 'Answer' }).getByText(canary).waitFor();
  await assertAccessible(page);

  await tabOf(page, 'Signing secret').click();
  await page.getByText('No secret was made yet').waitFor();
  await page.getByRole('button', { name: 'Make a new secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Make the secret' }).click();
  const shown = page.getByRole('dialog').getByRole('button', { name: /^Copy the signing secret whsec_/ });
  const secret = (await shown.innerText()).trim();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText(/The secret was made/).waitFor();
  assert.ok(!(await page.content()).includes(secret));
  await create(founder, 'order', { amount: 500 });
  const [, message] = await receiver.arrived(2);
  assert.ok(message !== undefined);
  verifyMessage(secret, message);

  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('note').getByText('You paused it').waitFor();
  await create(founder, 'order', { amount: 600 });
  await page.reload();
  await tabOf(page, 'Definition').click();
  await page.getByText('Waiting', { exact: true }).waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await receiver.arrived(3);
  // The screen follows what waits by itself.
  await page
    .locator('dt', { hasText: /^Waiting$/ })
    .locator('xpath=following-sibling::dd[1]', { hasText: /^0$/ })
    .waitFor();
  await page.getByRole('link', { name: 'Edit the definition' }).click();
  await page.getByRole('switch', { name: 'Enabled' }).waitFor();
});

test('deliveries are narrowed in the address, read with their attempts, and sent again alone and by filter', {
  skip,
}, async (context) => {
  const { org, founder } = await shop();
  const receiver = await startReceiver(context);
  receiver.answer = (reply) => void reply.writeHead(410).end(`gone ${canary}`);
  await makeEvent(org, 'tell', receiver.url);
  await makeEvent(org, 'other', receiver.url, { event_optype: 'delete' });
  const orders = [];
  for (const title of ['a', 'b', 'c']) orders.push(await create(founder, 'order', { title }));
  await deliveries(org, '?state=dead', (found) => found.length === 3);
  const page = await signedIn(context, org);
  await page.goto(`/o/${org.code}/test/events?tab=deliveries`);
  const rows = page.getByRole('table', { name: 'Deliveries' }).getByRole('row', { name: 'Given up' });
  await rows.nth(2).waitFor();
  const again = page.getByRole('button', { name: 'Send these again' });
  await assertBecomes(() => again.getAttribute('aria-description'), 'Choose an event first.');
  await assertAccessible(page);

  await page.getByRole('combobox', { name: 'Event' }).click();
  await page.getByRole('option', { name: 'tell' }).click();
  await page.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: 'Delivered' }).click();
  await page.getByRole('heading', { name: 'No such delivery' }).waitFor();
  await assertBecomes(
    () => ['event', 'state'].map((name) => new URL(page.url()).searchParams.get(name)),
    ['tell', 'delivered'],
  );
  await page.goto(`/o/${org.code}/test/events?tab=deliveries&event=tell&state=dead&until=2026-01-01T00:00:00.000Z`);
  await page.getByRole('heading', { name: 'No such delivery' }).waitFor();
  await page.getByLabel('Written before').fill('');
  await rows.nth(2).waitFor();

  await rows.first().getByRole('link').click();
  await page.getByRole('heading', { name: 'Delivery', level: 1 }).waitFor();
  const attempts = page.getByRole('table', { name: 'Attempts' }).getByRole('row');
  await attempts.nth(1).getByText(`gone ${canary}`).waitFor();
  await attempts.nth(1).getByText('410').waitFor();
  await page.getByRole('button', { name: `Copy the record id ${orders[2]?.id}` }).waitFor();
  await assertAccessible(page);
  receiver.answer = (reply) => void reply.end('thanks');
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('Delivered', { exact: true }).waitFor();
  await attempts.nth(2).waitFor();
  await attempts.nth(1).getByText('thanks').waitFor();

  await page.goBack();
  await rows.nth(1).waitFor();
  receiver.answer = (reply) => void reply.writeHead(503).end('later');
  await create(founder, 'order', { title: 'd' });
  await deliveries(org, '?state=retrying', (found) => found.length === 1);
  await page.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: 'Failed, is sent again' }).click();
  const failing = page.getByRole('table', { name: 'Deliveries' }).getByRole('row', { name: 'later' });
  await failing.waitFor();
  await page.goto(`/o/${org.code}/test/events/tell?tab=deliveries&state=retrying`);
  await failing.waitFor();
  const sendNow = page.getByRole('button', { name: 'Send what waits now' });
  await sendNow.click();
  await sendNow.and(page.locator(':not([data-loading])')).waitFor();
  receiver.answer = (reply) => void reply.end('thanks');
  // So does the list.
  await failing.waitFor({ state: 'detached' });
  await sendNow.waitFor({ state: 'detached' });
  await page.goto(`/o/${org.code}/test/events?tab=deliveries&event=tell&state=dead`);
  await rows.nth(1).waitFor();
  await again.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('2 deliveries', { exact: true }).waitFor();
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'Send 2 deliveries again' }).click();
  await dialog.getByRole('status').getByText('2 deliveries wait to be sent.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await deliveries(org, '?state=delivered', (found) => found.length === 4);
  assert.equal(new Set(receiver.messages.map(({ headers }) => headers['webhook-id'])).size, 4);
  await page.goto(`/o/${org.code}/test/events/tell?tab=deliveries&state=dead`);
  await page.getByRole('heading', { name: 'No such delivery' }).waitFor();
  await page.goto(`/o/${org.code}/test/deliveries/01890a5d-ac96-774b-bcce-b302099a8057`);
  await page.getByRole('heading', { name: 'This delivery is not known' }).waitFor();
  await page.goto(`/o/${org.code}/test/events?tab=none`);
  await page.getByRole('tab', { name: 'Events', selected: true }).waitFor();
  await page.goto(`/o/${org.code}/test/deliveries`);
  await page.getByRole('table', { name: 'Deliveries' }).waitFor();
});

test('a delivery that has begun a run names it', { skip }, async (context) => {
  const { org, founder } = await shop();
  const content = { name: 'note', steps: [{ id: 'one', type: 'transform', value: 1 }] };
  const made = await manage(org, 'POST', '/config/logicblock', { body: { name: 'note', content } });
  assert.equal(made.status, 201, made.text);
  await makeEvent(org, 'runs', '', { event_type: 'logicblock', destination_config: { logicblock: 'note' } });
  await create(founder, 'order', {});
  const [delivery] = await deliveries(org, '?state=delivered', (found) => found.length === 1);
  const page = await signedIn(context, org);
  await page.goto(`/o/${org.code}/test/deliveries/${delivery?.id}`);
  await page.getByRole('button', { name: `Copy the run id ${delivery?.id}` }).waitFor();
  await page.getByRole('link', { name: 'Show the run' }).click();
  await page.waitForURL(`**/o/${org.code}/test/runs/${delivery?.id}`);
  await page.getByText('note').first().waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'runs', exact: true }).click();
  await page.getByText('Runs the logic block').waitFor();
  await assertAccessible(page);
  // A tab that this event does not have.
  await page.goto(`/o/${org.code}/test/events/runs?tab=secret`);
  await page.getByRole('tab', { name: 'Definition', selected: true }).waitFor();
  await assertBecomes(() => page.getByRole('button', { name: 'Make a new secret' }).count(), 0);
});

test('a developer sees events of production, and why their buttons are for admins', { skip }, async (context) => {
  const { org } = await shop();
  await provision(org);
  const receiver = await startReceiver(context);
  await makeEvent(org, 'tell', receiver.url);
  await deploy(org);
  const email = `dev-${org.code}@example.com`;
  await joinOrg(org, 'developer', email);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, { email });
  await page.goto(`/o/${org.code}/prod/events`);
  await page.getByRole('link', { name: 'tell', exact: true }).click();
  await page.getByRole('heading', { name: 'tell', level: 1 }).waitFor();
  const reasonOf = (name: string) => page.getByRole('button', { name }).getAttribute('aria-description');
  const admins = 'Only an admin of the org may do this.';
  await assertBecomes(() => reasonOf('Pause'), admins);
  await assertBecomes(() => reasonOf('Edit the definition'), /^Production changes by deploys only/);
  await tabOf(page, 'Test').click();
  await assertBecomes(() => reasonOf('Send the sample'), admins);
  await tabOf(page, 'Signing secret').click();
  await assertBecomes(() => reasonOf('Make a new secret'), admins);
  await assertAccessible(page);
  await tabOf(page, 'Deliveries').click();
  await assertBecomes(() => reasonOf('Send these again'), admins);
  await assertBecomes(async () => (await manage(org, 'GET', '/events/state?env=prod')).status, 200);
});
