import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { creating, together } from '../../batches.ts';
import { assertBecomes } from '../../eventually.ts';
import { allow, create, defineEntity, foundedOrg, memberWith, withCondition, withFields } from '../../org.ts';
import { deploy, prodFounder } from '../../promotion.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

const canary = '<img src=x onerror=alert(1)>';

const order = {
  entityName: 'order',
  UpdateParams: [
    { name: 'title' },
    { name: 'status', colType: 'enum', enumValues: ['open', 'paid'], index: true },
    { name: 'amount', colType: 'integer' },
    { name: 'price', colType: 'number' },
    { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } },
    { name: 'due', colType: 'date' },
    { name: 'notes', colType: 'json' },
  ],
};

/** Four orders of each of January, February and April 2026 and one without a due day, amounts 1 to 13, the odd ones open. */
async function ordersOn(context: TestContext) {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, { entityName: 'customer', UpdateParams: [{ name: 'name' }] });
  await defineEntity(org, order);
  const { id } = await create(founder, 'customer', { name: canary });
  const bodies = Array.from({ length: 13 }, (_, at) => ({
    title: `Order ${at + 1}`,
    status: at % 2 === 0 ? 'open' : 'paid',
    amount: at + 1,
    price: (at + 1) / 4,
    customer_id: id,
    ...(at === 12 ? {} : { due: `2026-0${[1, 2, 4][Math.floor(at / 4)]}-15` }),
  }));
  await together(
    founder,
    bodies.map((body) => creating('order', body)),
  );
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  const calls: string[] = [];
  page.on('request', (request) => request.url().includes('/aggregate/') && calls.push(request.url()));
  return { org, founder, page, calls, address: `/o/${org.code}/test/records/order?w=main` };
}

const total = (page: Page, name: string | RegExp) =>
  page.getByRole('grid', { name: 'Records of order' }).getByRole('button', { name, exact: typeof name === 'string' });

const chartOf = (page: Page) => page.getByRole('region', { name: 'Chart of order' });

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** The cells of each row of a table but its head, without the bars. */
async function rowsOf(page: Page, name: string): Promise<readonly (readonly string[])[]> {
  const rows = await page.getByRole('table', { name }).locator('tbody tr').all();
  return await Promise.all(rows.map((row) => row.locator('td:not([aria-hidden])').allInnerTexts()));
}

test('totals stand below the columns of numbers, follow the filter, and are chosen by the keyboard', {
  skip,
}, async (context) => {
  const { page, calls, address } = await ordersOn(context);
  await page.goto(address);
  await page.getByText('13 records').waitFor();
  assert.deepEqual(calls, []);
  await page.getByRole('button', { name: 'Totals' }).click();
  await total(page, 'Sum of amount: 91').waitFor();
  await total(page, 'Sum of price: 22.75').waitFor();
  await page.getByText('Totals of 13 records').waitFor();
  assert.equal(calls.length, 1, 'one call for all columns');
  assert.equal(new URL(calls[0] ?? '').searchParams.get('$measure'), 'count,sum:amount,sum:price');
  await assertAccessible(page);

  await total(page, /of price/).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Average' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('menuitem', { name: 'Sum' }).focus();
  for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key);
  await total(page, 'Average of price: 1.75').waitFor();
  await assertBecomes(() => new URL(page.url()).searchParams.get('t'), 'count,sum:amount,avg:price');

  await page.goto(`${page.url()}&f=${encodeURIComponent('["status:eq:paid"]')}`);
  await total(page, 'Sum of amount: 42').waitFor();
  await page.getByText('Totals of 6 records').waitFor();
  await total(page, /of amount/).click();
  await page.getByRole('menuitem', { name: 'None' }).click();
  await total(page, 'No total of amount').waitFor();

  // Where no record is shown there is nothing to add up.
  await page.goto(`${address}&t=count&f=${encodeURIComponent('["amount:gt:99"]')}`);
  calls.length = 0;
  await page.getByRole('heading', { name: 'No record is in this list' }).waitFor();
  await page.waitForLoadState('networkidle');
  assert.deepEqual(calls, []);
});

test('totals and charts of a part of the records say so, and so does a list that stopped', {
  skip,
}, async (context) => {
  const { page, address } = await ordersOn(context);
  let reason = 'records';
  await page.route('**/aggregate/order?*', async (route) => {
    const response = await route.fetch();
    const whole = (await response.json()) as object;
    await route.fulfill({ response, json: { ...whole, nexttoken: null, partial: true, partial_reason: reason } });
  });
  await page.goto(`${address}&t=count,sum:amount`);
  await total(page, 'Sum so far of amount: 91').waitFor();
  await page.getByText('over the first 1,000,000 records, of which 13 records of this list were added up').waitFor();
  await assertAccessible(page);
  reason = 'time';
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('Not totals of the whole list: as far as 2 s reached').waitFor();
  await page.getByRole('button', { name: 'Chart' }).click();
  await chartOf(page).getByText('These are figures as far as 2 s reached alone').waitFor();
  await chartOf(page).getByText('Records by status: the first 2 groups').waitFor();
  await assertAccessible(page);
  await page.unroute('**/aggregate/order?*');

  await page.route('**/list/order?*', async (route) => {
    const response = await route.fetch();
    const whole = (await response.json()) as object;
    const cut = { nexttoken: 'x', partial: true, partial_reason: 'time', total: { atLeast: 13 } };
    await route.fulfill({ response, json: { ...whole, ...cut } });
  });
  await page.goto(address);
  await page.getByText('at least 13 records').waitFor();
  await page.getByText('One call takes 2 s at most, and they were over. There may be more.').waitFor();
  await assertAccessible(page);
});

test('totals and charts are of what the user may read, and a denial is explained', { skip }, async (context) => {
  const { org, founder, page, address } = await ordersOn(context);
  const may = (...fields: readonly string[]) => withFields(allow('listorder'), 'title', 'amount', ...fields);
  const isOpen = { StringEquals: { 'record.status': 'open' } };
  // The price is read in some records alone: those of the first page are all open.
  const part = await memberWith(founder, [may('status'), withCondition(may('status', 'price'), isOpen)]);
  await page.goto(`${address}&u=${part.id}&t=count,sum:amount,sum:price`);
  await total(page, 'Sum of amount: 91').waitFor();
  await page.getByText('price may not be read in every record').waitFor();
  await assertAccessible(page);
  await page.goto(`${address}&u=${part.id}&g=status&m=sum:price`);
  await chartOf(page).getByText('may not read it in every record').first().waitFor();
  await assertAccessible(page);

  const hidden = await memberWith(founder, [may('status')]);
  await page.goto(`${address}&u=${hidden.id}&g=status`);
  await chartOf(page).getByText('2 groups of 13 records').waitFor();
  await page.getByRole('combobox', { name: 'Figure' }).click();
  await page.getByRole('option', { name: 'Sum of amount' }).waitFor();
  await assertBecomes(() => page.getByRole('option', { name: /price/ }).count(), 0);

  const lister = await memberWith(founder, [allow('listorder', '/list/order')]);
  await page.goto(`${address}&u=${lister.id}&t=count`);
  await page.getByText('The totals could not be worked out.').waitFor();
  await page.getByText('13 records').waitFor();
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByText('No statement allows it').waitFor();

  const ofProduction = await prodFounder(org);
  await deploy(org);
  await create(ofProduction, 'order', { title: canary, amount: 7, status: 'paid' });
  const inProduction = `/o/${org.code}/prod/records/order?w=${ofProduction.tenantCode}&u=${ofProduction.id}`;
  await page.goto(`${inProduction}&t=count,sum:amount`);
  await page.getByRole('textbox', { name: 'Reason' }).fill('Ticket 4711');
  await page.getByRole('button', { name: 'View as this user' }).click();
  await total(page, 'Sum of amount: 7').waitFor();
  await page.getByRole('button', { name: 'Chart' }).click();
  await chartOf(page).getByText('Records by status: 1 group of 1 record').waitFor();
});

test('a list is shown as a chart of its groups with its filter, in bars and as a table', { skip }, async (context) => {
  const { page, address } = await ordersOn(context);
  await page.goto(`${address}&f=${encodeURIComponent('["amount:lte:12"]')}`);
  await page.getByText('12 records').waitFor();
  await page.getByRole('button', { name: 'Chart' }).click();
  await chartOf(page).getByText('Records by status: 2 groups of 12 records').waitFor();
  await choose(page, 'Figure', 'Sum of amount');
  await assertBecomes(
    () => rowsOf(page, 'Sum of amount by status').then((rows) => JSON.stringify(rows)),
    JSON.stringify([
      ['paid', '42', '6'],
      ['open', '36', '6'],
    ]),
  );
  await assertAccessible(page);

  await choose(page, 'Group by', 'customer_id');
  await chartOf(page).getByRole('button', { name: canary }).waitFor();
  await choose(page, 'Group by', 'due');
  const picture = chartOf(page).getByRole('img', {
    name: 'Sum of amount by month of due, from 2026-01 to 2026-04. The table below has each month.',
  });
  // March has no order, and its place is left free.
  await assertBecomes(
    () => picture.locator('title').allTextContents().then(String),
    '2026-01: 10,2026-02: 26,2026-04: 42',
  );
  const places = await picture.locator('rect').evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('x'))));
  assert.deepEqual(places, [0, 150, 450]);
  await chartOf(page).getByText('Show as a table').click();
  assert.deepEqual(await rowsOf(page, 'Sum of amount by month of due'), [
    ['2026-01', '10', '4'],
    ['2026-02', '26', '4'],
    ['2026-04', '42', '4'],
  ]);
  await assertAccessible(page);
  await choose(page, 'Each', 'quarter');
  await chartOf(page).getByText('2 groups of 12 records').waitFor();

  // All of it is in the address.
  await page.reload();
  await chartOf(page).getByText('Sum of amount by quarter of due: 2 groups of 12 records').waitFor();
  await page.setViewportSize({ width: 390, height: 800 });
  await assertAccessible(page);
  assert.ok(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'));

  // A group leads to the list of its records, by the keyboard as well.
  await chartOf(page).getByText('Show as a table').click();
  await chartOf(page).getByRole('button', { name: '2026-Q1' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('8 records').waitFor();
  await page.getByText('due is between 2026-01-01 and 2026-03-31').waitFor();
  await page.getByRole('button', { name: 'Remove the filter: amount is at most 12' }).waitFor();
});
