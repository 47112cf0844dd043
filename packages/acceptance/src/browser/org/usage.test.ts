import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { assertBecomes } from '../../eventually.ts';
import { create, defineEntity, definition, foundedOrg } from '../../org.ts';
import { givePlan, withOperator } from '../../plans.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { newOrgOn, signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform(withOperator) : { app: '', management: '' };

test('a builder sees what the org uses of its plan, where, and the rows behind a number', { skip }, async (context) => {
  const { org, founder } = await foundedOrg(platform);
  for (const name of ['order', 'item']) await defineEntity(org, definition(name, [{ name: 'title' }]));
  for (const title of ['a', 'b', 'c']) await create(founder, 'order', { title });
  await create(founder, 'item', { title: 'd' });
  await givePlan(org, { records: 5, entities: 10 });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('heading', { name: 'Usage and plan', level: 1 }).waitFor();
  const plan = page.getByRole('table', { name: 'Plan' });
  await plan.getByRole('row', { name: /^Records 4 5/ }).waitFor();
  await plan.getByRole('progressbar', { name: 'Records: 80 % of the limit' }).waitFor();
  await plan.getByRole('row', { name: /^Entities 2 10/ }).waitFor();
  await page.getByRole('alert').getByText('80 % of the plan’s 5 records are used: 4').waitFor();
  await page.getByRole('img', { name: /^Calls by day: \d+ calls from / }).waitFor();
  const byEntity = page.getByRole('table', { name: 'Records by entity' });
  const rowsShown = async () => (await byEntity.getByRole('row').allInnerTexts()).map((text) => text.trim());
  await assertBecomes(rowsShown, ['Entity\tRecords', 'order\t3', 'item\t1']);
  await page.getByRole('table', { name: 'By workspace' }).getByText(`${founder.tenantCode}, test`).waitFor();
  await assertAccessible(page);
  await plan.getByRole('button', { name: 'Explain Records' }).click();
  const drawer = page.getByRole('dialog', { name: 'What counts as records' });
  const rows = drawer.getByRole('table', { name: 'Rows' });
  await rows.getByRole('row', { name: 'Sum 4' }).waitFor();
  await rows.getByRole('row', { name: `test ${founder.tenantCode} order 3` }).waitFor();
  await assertBecomes(() => page.url(), /explain=records\.total/);
  await assertAccessible(page);
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'hidden' });
});

test('days and environment stand in the address, each chart is a table too, and the rows are a file', {
  skip,
}, async (context) => {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  await create(founder, 'order', { title: 'a' });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/usage?days=7&of=test`);
  const chart = page.getByRole('region', { name: 'Records added by day' });
  await chart.getByText('1 record in 7 days').waitFor();
  await chart.getByText('Show as a table').click();
  await assertBecomes(() => chart.getByRole('row').count(), 8);
  await assertAccessible(page);
  await page.getByRole('combobox', { name: 'Days' }).selectOption('90');
  await chart.getByText('1 record in 90 days').waitFor();
  await assertBecomes(() => page.url(), /days=90/);
  await page.getByRole('combobox', { name: 'Environment' }).selectOption('prod');
  await chart.getByText('0 records in').waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('combobox', { name: 'What' }).selectOption('records');
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  const file = readFileSync(await (await saved).path(), 'utf8');
  assert.deepEqual(file.split('\r\n').slice(0, 2), [
    'metric,env,date,tenant_code,entity,value',
    `records,test,,${founder.tenantCode},order,1`,
  ]);
  await page.goto(`/o/${org.code}/test/usage?days=oops&explain=nothing`);
  await page.getByRole('heading', { name: 'Usage and plan', level: 1 }).waitFor();
});

test('a new org sees that nothing is used yet', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const { code } = await newOrgOn(page, platform);
  await page.goto(`/o/${code}/test/usage`);
  await page.getByText('There are no records yet.').waitFor();
  await page.getByText('No workspace has been called or has records yet.').waitFor();
  await assertAccessible(page);
});
