/** The workspaces of an app in the console: what each holds, who is in it, and who is invited. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from '../../assert-problem.ts';
import { assertBecomes } from '../../eventually.ts';
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
  await assertBecomes(() => page.getByText(beta.email).count(), 0);
  await assertAccessible(page);
  await page.getByRole('link', { name: alpha.email, exact: true }).click();
  await page.getByRole('heading', { name: alpha.email, level: 1 }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: `What may be done by ${alpha.email}` }).click();
  await page.getByRole('heading', { name: alpha.email, level: 1 }).waitFor();
  await assertBecomes(() => page.url(), /\/users\/.*[?&]w=alpha/);
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
  await assertBecomes(() => openInvitations(org, 'alpha'), []);
});

test('a builder suspends a workspace with a reason, finds it among the suspended ones, and resumes it', {
  skip,
}, async (context) => {
  const org = await multiOrg(platform);
  const [alpha] = [await founderOf(org, 'Alpha'), await founderOf(org, 'Beta')];
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/workspaces/alpha`);
  await page.getByRole('button', { name: 'Suspend' }).click();
  const dialog = page.getByRole('dialog');
  const send = dialog.getByRole('button', { name: 'Suspend the workspace' });
  await assertBecomes(() => send.getAttribute('aria-description'), 'Type the code of the workspace first.');
  await assertAccessible(page);
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('A dispute.');
  await send.press('Enter');
  await assertBecomes(async () => (await act(alpha, 'GET', '/user/me')).status, 200);
  await dialog.getByRole('textbox', { name: 'Type alpha to confirm it' }).fill('alpha');
  await send.click();
  await page.getByRole('note').getByText('Reason: A dispute.').waitFor();
  assertProblem(await act(alpha, 'GET', '/user/me'), 'workspace_suspended');
  await assertAccessible(page);
  await page.getByRole('tab', { name: 'Invitations' }).click();
  const invite = page.getByRole('button', { name: 'Invite' });
  await assertBecomes(() => invite.getAttribute('aria-description'), /^The workspace is suspended/);

  await page.getByRole('link', { name: 'Workspaces' }).click();
  await page.getByRole('link', { name: 'Beta' }).waitFor();
  await page.getByText('suspended', { exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: 'Suspended' }).click();
  await page.getByRole('link', { name: 'Beta' }).waitFor({ state: 'detached' });
  await assertBecomes(() => page.url(), /[?&]state=suspended/);
  await assertAccessible(page);
  await page.getByRole('link', { name: 'Alpha' }).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'Resume the workspace' }).click();
  await page.getByRole('button', { name: 'Suspend' }).waitFor();
  await assertBecomes(async () => (await act(alpha, 'GET', '/user/me')).status, 200);
  await page.goto(`/o/${org.code}/test/audit`);
  await page.getByText('suspended the workspace alpha in test').first().waitFor();
  await page.getByText('resumed the workspace alpha in test').first().waitFor();
});
