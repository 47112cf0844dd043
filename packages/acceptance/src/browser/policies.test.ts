import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertBecomes } from '../eventually.ts';
import { act, allow, create, defineEntity, definition, foundedOrg, list, manage, memberWith } from '../org.ts';
import { prodFounder } from '../promotion.ts';
import { assertAccessible } from './accessibility.ts';
import { consolePlatform, openBrowser, skip } from './browser.ts';
import { assertSeen, defineGreeting, retype, signInAs } from './console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };
const canary = '<img src=x onerror=alert(1)>';

const order = definition('order', [
  { name: 'title' },
  { name: 'status', colType: 'enum', enumValues: ['open', 'closed'], validate: true, required: false },
]);

async function orderedOrg() {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, order);
  await defineGreeting(org);
  return { org, founder, member: await memberWith(founder, []) };
}

const jsonOf = (page: Page) => page.getByRole('textbox', { name: 'Policy in JSON' });
const statementOf = (page: Page, number: number) => page.getByRole('region', { name: `Statement ${number}` });

test('a policy begins with a job, is given to a member, and what was denied is allowed', { skip }, async (context) => {
  const { org, member } = await orderedOrg();
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.getByRole('link', { name: 'Policies' }).click();
  await page.getByRole('heading', { name: 'Choose a workspace' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: /^main/ }).click();
  await page.getByRole('row', { name: /adminacl by the platform/i }).waitFor();
  await assertAccessible(page);

  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
  });
  await page.getByRole('button', { name: 'New policy' }).click();
  for (const role of ['Reporter', 'Contributor', 'Editor', 'Manager']) {
    await page.getByRole('radio', { name: role }).check();
    await jsonOf(page)
      .getByText(role === 'Manager' ? '"*order"' : '"createorder"')
      .waitFor();
    await page.getByText('Checked: nothing to remark').waitFor();
  }
  assert.deepEqual(refused, []);
  await page.getByRole('radio', { name: 'Viewer' }).check();
  // The name of the first role that was chosen stays.
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Viewer');
  await page.getByRole('combobox', { name: 'For the entities' }).click();
  await page.getByRole('option', { name: 'order' }).click();
  await page.keyboard.press('Escape');
  await jsonOf(page).getByText('"getorder"').waitFor();
  await page.getByText('Checked: nothing to remark').waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Save the policy' }).click();
  await page.getByRole('heading', { name: 'Viewer', level: 1 }).waitFor();

  await assertBecomes(async () => (await act(member, 'GET', '/list/order')).status, 403);
  await page.getByRole('tab', { name: 'Held by' }).click();
  await page.getByRole('combobox', { name: 'Give the policy to a member' }).fill(member.email);
  await page.getByRole('option', { name: member.email }).click();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('table', { name: 'Members who hold the policy' }).getByText(member.email).waitFor();
  await assertAccessible(page);
  await assertBecomes(async () => (await act(member, 'GET', '/list/order')).status, 200);

  assert.equal((await act(member, 'POST', '/create/order', { body: { title: 'a' } })).status, 403);
  await page.getByRole('tab', { name: 'Statements' }).click();
  const card = statementOf(page, 1);
  await card.getByRole('button', { name: 'Choose actions' }).click();
  // Its border is that of the design, in each colour scheme.
  const chooser = card.getByRole('group', { name: 'Choose actions' });
  await chooser.waitFor();
  const border = 'getComputedStyle(document.querySelector(\'fieldset[aria-label="Choose actions"]\')).borderTopStyle';
  assert.equal(await page.evaluate(border), 'solid');
  await card.getByText('create', { exact: true }).click();
  await card.getByRole('combobox', { name: 'Entities' }).click();
  await page.getByRole('option', { name: 'order', exact: true }).click();
  await page.keyboard.press('Escape');
  await card.getByRole('button', { name: 'Add createorder' }).click();
  await card.getByRole('button', { name: 'Matches 4 actions' }).click();
  await card.getByText('countorder').first().waitFor();
  await card.getByRole('button', { name: 'Choose actions' }).click();
  await card.getByRole('combobox', { name: 'Logic blocks to run' }).click();
  await page.getByRole('option', { name: 'greet', exact: true }).click();
  await page.keyboard.press('Escape');
  await assertAccessible(page);
  await card.getByRole('button', { name: 'Add rungreet' }).click();
  await card.getByRole('button', { name: 'Matches 5 actions' }).waitFor();
  await page.getByRole('button', { name: 'Try these statements' }).click();
  const trial = page.getByRole('region', { name: 'Trial of the statements' });
  await trial.getByText('Method and path').click();
  await trial.getByRole('textbox', { name: 'Path below the app' }).fill('/list/order');
  await trial.getByRole('region', { name: 'Decision' }).getByText('by the draft').waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' });
  assert.equal((await act(member, 'POST', '/create/order', { body: { title: 'a' } })).status, 201);
  assert.equal((await act(member, 'POST', '/logicblocks/greet')).status, 200);

  await page.getByRole('tab', { name: 'Held by' }).click();
  await page.getByRole('button', { name: `Take away from ${member.email}` }).click();
  await page.getByText('No member holds it directly.').waitFor();
  await assertBecomes(async () => (await act(member, 'GET', '/list/order')).status, 403);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete the policy Viewer?' });
  await dialog.getByText('No member holds it').waitFor();
  await dialog.getByRole('textbox', { name: 'Type Viewer to confirm it' }).fill('Viewer');
  await dialog.getByRole('button', { name: 'Delete the policy' }).click();
  await page.getByRole('heading', { name: 'Policies', level: 1 }).waitFor();
  await page.getByRole('textbox', { name: 'Search policies' }).fill('VIEW');
  await page.getByRole('link', { name: 'vieweracl' }).waitFor();
  await page.getByRole('link', { name: 'adminacl' }).waitFor({ state: 'detached' });
  await assertBecomes(() => page.url(), /q=VIEW/);
});

test('conditions and findings stand at their place, and neither a faster author nor the form loses a statement', {
  skip,
}, async (context) => {
  const { org, founder } = await orderedOrg();
  // The form has no row for an operator without keys.
  const unshown = { Condition: { Bool: {} }, Resource: '*', Action: 'getorder', Effect: 'Deny', Fields: ['title'] };
  const statements = [{ Effect: 'Allow', Action: 'listorder', Resource: ['*'], Sid: 'List' }, unshown];
  const { id } = await create(founder, 'aclpolicy', { name: canary, statements });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/policies/${id}?w=main`);
  await page.getByRole('heading', { name: canary, level: 1 }).waitFor();
  const card = statementOf(page, 1);
  await card.getByRole('button', { name: 'Add condition' }).click();
  // Half a condition is refused: left out, the statement would always apply.
  await card.getByRole('list', { name: 'Findings' }).getByText('is not a condition key').first().waitFor();
  await assertBecomes(
    () => page.getByRole('button', { name: 'Save', exact: true }).getAttribute('data-disabled'),
    'true',
  );
  await card.getByRole('combobox', { name: 'What' }).fill('record.colour');
  await page.keyboard.press('Enter');
  await card
    .getByRole('textbox', { name: /^Value/ })
    .or(card.getByRole('combobox', { name: /^Value/ }))
    .fill(canary);
  await page.keyboard.press('Enter');
  await card.getByRole('list', { name: 'Findings' }).getByText('has a field').waitFor();
  await assertAccessible(page);
  await card.getByRole('combobox', { name: 'What' }).fill('record.status');
  await page.keyboard.press('Enter');
  await card.getByRole('combobox', { name: 'Operator' }).click();
  await page.getByRole('option', { name: /^StringNotEquals is none/ }).click();
  await card.getByText('It also holds if there is no value.').waitFor();
  await card.getByRole('list', { name: 'Findings' }).getByText('is missing').waitFor();
  await jsonOf(page).getByText('"StringNotEquals"').waitFor();
  await statementOf(page, 2)
    .getByRole('button', { name: /Edited as JSON/ })
    .click();
  await statementOf(page, 2).getByText('The form cannot show this statement').waitFor();
  await assertAccessible(page);

  await page.getByRole('link', { name: 'Home' }).click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click();
  const faster = { name: 'Faster', statements: [allow('getorder')] };
  assert.equal((await act(founder, 'PUT', `/update/aclpolicy/${id}`, { body: faster })).status, 200);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'The policy was changed meanwhile.' });
  await assertSeen(alert);
  await alert.getByRole('button', { name: 'Show what is stored' }).click();
  await alert.getByText('"Faster"').waitFor();
  await assertAccessible(page);
  await alert.getByRole('button', { name: 'Save mine over it' }).click();
  await alert.waitFor({ state: 'detached' });
  const Condition = { StringNotEquals: { 'record.status': [canary] } };
  await assertBecomes(async () => {
    const stored = (await list(founder, 'aclpolicy', '?pagesize=200')).items.find((policy) => policy.id === id);
    return [stored?.name, stored?.statements];
  }, [canary, [{ ...statements[0], Condition }, unshown]]);

  await retype(jsonOf(page), JSON.stringify({ name: 'adminacl', statements: [{ Effect: 'Perhaps' }] }));
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
  await statementOf(page, 1)
    .getByText(/must be exactly/)
    .waitFor();
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await assertBecomes(() => save.getAttribute('aria-description'), /refuse/);
  await retype(jsonOf(page), JSON.stringify({ name: 'adminacl', statements: [unshown] }));
  await page.getByText('Checked: nothing to remark').waitFor();
  await save.click();
  await page.getByRole('alert').getByText('unique_violation').waitFor();
  await jsonOf(page).getByText('"adminacl"').waitFor();
});

test('a group gets a policy and members, another name, and goes', { skip }, async (context) => {
  const { org, founder, member } = await orderedOrg();
  await create(founder, 'aclpolicy', { name: 'readers', statements: [allow('listorder')] });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/groups?w=main`);
  await page.getByRole('row', { name: /default-admins by the platform 1 adminacl/i }).waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'New group' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('default-admins');
  await page.getByRole('button', { name: 'Create the group' }).click();
  await page.getByRole('alert').getByText('unique_violation').waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill(canary);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: canary, level: 1 }).waitFor();
  await page.getByRole('combobox', { name: 'Add a policy' }).fill('read');
  await page.getByRole('option', { name: 'readers' }).click();
  await page.getByRole('region', { name: 'Policies' }).getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('link', { name: 'readers' }).waitFor();
  await assertBecomes(async () => (await act(member, 'GET', '/list/order')).status, 403);
  await page.getByRole('combobox', { name: 'Add a member' }).fill(member.email);
  await page.getByRole('option', { name: member.email }).click();
  await page.getByRole('region', { name: 'Members' }).getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('table', { name: 'Members of the group' }).getByText(member.email).waitFor();
  await assertBecomes(async () => (await act(member, 'GET', '/list/order')).status, 200);
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('sellers');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { name: 'sellers', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'readers' }).click();
  await page.getByRole('heading', { name: 'readers', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const ofPolicy = page.getByRole('dialog', { name: 'Delete the policy readers?' });
  await ofPolicy.getByText('the group sellers holds it.').waitFor();
  await ofPolicy.getByRole('textbox', { name: 'Type readers to confirm it' }).fill('readers');
  await ofPolicy.getByRole('button', { name: 'Delete the policy', exact: true }).click();
  await ofPolicy.getByRole('alert').getByText('1 group holds it').waitFor();
  await ofPolicy.getByRole('alert').getByRole('code').getByText('force', { exact: true }).waitFor();
  await ofPolicy.getByRole('button', { name: 'Cancel' }).click();
  await page.goBack();
  await page.getByRole('heading', { name: 'sellers', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete the group sellers?' });
  await dialog.getByText('1 member loses what the group gives at once: readers.').waitFor();
  await assertAccessible(page);
  await dialog.getByRole('textbox', { name: 'Type sellers to confirm it' }).fill('sellers');
  await dialog.getByRole('button', { name: 'Delete the group', exact: true }).click();
  await dialog.getByRole('alert').getByText('1 user holds it').waitFor();
  await assertAccessible(page);
  assert.equal((await act(member, 'GET', '/list/order')).status, 200);
  await dialog.getByRole('button', { name: 'Take it from all and delete the group' }).click();
  await page.getByRole('row', { name: /default-admins/ }).waitFor();
  await assertBecomes(async () => (await act(member, 'GET', '/list/order')).status, 403);
});

test('what new workspaces get is edited by an admin of the org, and production shows and changes nothing', {
  skip,
}, async (context) => {
  const { org, founder } = await orderedOrg();
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/policies?view=templates`);
  await page.getByRole('heading', { name: 'No templates yet' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'New template' }).click();
  await page.getByRole('heading', { name: 'New template', level: 1 }).waitFor();
  await retype(jsonOf(page), JSON.stringify({ name: canary, statements: [allow('getorder')] }));
  await page.getByText('Checked: nothing to remark').waitFor();
  await page.getByRole('button', { name: 'Save the template' }).click();
  await page.getByRole('link', { name: canary }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('buyer');
  // Another admin adds one meanwhile, which the draft of this one leaves as it is.
  const path = '/config/settings/tenancy.workspace_templates';
  const other = { name: 'other', statements: [allow('listorder')] };
  const value = { policies: [{ name: canary, statements: [allow('getorder')] }, other], groups: [] };
  assert.equal((await manage(org, 'PUT', path, { body: { value } })).status, 200);
  await page.getByRole('button', { name: 'Save the template' }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'The templates were changed meanwhile.' });
  await assertSeen(alert);
  await alert.getByRole('button', { name: 'Save mine over it' }).click();
  await page.getByRole('link', { name: 'buyer' }).waitFor();
  await page.getByRole('link', { name: 'other' }).click();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Delete the template' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete the template other?' });
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('link', { name: 'buyer' }).waitFor();
  await assertBecomes(() => page.getByRole('link', { name: 'other' }).count(), 0);
  const stored = () => manage<{ readonly content: { readonly value: unknown } }>(org, 'GET', path);
  const renamed = { policies: [{ ...value.policies[0], name: 'buyer' }], groups: [] };
  await assertBecomes(async () => (await stored()).body.content.value, renamed);

  await page.goto(`/o/${org.code}/test/new-policy?w=${founder.tenantCode}`);
  await page.getByRole('radio', { name: 'buyer' }).check();
  await page.getByRole('textbox', { name: 'Policy in JSON' }).getByText('"getorder"').waitFor();

  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { name: 'Policies', level: 1 }).waitFor();

  const admin = await prodFounder(org);
  const admins = (await list(admin, 'group')).items.find((group) => group.name === 'default-admins');
  await create(admin, 'usergroup', { user_id: admin.id, group_id: admins?.id });
  await page.goto(`/o/${org.code}/prod/policies?w=main`);
  await page.getByRole('link', { name: 'adminacl' }).click();
  await jsonOf(page).getByText('"Everything"').waitFor();
  await assertBecomes(() => page.getByRole('button', { name: 'Add statement' }).count(), 0);
  await assertBecomes(() => page.getByRole('textbox', { name: 'Name', exact: true }).getAttribute('readonly'), '');
  const remove = page.getByRole('button', { name: 'Delete' });
  await assertBecomes(() => remove.getAttribute('aria-description'), /^In production the admins of a workspace/);
  await page.goto(`/o/${org.code}/prod/groups?w=main`);
  await page.getByRole('link', { name: 'default-admins' }).click();
  await page.getByRole('table', { name: 'Members of the group' }).getByRole('cell').first().waitFor();
  await assertBecomes(() => page.getByRole('combobox').count(), 0);
  await assertAccessible(page);
});
