import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '../../call.ts';
import { assertBecomes } from '../../eventually.ts';
import { appUrl, defineEntity, definition, foundedOrg, signUp } from '../../org.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { newOrgOn, signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

test('a service key is created for a workspace with policies, shown once, used, and revoked by its name', {
  skip,
}, async (context) => {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByRole('heading', { name: 'No service keys in test' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'New service key' }).click();
  const dialog = page.getByRole('dialog', { name: 'New service key' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Nightly import');
  await dialog.getByRole('combobox', { name: 'Workspace' }).click();
  await page.getByRole('option', { name: founder.tenantCode }).click();
  await dialog.getByRole('combobox', { name: 'Policies' }).click();
  await page.getByRole('option', { name: 'vieweracl' }).click();
  await page.keyboard.press('Escape');
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'Create the key' }).click();
  await dialog.getByText('Copy the key now. It is not shown again.').waitFor();
  await assertAccessible(page);
  const key = await dialog.getByRole('region', { name: 'The key' }).innerText();
  assert.match(key, /^fhk_test_[\w-]{43}$/);
  await dialog.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('table', { name: 'Service keys of test' }).getByRole('row', { name: 'Nightly import' });
  await row.getByText('not yet').waitFor();
  const list = () => call('GET', appUrl(org, '/list/order'), { token: key });
  await assertBecomes(async () => (await list()).status, 200);
  assert.ok(!(await page.content()).includes(key));
  await row.getByRole('link', { name: 'What it may do' }).click();
  await page.getByText('vieweracl').first().waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Revoke the key Nightly import' }).click();
  const confirmation = page.getByRole('dialog', { name: 'Revoke the service key Nightly import' });
  await confirmation.getByRole('textbox').fill('Nightly');
  await confirmation.getByRole('button', { name: 'Revoke the key', disabled: true }).waitFor();
  await confirmation.getByRole('textbox').fill('Nightly import');
  await assertAccessible(page);
  await confirmation.getByRole('button', { name: 'Revoke the key' }).click();
  await page.getByRole('heading', { name: 'No service keys in test' }).waitFor();
  await assertBecomes(async () => (await list()).status, 401);
});

test('a deploy key is created, shown once, and revoked; what is wrong stands at its field', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const { code } = await newOrgOn(page, platform);
  await page.goto(`/o/${code}/test/keys`);
  await page.getByRole('button', { name: 'New deploy key' }).click();
  const dialog = page.getByRole('dialog', { name: 'New deploy key' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('ci');
  await dialog.getByRole('radio', { name: 'Activate' }).check();
  await dialog.getByLabel('Expires after').fill('2001-01-01');
  await dialog.getByRole('button', { name: 'Create the key' }).click();
  await dialog.getByText('Choose a day to come.').waitFor();
  await assertAccessible(page);
  await dialog.getByLabel('Expires after').fill('2999-12-31');
  await dialog.getByRole('button', { name: 'Create the key' }).click();
  const key = await dialog.getByRole('region', { name: 'The key' }).innerText();
  assert.match(key, /^fhd_[\w-]{43}$/);
  await dialog.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('table', { name: 'Deploy keys' }).getByRole('row', { name: 'ci' });
  await row.getByText('activate and roll back').waitFor();
  await page.getByRole('button', { name: 'Revoke the key ci' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('ci');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke the key' }).click();
  await page.getByRole('heading', { name: 'No deploy keys' }).waitFor();
});

test('the names of keys are text', { skip }, async (context) => {
  const org = await signUp(platform);
  const canary = '<img src=x onerror=alert(1)>';
  const body = { name: canary, scope: 'publish' };
  const made = await call('POST', `${org.management}/deploy/keys`, { token: org.builder.token, body });
  assert.equal(made.status, 201, made.text);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/keys`);
  await page.getByText(canary).waitFor();
});
