/** The people of an app in the console: accounts, what is done about them, and the workspaces that they are in. */
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertProblem } from '../../assert-problem.ts';
import { assertBecomes } from '../../eventually.ts';
import { allowIssuers, clientAtProvider, personAt, startIdentityProvider } from '../../identity-provider.ts';
import {
  act,
  create,
  defineEntity,
  definition,
  exchangeToken,
  foundedOrg,
  joinOrg,
  logIn,
  manage,
  newEmail,
  type Org,
  password,
  random,
  signIn,
} from '../../org.ts';
import { deploy, prodFounder, provision } from '../../promotion.ts';
import { founderOf, multiOrg } from '../../workspaces.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };
const provider = await startIdentityProvider();
after(() => provider.close());
const canary = '<img src=x onerror=alert(1)>';

async function app(context: TestContext) {
  const { org, founder } = await foundedOrg(platform);
  await allowIssuers(org, [{ issuer: provider.issuer, audiences: [clientAtProvider] }]);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  return { org, founder, page };
}

/** A member who comes by a provider that has verified the address. */
async function throughProvider(org: Org, email: string, subject = random()) {
  const reply = await exchangeToken(org, provider.token(personAt(subject, { email })));
  assert.equal(reply.status, 200, reply.text);
  return { subject, id: reply.body.user_id };
}

interface Impersonated {
  readonly actor: { readonly id: string };
  readonly detail?: { readonly reason?: string };
}

const dialog = (page: Page) => page.getByRole('dialog');
const audit = async (org: Org, action: string) =>
  (
    await manage<{ items: readonly { readonly detail?: { readonly reason?: string } }[] }>(
      org,
      'GET',
      `/audit?action=${action}`,
    )
  ).body.items;

test('a builder finds an account, disables it with a reason, and enables it again', { skip }, async (context) => {
  const { org, founder, page } = await app(context);
  const user = await signIn(org, `zoe-${random()}@example.com`);
  await act(user, 'PUT', '/user/me', { body: { fn: canary, ln: 'Zeta' } });
  await page.getByRole('link', { name: 'App users' }).click();
  await page.getByRole('link', { name: founder.email }).waitFor();
  await page.getByText(canary).first().waitFor();
  await assertAccessible(page);
  await page.getByRole('textbox', { name: 'Search app users' }).fill('zoe-');
  await page.getByRole('link', { name: founder.email }).waitFor({ state: 'detached' });
  await assertBecomes(() => page.url(), /[?&]q=zoe-/);
  await page.getByRole('link', { name: user.email }).click();
  await page.getByRole('heading', { name: user.email, level: 1 }).waitFor();
  await page.getByRole('region', { name: 'Workspaces' }).getByRole('link', { name: 'Main', exact: true }).waitFor();
  await page.getByRole('region', { name: 'Tokens' }).getByText('No revocation of all tokens').waitFor();
  await assertAccessible(page);

  await page.getByRole('button', { name: 'Disable' }).click();
  const send = dialog(page).getByRole('button', { name: 'Disable the account' });
  await assertBecomes(() => send.getAttribute('aria-description'), 'Say why first.');
  await assertAccessible(page);
  await dialog(page).getByRole('textbox', { name: 'Reason' }).fill('Reported twice.');
  await send.click();
  await page.getByRole('note').getByText('Reason: Reported twice.').waitFor();
  await page
    .getByRole('region', { name: 'Tokens' })
    .getByText(/^No token of this account is good while/)
    .waitFor();
  assertProblem(await act(user, 'GET', '/user/me'), 'account_disabled');
  await assertAccessible(page);
  const view = page.getByRole('button', { name: 'View as' });
  await assertBecomes(() => view.getAttribute('aria-description'), /^The account is disabled/);

  await page.getByRole('link', { name: 'App users' }).click();
  await page.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: 'Disabled' }).click();
  await page.getByRole('link', { name: founder.email }).waitFor({ state: 'detached' });
  await assertBecomes(() => page.url(), /[?&]state=disabled/);
  await page.getByRole('link', { name: user.email }).click();
  await page.getByRole('button', { name: 'Enable' }).click();
  await dialog(page).getByRole('button', { name: 'Enable the account' }).click();
  await page.getByRole('button', { name: 'Disable' }).waitFor();
  await page.getByRole('region', { name: 'Tokens' }).getByText('All tokens were revoked last').waitFor();
  assert.equal((await logIn(org, user.email)).status, 200);
  assert.deepEqual(
    (await audit(org, 'app_user.disabled')).map(({ detail }) => detail?.reason),
    ['Reported twice.'],
  );
});

test('a builder signs a user out everywhere', { skip }, async (context) => {
  const { org, page } = await app(context);
  const user = await signIn(org);
  await page.goto(`/o/${org.code}/test/app-users/${user.id}`);
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await dialog(page).getByRole('button', { name: 'Sign out everywhere' }).waitFor();
  await assertAccessible(page);
  await dialog(page).getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('region', { name: 'Tokens' }).getByText('All tokens were revoked last').waitFor();
  assertProblem(await act(user, 'GET', '/user/me'), 'token_invalid');
  await assertAccessible(page);
  await page.getByRole('link', { name: 'audit log of this account' }).click();
  await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
  await page
    .getByText(/signed .* out everywhere/)
    .first()
    .waitFor();
});

test('the account with a suspended password is merged with the account that has proved the address, or removed', {
  skip,
}, async (context) => {
  const { org, page } = await app(context);
  const [kept, gone] = [await signIn(org), await signIn(org)];
  const { subject } = await throughProvider(org, kept.email);
  await throughProvider(org, gone.email);
  await page.goto(`/o/${org.code}/test/app-users?state=password_suspended`);
  await page.getByRole('link', { name: gone.email }).waitFor();
  await page.getByRole('link', { name: kept.email }).click();
  const notice = page.getByRole('note').filter({ hasText: 'The password is suspended' });
  await notice.getByRole('link', { name: 'Another account' }).waitFor();
  await assertAccessible(page);
  await notice.getByRole('button', { name: 'Merge both accounts' }).click();
  await dialog(page).getByRole('textbox').fill(kept.email);
  await dialog(page).getByRole('button', { name: 'Merge both accounts' }).click();
  await notice.waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Identities' }).getByText(subject).waitFor();
  await assertAccessible(page);

  await page.goto(`/o/${org.code}/test/app-users/${gone.id}`);
  await notice.getByRole('button', { name: 'Remove this account' }).click();
  const remove = dialog(page).getByRole('button', { name: 'Remove the account' });
  await assertBecomes(() => remove.getAttribute('aria-description'), /^Type the name/);
  await dialog(page).getByRole('textbox').fill(gone.email);
  await remove.click();
  await page.getByRole('heading', { name: 'App users', level: 1 }).waitFor();
  assertProblem(await manage(org, 'GET', `/org/app-users/${gone.id}`), 'not_found');
});

test('a builder views the records as a user for a stated reason, sees in whose name, and stops', {
  skip,
}, async (context) => {
  const { org, founder, page } = await app(context);
  await create(founder, 'order', { title: 'Lamp' });
  await page.goto(`/o/${org.code}/test/app-users/${founder.id}`);
  await page.getByRole('button', { name: 'View as' }).click();
  await assertAccessible(page);
  await dialog(page).getByRole('textbox', { name: 'Reason' }).fill('Ticket 4711');
  await dialog(page).getByRole('button', { name: 'View as this user' }).click();
  const banner = page.getByRole('note', { name: 'Acting as a user' });
  await banner.getByText('Reason: Ticket 4711').waitFor();
  await page.getByRole('link', { name: 'order', exact: true }).click();
  await page.getByText('Lamp').first().waitFor();
  await assertAccessible(page);
  assert.deepEqual(
    (await audit(org, 'impersonation.started')).map(({ detail }) => detail?.reason),
    ['Ticket 4711'],
  );
  await banner.getByRole('button', { name: 'Stop' }).click();
  await banner.waitFor({ state: 'detached' });
  await assertBecomes(() => /[?&]u=/.test(page.url()), false);
});

test('in production nothing is shown in a user’s name before the builder has said why', { skip }, async (context) => {
  const { org, page } = await app(context);
  await provision(org);
  await deploy(org);
  const user = await prodFounder(org);
  await create(user, 'order', { title: 'Real order' });
  const address = `/o/${org.code}/prod/records/order?w=${user.tenantCode}&u=${user.id}`;
  await page.goto(address);
  await dialog(page).getByRole('textbox', { name: 'Reason' }).waitFor();
  await assertAccessible(page);
  await assertBecomes(() => audit(org, 'impersonation.started'), []);
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('note', { name: 'Acting as a user' }).waitFor({ state: 'detached' });
  await assertBecomes(() => audit(org, 'impersonation.started'), []);

  await page.goto(address);
  await dialog(page).getByRole('textbox', { name: 'Reason' }).fill('Ticket 4712');
  await dialog(page).getByRole('button', { name: 'View as this user' }).click();
  await page.getByText('Real order').first().waitFor();
  await page.getByRole('note', { name: 'Acting as a user' }).getByText('Reason: Ticket 4712').waitFor();
  await page.reload();
  await page.getByText('Real order').first().waitFor();
  assert.deepEqual(
    [...new Set((await audit(org, 'impersonation.started')).map(({ detail }) => detail?.reason))],
    ['Ticket 4712'],
  );
  await page.goto(`/o/${org.code}/prod/app-users`);
  await page.getByRole('link', { name: user.email }).waitFor();
  await page.getByRole('note').getByText('These are real users.').waitFor();
  await assertAccessible(page);
});

test('the reason of one builder is not taken for that of another who signs in to the same tab', {
  skip,
}, async (context) => {
  const { org, founder, page } = await app(context);
  const email = newEmail('admin');
  await joinOrg(org, 'org_admin', email);
  await provision(org);
  await deploy(org);
  const user = await prodFounder(org);
  await create(user, 'order', { title: 'Real order' });
  await create(founder, 'order', { title: 'Lamp' });
  const addresses = {
    prod: `/o/${org.code}/prod/records/order?w=${user.tenantCode}&u=${user.id}`,
    test: `/o/${org.code}/test/records/order?w=${founder.tenantCode}&u=${founder.id}`,
  };
  await page.goto(`/o/${org.code}/test/app-users/${founder.id}`);
  await page.getByRole('button', { name: 'View as' }).click();
  await dialog(page).getByRole('textbox', { name: 'Reason' }).fill('Ticket 4713');
  await dialog(page).getByRole('button', { name: 'View as this user' }).click();
  await page.getByRole('note', { name: 'Acting as a user' }).getByText('Reason: Ticket 4713').waitFor();
  await page.goto(addresses.prod);
  await dialog(page).getByRole('textbox', { name: 'Reason' }).fill('Ticket 4714');
  await dialog(page).getByRole('button', { name: 'View as this user' }).click();
  await page.getByText('Real order').first().waitFor();

  // The session is replaced as it would be after its end, without a sign-out.
  await signInAs(page, { email }, password);
  await page.goto(addresses.test);
  await page.getByText('Lamp').first().waitFor();
  const banner = page.getByRole('note', { name: 'Acting as a user' });
  await banner.getByText(founder.email).waitFor();
  await assertBecomes(async () => /Reason/.test((await banner.textContent()) ?? ''), false);
  await page.goto(addresses.prod);
  await dialog(page).getByRole('textbox', { name: 'Reason' }).fill('Ticket 4715');
  await dialog(page).getByRole('button', { name: 'View as this user' }).click();
  await page.getByText('Real order').first().waitFor();
  const { body } = await manage<{ items: readonly Impersonated[] }>(org, 'GET', '/audit?action=impersonation.started');
  const bySecond = body.items.filter(({ actor }) => actor.id !== body.items.at(-1)?.actor.id);
  assert.deepEqual([...new Set(bySecond.map(({ detail }) => detail?.reason))], ['Ticket 4715', undefined]);

  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await signInAs(page, { email }, password);
  await page.goto(addresses.prod);
  await dialog(page).getByRole('textbox', { name: 'Reason' }).waitFor();
});

test('a link into another workspace leaves the user behind in whose name the first one was read', {
  skip,
}, async (context) => {
  const org = await multiOrg(platform);
  const [first, second] = [await founderOf(org, 'First'), await founderOf(org, 'Second')];
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  const banner = page.getByRole('note', { name: 'Acting as a user' });
  await page.goto(`/o/${org.code}/test/workspaces/${first.tenantCode}?w=${first.tenantCode}&u=${first.id}`);
  await banner.getByText(first.email).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Records' }).click();
  await page.getByRole('heading', { name: 'Records', level: 1 }).waitFor();
  await banner.getByText(first.email).waitFor();
  await page.getByRole('link', { name: 'Workspaces', exact: true }).click();
  await page.getByRole('link', { name: 'Second' }).click();
  await banner.getByText(first.email).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Records' }).click();
  await page.getByRole('heading', { name: 'Records', level: 1 }).waitFor();
  await banner.waitFor({ state: 'detached' });
  await assertBecomes(() => page.url(), new RegExp(`[?&]w=${second.tenantCode}(&|$)`));
  await assertBecomes(() => /[?&]u=/.test(page.url()), false);
});

test('a developer sees the accounts, and why nothing can be done about them', { skip }, async (context) => {
  const { org, founder } = await foundedOrg(platform);
  const email = newEmail('developer');
  await joinOrg(org, 'developer', email);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, { email }, password);
  await page.goto(`/o/${org.code}/test/app-users/${founder.id}`);
  for (const name of ['Disable', 'Sign out everywhere']) {
    const button = page.getByRole('button', { name });
    await assertBecomes(() => button.getAttribute('aria-description'), 'Only an admin of the org may do this.');
  }
  await assertAccessible(page);
});
