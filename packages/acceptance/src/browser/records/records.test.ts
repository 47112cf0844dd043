import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { creating, together } from '../../batches.ts';
import { assertBecomes } from '../../eventually.ts';
import { allow, create, defineEntity, foundedOrg, memberWith, withFields } from '../../org.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { retype, signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

const canary = '<img src=x onerror=alert(1)>';

const customer = { entityName: 'customer', UpdateParams: [{ name: 'name' }] };
const ticket = {
  entityName: 'ticket',
  UpdateParams: [
    { name: 'number', colType: 'integer', index: true },
    { name: 'subject', search: true },
    { name: 'status', colType: 'enum', enumValues: ['open', 'closed'], index: true },
    { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } },
    { name: 'is_paid', colType: 'boolean' },
    { name: 'due', colType: 'datetime' },
    { name: 'tags', colType: 'array' },
    { name: 'notes', colType: 'json' },
    { name: 'secret', colType: 'encrypted' },
  ],
};

/** A workspace with 250 tickets, and the list of them as the builder sees it. */
async function ticketsOn(context: TestContext) {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, customer);
  await defineEntity(org, ticket);
  const { id } = await create(founder, 'customer', { name: canary });
  const bodies = Array.from({ length: 250 }, (_, at) => ({
    number: at,
    subject: at === 249 ? canary : `Lamp ${at}`,
    status: at % 5 === 0 ? 'closed' : 'open',
    customer_id: id,
    is_paid: at % 2 === 0,
    due: '2026-11-20T09:30:00Z',
    tags: [canary],
    notes: { text: canary },
    secret: 'never to be seen',
  }));
  for (let at = 0; at < bodies.length; at += 100)
    await together(
      founder,
      bodies.slice(at, at + 100).map((body) => creating('ticket', body)),
    );
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  return { org, founder, page };
}

const gridOf = (page: Page) => page.getByRole('grid', { name: 'Records of ticket' });
const rowOf = (page: Page, number: number) =>
  gridOf(page)
    .getByRole('row')
    .filter({ has: page.getByRole('gridcell', { name: String(number), exact: true }) });

test('a builder chooses a workspace and an entity, and goes through its records by the keyboard', {
  skip,
}, async (context) => {
  const { page } = await ticketsOn(context);
  await page.getByRole('link', { name: 'Records' }).click();
  await page.getByRole('heading', { name: 'Choose a workspace' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: /^main/ }).click();
  await page.getByRole('textbox', { name: 'Search entities' }).fill('tick');
  await page.getByRole('link', { name: 'ticket' }).click();
  await page.getByText('250 records · 100 read').waitFor();
  await rowOf(page, 249).getByText(canary).first().waitFor();
  await rowOf(page, 249).getByText('2026-11-20 09:30:00').waitFor();
  await rowOf(page, 249).getByText('never shown').waitFor();
  await assertAccessible(page);
  const grid = gridOf(page);
  await grid.focus();
  for (const key of ['ArrowDown', 'ArrowRight', ' ', 'Shift+ArrowDown', 'Shift+ArrowDown'])
    await page.keyboard.press(key);
  await page.getByText('3 selected').waitFor();
  await assertBecomes(() => rowOf(page, 246).getByRole('checkbox').isChecked(), true);
  // The page behind the last record is read as one comes near to it.
  await page.keyboard.press('Control+End');
  await page.getByText('250 records · 200 read').waitFor();
  await page.keyboard.press('Control+End');
  await page.getByText('250 records · no index used').waitFor();
  await page.keyboard.press('Control+End');
  await rowOf(page, 0).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/[?&]r=[0-9a-f-]{36}/);
  await page.getByRole('dialog', { name: 'ticket', exact: true }).getByRole('tab', { name: 'Fields' }).waitFor();
  await page.keyboard.press('Escape');
  await page.waitForFunction(`document.activeElement?.getAttribute('role') === 'grid'`);
  await page.keyboard.press('Control+Home');
  await rowOf(page, 249).waitFor();
});

test('the first record of an entity is in its list once it is created, and a refresh reads an empty list again', {
  skip,
}, async (context) => {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, customer);
  await defineEntity(org, { ...customer, entityName: 'supplier' });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/records/customer?w=main`);
  await page.getByRole('heading', { name: 'No records yet' }).waitFor();
  await page.getByRole('button', { name: 'New record' }).click();
  const form = page.getByRole('dialog', { name: 'New customer' });
  await form.getByRole('textbox', { name: 'name', exact: true }).fill('Ann');
  await form.getByRole('button', { name: 'Create the customer' }).click();
  await page.getByRole('button', { name: 'Close the record' }).click();
  await page.getByRole('grid', { name: 'Records of customer' }).getByText('Ann').waitFor();
  await page.getByText('1 record · ').waitFor();

  await page.goto(`/o/${org.code}/test/records/supplier?w=main`);
  await page.getByRole('heading', { name: 'No records yet' }).waitFor();
  await create(founder, 'supplier', { name: 'Bob' });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByRole('grid', { name: 'Records of supplier' }).getByText('Bob').waitFor();
});

test('a list is filtered, searched, sorted with an index and without one, and its columns are chosen', {
  skip,
}, async (context) => {
  const { org, page } = await ticketsOn(context);
  await page.goto(`/o/${org.code}/test/records/ticket?w=main`);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('combobox', { name: 'Field' }).click();
  await page.getByRole('option', { name: 'status' }).click();
  await page.getByRole('combobox', { name: 'Value' }).click();
  await page.getByRole('option', { name: 'closed' }).click();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Add the filter' }).click();
  await page.getByText('50 records').waitFor();
  await assertBecomes(() => page.url(), /status%3Aeq%3Aclosed/);
  await gridOf(page).getByRole('button', { name: 'number' }).click();
  await rowOf(page, 0).waitFor();
  await assertBecomes(
    () => gridOf(page).getByRole('columnheader', { name: 'number' }).getAttribute('aria-sort'),
    'ascending',
  );
  // The platform sorts by a field without an index as well.
  await gridOf(page).getByRole('button', { name: 'subject' }).click();
  await gridOf(page).getByRole('button', { name: 'subject' }).click();
  await rowOf(page, 95).waitFor();
  await assertBecomes(
    () => gridOf(page).getByRole('columnheader', { name: 'subject' }).getAttribute('aria-sort'),
    'descending',
  );
  await gridOf(page).getByRole('button', { name: 'tags' }).click();
  await page.getByText('Values of this type have no order').waitFor();
  await assertAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Remove the filter: status is closed' }).click();
  await page.getByRole('textbox', { name: 'Search words' }).fill('lamp 24');
  await page.getByText('10 records').waitFor();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'tags' }).uncheck();
  await page.getByRole('button', { name: 'Move number to the right' }).click();
  await assertAccessible(page);
  await page.keyboard.press('Escape');
  await page.goto(`/o/${org.code}/test/records/ticket?w=main`);
  await page.getByText('250 records').waitFor();
  const headers = await gridOf(page).getByRole('columnheader').allInnerTexts();
  assert.ok(!headers.some((name) => name.includes('tags')));
  assert.ok(
    headers.findIndex((name) => name.includes('subject')) < headers.findIndex((name) => name.includes('number')),
  );
  await page.getByRole('textbox', { name: 'Search words' }).fill('nowhere');
  await page.getByRole('heading', { name: 'No record is in this list' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Show all records' }).click();
  await page.getByText('250 records').waitFor();
});

test('records are read in the name of a user: what a policy hides is marked, and a denial is explained', {
  skip,
}, async (context) => {
  const { org, founder, page } = await ticketsOn(context);
  const user = await memberWith(founder, [withFields(allow(['listticket', 'getticket']), 'number', 'subject')]);
  await page.goto(`/o/${org.code}/test/records/ticket?w=main`);
  await page.getByRole('button', { name: 'Read as you' }).click();
  await page.getByRole('button', { name: new RegExp(`^${user.email}`) }).click();
  await page.getByText(`Read as ${user.email}`).waitFor();
  await rowOf(page, 249).getByText('hidden').first().waitFor();
  await assertAccessible(page);
  await page.goto(page.url().replace('/ticket', '/customer'));
  await page.getByRole('alert').getByText('access_denied').waitFor();
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByText('No statement allows it').waitFor();
  await assertAccessible(page);
});

test('an expression is completed, and its mistake shown where it is; a list is kept under a name', {
  skip,
}, async (context) => {
  const { org, page } = await ticketsOn(context);
  await page.goto(`/o/${org.code}/test/records/ticket?w=main`);
  await page.getByRole('button', { name: 'Expression' }).click();
  const editor = page.getByRole('textbox', { name: 'Filter expression' });
  await editor.pressSequentially('customer_id.na');
  await page.getByRole('option', { name: 'name' }).waitFor();
  await assertAccessible(page);
  await page.keyboard.press('Escape');
  await retype(editor, 'status == "open" && nothing > 3');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('alert').getByText('At character 21').waitFor();
  await assertBecomes(() => page.locator('.cm-lintRange-error').innerText(), 'nothing');
  await assertAccessible(page);
  await retype(editor, 'status == "open" && number < 10');
  await page.keyboard.press('Enter');
  await page.getByText('8 records').waitFor();
  await page.getByRole('combobox', { name: 'Order' }).click();
  await page.getByRole('option', { name: 'Oldest first' }).click();
  await rowOf(page, 1).waitFor();
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('textbox', { name: 'Name of the view' }).fill(canary);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('kept in this browser only').waitFor();
  await assertAccessible(page);
  await page.goto(`/o/${org.code}/test/records/ticket?w=main`);
  await page.getByText('250 records').waitFor();
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('button', { name: canary, exact: true }).click();
  await page.getByText('8 records').waitFor();
  await assertBecomes(() => editor.innerText(), 'status == "open" && number < 10');
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('button', { name: `Remove the view ${canary}` }).click();
  await page.getByRole('button', { name: canary, exact: true }).waitFor({ state: 'detached' });
});
