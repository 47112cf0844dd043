import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signUp } from '../../org.ts';
import { askPlan, auditOf, withOperator } from '../../plans.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { operateAt } from './operator-pages.ts';

const platform = skip === false ? await consolePlatform(withOperator) : { app: '', management: '' };

test('an operator gives an org a plan by its name, and one with limits of its own', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const org = await signUp(platform);
  await operateAt(page, `/orgs/${org.code}`);
  await page.getByText('The org was given no plan yet, so nothing is limited.').waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Change the plan' }).click();
  await page.getByRole('radio', { name: 'Free' }).check();
  const limits = page.getByRole('table', { name: 'Limits that will be set' });
  await limits.getByRole('row', { name: 'Entities of an environment' }).getByText('25').waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Set the plan' }).click();
  await page.getByText('The plan is set.').waitFor();
  const free = (await askPlan(org, 'GET', org.code)).body;
  assert.deepEqual([free.name, free.limits.entities, free.limits.records], ['free', 25, 10_000]);
  await page.getByRole('button', { name: 'Change the plan' }).click();
  await page.getByRole('radio', { name: 'A plan of its own' }).check();
  await page.getByRole('textbox', { name: 'Name of the plan' }).fill('Acme 2026');
  await limits.getByRole('textbox', { name: 'Records', exact: true }).fill('');
  await limits.getByRole('checkbox', { name: 'Entities of an environment: Unlimited' }).check();
  await page.getByRole('button', { name: 'Set the plan' }).click();
  await page.getByText('Lower-case letters, digits, - and _').waitFor();
  await limits.getByText('Type a number, or choose Unlimited.').waitFor();
  await assertAccessible(page);
  await page.getByRole('textbox', { name: 'Name of the plan' }).fill('acme-2026');
  await limits.getByRole('textbox', { name: 'Records', exact: true }).fill('1234');
  await page.getByRole('button', { name: 'Set the plan' }).click();
  await page.getByText('The plan is set.').waitFor();
  const own = (await askPlan(org, 'GET', org.code)).body;
  assert.deepEqual([own.name, own.limits.entities, own.limits.records], ['acme-2026', undefined, 1234]);
  const shown = page.getByRole('table', { name: 'Limits of the plan' });
  await shown.getByRole('row', { name: 'Records', exact: false }).getByText('1,234').waitFor();
  assert.deepEqual(
    (await auditOf(org)).filter((action) => action.startsWith('plan.')),
    ['plan.changed', 'plan.changed'],
  );
});

test('an org that is not there is said to be missing', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  await operateAt(page, '/orgs/nowhere');
  await page.getByRole('heading', { name: 'No org has this code' }).waitFor();
  await assertAccessible(page);
});
