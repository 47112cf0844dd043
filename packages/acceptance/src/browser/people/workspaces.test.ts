/** The workspaces of an app in the console: what each holds, who is in it, and who is invited. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, create, defineEntity, definition, manage, newEmail, type Org, signIn } from '../../org.ts';
import { founderOf, multiOrg } from '../../workspaces.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

async function openInvitations(org: Org, code: string): Promise<readonly string[]> {
  const { body } = await manage<{ items: readonly { readonly email: string }[] }>(
    org,
    'GET',
    `/org/workspaces/${code}/invitations`,
  );
  return body.items.map(({ email }) => email);
}

test('a builder finds a workspace, and sees its records, its members and its part of the plan', {
  skip,
}, async (context) => {
  const org = await multiOrg(platform);
  for (const name of ['note', 'task']) await defineEntity(org, definition(name, [{ name: 'title' }]));
  const [alpha, beta] = [await founderOf(org, 'Alpha'), await founderOf(org, 'Beta')];
  for (const entity of ['note', 'note', 'task']) await create(alpha, entity, { title: 'x' });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.getByRole('link', { name: 'Workspaces' }).click();
  await page.getByRole('link', { name: 'Beta' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('textbox', { name: 'Search workspaces' }).fill('alp');
  await page.getByRole('link', { name: 'Beta' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Alpha' }).click();
  await page.getByRole('heading', { name: 'Alpha', level: 1 }).waitFor();
  const records = page.getByRole('region', { name: 'Records by entity' });
  await records.getByRole('row', { name: 'note 2' }).waitFor();
  await records.getByRole('row', { name: 'task 1' }).waitFor();
  await page.getByRole('region', { name: 'Usage' }).getByText('Calls today').waitFor();
  await assertAccessible(page);

  await page.getByRole('tab', { name: 'Members' }).click();
  await page.getByRole('link', { name: alpha.email, exact: true }).waitFor();
  assert.equal(await page.getByText(beta.email).count(), 0);
  await assertAccessible(page);
  await page.getByRole('link', { name: alpha.email, exact: true }).click();
  await page.getByRole('heading', { name: alpha.email, level: 1 }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: `What may be done by ${alpha.email}` }).click();
  await page.getByRole('heading', { name: alpha.email, level: 1 }).waitFor();
  assert.match(page.url(), /\/users\/.*[?&]w=alpha/);
});

test('a builder invites an address, sends the invitation again, and withdraws it', { skip }, async (context) => {
  const org = await multiOrg(platform);
  const founder = await founderOf(org, 'Alpha');
  const guest = await signIn(org, newEmail('guest'));
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/workspaces/alpha?tab=invitations`);
  await page.getByRole('heading', { name: 'No open invitations' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Invite' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Email' }).fill(guest.email);
  await dialog.getByRole('combobox', { name: 'Policy' }).click();
  await page.getByRole('option', { name: 'adminacl' }).click();
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'Send the invitation' }).click();
  const note = page.getByRole('status').filter({ hasText: `${guest.email} is invited` });
  await note.waitFor();
  await assertAccessible(page);
  const link = note.getByRole('button', { name: /^Copy the link/ });
  const codeShown = async () => (await link.innerText()).trim().split('#invitation=')[1] ?? '';
  const code = await codeShown();

  await page.getByRole('button', { name: `Resend the invitation of ${guest.email}` }).click();
  await note.getByText(code).waitFor({ state: 'detached' });
  const fresh = await codeShown();
  assert.equal((await act(guest, 'POST', '/user/acceptinvitation', { body: { code } })).status, 404);
  assert.equal((await act(guest, 'POST', '/user/acceptinvitation', { body: { code: fresh } })).status, 200);

  await act(founder, 'POST', '/user/invitations', { body: { email: 'late@example.com' } });
  await page.reload();
  await page.getByRole('row', { name: /late@example\.com a member/ }).waitFor();
  await page.getByRole('button', { name: 'Withdraw the invitation of late@example.com' }).click();
  await page.getByRole('heading', { name: 'No open invitations' }).waitFor();
  assert.deepEqual(await openInvitations(org, 'alpha'), []);
});
