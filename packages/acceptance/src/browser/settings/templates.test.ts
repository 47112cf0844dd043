import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBecomes } from '../../eventually.ts';
import { act, allow, list } from '../../org.ts';
import { founderOf, multiOrg, putSetting } from '../../workspaces.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

test('an admin sees which workspaces differ from the template, what would change in each, and applies it', {
  skip,
}, async (context) => {
  const org = await multiOrg(platform);
  const clerk = (action: string) => ({ name: 'clerk', statements: [allow(action)] });
  const template = (action: string) =>
    putSetting(org, 'tenancy', 'workspace_templates', { policies: [clerk(action)], groups: [] });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/settings`);
  await page.getByRole('link', { name: 'Workspace templates', exact: true }).click();
  await page.getByRole('heading', { name: 'No workspaces yet' }).waitFor();
  await assertAccessible(page);

  await template('get*');
  const [plain, local] = [await founderOf(org, 'Plain <b>x</b>'), await founderOf(org, 'Local')];
  const [policy] = (await list(local, 'aclpolicy', '?name=clerk')).items;
  await act(local, 'PUT', `/update/aclpolicy/${policy?.id}`, { body: { statements: [allow('count*')] } });
  await template('list*');
  await page.reload();
  const workspaces = page.getByRole('table', { name: 'Workspaces' });
  await workspaces.getByRole('link', { name: 'Plain <b>x</b>' }).waitFor();
  await assertAccessible(page);
  const chosen = page.getByRole('button', { name: 'Apply to the chosen ones' });
  await assertBecomes(() => chosen.getAttribute('aria-description'), 'Choose workspaces in the list first.');
  await workspaces.getByRole('link', { name: 'Local' }).click();
  await page.getByText('An application leaves it').waitFor();
  await page.getByRole('region', { name: 'Policy clerk in the workspace' }).getByText('count*').waitFor();
  await assertAccessible(page);

  await page.getByRole('link', { name: 'All workspaces' }).click();
  await page.getByRole('button', { name: 'Apply to all that differ' }).click();
  await assertAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Show what changes' }).click();
  await page.getByText('1 workspace of 2 would change.').waitFor();
  await page.getByText('Members may do more', { exact: true }).first().waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Apply it' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: /^Type / }).fill(org.code);
  await dialog.getByRole('button', { name: 'Apply the template' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByRole('checkbox', { name: /may do more afterwards/ }).check();
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'Apply the template' }).click();
  await page.getByText('1 of 1 workspace changed.').waitFor();
  await assertAccessible(page);
  const stored = (await list(plain, 'aclpolicy', '?name=clerk')).items[0];
  assert.deepEqual(stored?.statements, [{ Effect: 'Allow', Action: ['list*'], Resource: ['*'] }]);
  const kept = (await list(local, 'aclpolicy', '?name=clerk')).items[0];
  assert.deepEqual(kept?.statements, [{ Effect: 'Allow', Action: ['count*'], Resource: ['*'] }]);
  await page.getByRole('link', { name: 'All workspaces' }).click();
  await page.getByRole('table', { name: 'Applications' }).getByText('1 of 1 changed').waitFor();

  await page.getByRole('button', { name: 'Apply to all that differ' }).click();
  await dialog.getByRole('checkbox', { name: /^Also replace what workspaces have changed/ }).check();
  await dialog.getByRole('button', { name: 'Show what changes' }).click();
  await page.getByText('1 workspace of 2 would change.').waitFor();
  await page.getByText('What workspaces have changed or removed themselves is replaced too.').waitFor();
  await page.getByRole('table', { name: 'Workspaces that change' }).getByRole('link', { name: 'local' }).click();
  await page.getByText(/^This application replaces it, although the workspace/).waitFor();
  await assertAccessible(page);
  await page.goBack();
  await page.getByRole('button', { name: 'Apply it' }).click();
  await dialog.getByText('Their own content is not kept.').waitFor();
  await dialog.getByRole('textbox', { name: /^Type / }).fill(org.code);
  await dialog.getByRole('checkbox', { name: /may do more afterwards/ }).check();
  await dialog.getByRole('button', { name: 'Apply the template' }).click();
  await page.getByText('1 of 1 workspace changed.').waitFor();
  const replaced = (await list(local, 'aclpolicy', '?name=clerk')).items[0];
  assert.deepEqual(replaced?.statements, [{ Effect: 'Allow', Action: ['list*'], Resource: ['*'] }]);
});
