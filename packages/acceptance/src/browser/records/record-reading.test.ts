import { type TestContext, test } from 'node:test';
import { assertBecomes } from '../../eventually.ts';
import { allow, create, defineEntity, foundedOrg, memberWith, signUp, withCondition } from '../../org.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

async function ordersOn(test: TestContext) {
  const { org, founder } = await foundedOrg(platform);
  const fields = [{ name: 'title' }, { name: 'status' }, { name: 'sent_at', colType: 'datetime' }];
  await defineEntity(org, { entityName: 'order', UpdateParams: fields });
  const page = await (await openBrowser(test, platform)).newPage();
  await signInAs(page, org.builder);
  return { org, founder, page, address: `/o/${org.code}/test/records/order?w=${founder.tenantCode}` };
}

test('once a record is created by the keyboard, the focus is on its heading', { skip }, async (context) => {
  const { org, page, address } = await ordersOn(context);
  await page.goto(address);
  await page.getByRole('button', { name: 'New record' }).press('Enter');
  await page.getByRole('dialog').getByRole('textbox', { name: 'title' }).press('L');
  await page.getByRole('button', { name: 'Create the order' }).press('Enter');
  const panel = page.getByRole('dialog', { name: 'order', exact: true });
  await panel.getByRole('tab', { name: 'Fields' }).waitFor();
  await assertBecomes(() => page.evaluate('document.activeElement.innerText'), 'order');
  // The builder who made it is known by the address of the account.
  await panel.getByRole('region', { name: 'About the record' }).getByText(org.builder.email).first().waitFor();
  await assertAccessible(page);
});

test('a user who may read a record and not change it is named in the refusal, which leads to the reasons', {
  skip,
}, async (context) => {
  const { founder, page, address } = await ordersOn(context);
  const { id } = await create(founder, 'order', { title: 'Lamp', status: 'closed', sent_at: '2026-11-20T09:30:00Z' });
  const ofOpen = withCondition(allow('updateorder'), { StringEquals: { 'record.status': 'open' } });
  const reader = await memberWith(founder, [allow(['getorder', 'listorder', 'countorder']), ofOpen]);
  await page.goto(`${address}&u=${reader.id}`);
  // Cells are times in UTC, as the form says of its own.
  await page.getByRole('columnheader', { name: 'sent_at UTC' }).waitFor();
  await page.getByRole('columnheader', { name: 'created_at UTC' }).waitFor();
  await page.goto(`${address}&u=${reader.id}&r=${id}`);
  const panel = page.getByRole('dialog', { name: 'order', exact: true });
  const facts = panel.getByRole('region', { name: 'About the record' });
  await facts.getByText(founder.email).first().waitFor();
  await panel.getByRole('textbox', { name: 'title' }).fill('My lamp');
  await panel.getByRole('button', { name: 'Save' }).click();
  await panel.getByText(`${reader.email} may read this record, but not change it.`).waitFor();
  await panel.getByRole('button', { name: /Copy the request id/ }).waitFor();
  await assertAccessible(page);
  await panel.getByRole('button', { name: 'Discard the changes' }).waitFor();
  const [simulator] = await Promise.all([
    page.context().waitForEvent('page'),
    panel.getByRole('link', { name: 'See which policies decide it' }).click({ modifiers: ['ControlOrMeta'] }),
  ]);
  await simulator.getByRole('heading', { name: 'Simulator', level: 1 }).waitFor();
  await simulator.getByText('update', { exact: false }).first().waitFor();
});

test('an org without a workspace is led to where one is made', { skip }, async (context) => {
  const org = await signUp(platform);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/records`);
  await page.getByText('None yet.').waitFor();
  await assertAccessible(page);
  const content = page.getByRole('main');
  await content.getByRole('link', { name: 'App users' }).waitFor();
  await content.getByRole('link', { name: 'Workspaces' }).click();
  await page.getByRole('heading', { name: 'Workspaces', level: 1 }).waitFor();
});
