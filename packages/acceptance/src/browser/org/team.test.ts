import { test } from 'node:test';
import { assertBecomes } from '../../eventually.ts';
import { joinOrg, manage, newEmail, password, signUp } from '../../org.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { newOrgOn, signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

test('an admin invites a builder by a link that is shown once, and withdraws an invitation', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  await newOrgOn(page, platform);
  await page.getByRole('link', { name: 'Team' }).click();
  await page.getByRole('heading', { name: 'Team', level: 1 }).waitFor();
  await page.getByRole('heading', { name: 'No open invitations' }).waitFor();
  await page.getByRole('table', { name: 'Members' }).getByText('(you)').waitFor();
  await assertAccessible(page);
  const email = newEmail('invited');
  await page.getByRole('button', { name: 'Invite a builder' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite a builder' });
  await dialog.getByRole('textbox', { name: 'Email' }).fill(email);
  await dialog.getByRole('radio', { name: 'Org admin' }).check();
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
  await dialog.getByText('Copy the link now. It is not shown again.').waitFor();
  await assertAccessible(page);
  const link = await dialog.getByRole('region', { name: 'The link' }).innerText();
  await dialog.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('table', { name: 'Open invitations' }).getByRole('row', { name: email });
  await assertBecomes(() => row.getByRole('combobox').inputValue(), 'org_admin');
  await row.getByRole('combobox').selectOption('developer');
  await page.getByRole('button', { name: `Withdraw the invitation of ${email}` }).click();
  await page.getByRole('heading', { name: 'No open invitations' }).waitFor();
  const stranger = await (await openBrowser(context, platform)).newPage();
  await stranger.goto(link);
  await stranger.getByLabel('Your name').fill('Ina');
  await stranger.getByRole('textbox', { name: 'Password' }).fill(password);
  await stranger.getByRole('button', { name: /^(Accept|Join)/ }).click();
  await stranger.getByRole('alert').waitFor();
});

test('an admin changes a role and removes a builder once the email is typed; the last admin stays', {
  skip,
}, async (context) => {
  const org = await signUp(platform);
  const email = newEmail('colleague');
  const colleague = await joinOrg(org, 'developer', email);
  await manage(org, 'GET', '/auth/me', { token: colleague.token });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/team`);
  const own = page.getByRole('combobox', { name: `Role of ${org.builder.email}` });
  await own.selectOption('developer');
  await page.getByRole('alert').getByText('An org must keep one org admin').waitFor();
  await assertBecomes(() => own.inputValue(), 'org_admin');
  await assertAccessible(page);
  const answered = page.waitForResponse((reply) => reply.request().method() === 'PUT' && reply.ok());
  await page.getByRole('combobox', { name: `Role of ${email}` }).selectOption('org_admin');
  await answered;
  await page.getByRole('alert').waitFor({ state: 'detached' });
  const me = () => manage<{ role: string }>(org, 'GET', '/auth/me', { token: colleague.token });
  await assertBecomes(async () => (await me()).body.role, 'org_admin');
  await page.getByRole('button', { name: `Remove ${email}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove Ben Builder from the org' });
  await assertAccessible(page);
  await dialog.getByRole('textbox').fill(email);
  await dialog.getByRole('button', { name: 'Remove the member' }).click();
  await page.getByRole('button', { name: `Remove ${email}` }).waitFor({ state: 'detached' });
  await assertBecomes(async () => (await manage(org, 'GET', '/auth/me', { token: colleague.token })).status, 401);
});

test('a developer sees that an admin keeps the team', { skip }, async (context) => {
  const org = await signUp(platform);
  const email = newEmail('developer');
  await joinOrg(org, 'developer', email);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, { email });
  await page.goto(`/o/${org.code}/test/team`);
  await page.getByRole('heading', { name: 'Only org admins see this' }).waitFor();
  await page.getByRole('button', { name: 'Invite a builder', disabled: true }).waitFor();
  await assertAccessible(page);
});
