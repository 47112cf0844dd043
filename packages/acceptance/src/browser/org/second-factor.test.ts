/** Second factors in the console: an authenticator app, passkeys by Chromium's own virtual authenticator, and an org that requires one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { AuthenticatorApp } from '../../authenticator-app.ts';
import { call } from '../../call.ts';
import { assertBecomes } from '../../eventually.ts';
import { joinOrg, manage, newEmail, type Org, password, signUp } from '../../org.ts';
import { addApp, complete, stepOf } from '../../second-factor-calls.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { newOrgOn, signInAs } from '../console-pages.ts';

const started = skip === false ? await consolePlatform() : { app: '', management: '' };
/** Browsers make passkeys for a name, and for no address. */
const platform = { app: started.app, management: started.management.replace('127.0.0.1', 'localhost') };

async function openAccount(page: Page, { code }: Org): Promise<void> {
  await page.goto(`/o/${code}/test/account`);
  await page.getByRole('heading', { name: 'Second factors' }).waitFor();
}

async function typeLogIn(page: Page, email: string): Promise<void> {
  await page.goto('/sign-in');
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function isAtHome(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
}

/** Gives a code of the secret that is shown. */
async function confirmShownSecret(page: Page): Promise<AuthenticatorApp> {
  await page.getByRole('img', { name: 'QR code of the secret' }).waitFor();
  const label = await page.getByRole('button', { name: /^Copy the secret/ }).getAttribute('aria-label');
  const app = new AuthenticatorApp(label?.split(' ').at(-1) ?? '');
  await page.getByLabel('Code that the app shows').fill(app.next());
  await page.getByRole('button', { name: 'Confirm' }).click();
  return app;
}

/** Takes the recovery codes that are shown, this once. */
async function keepCodes(page: Page): Promise<readonly string[]> {
  await page.getByText('These codes sign you in', { exact: false }).waitFor();
  const codes = await page.getByTestId('recovery-codes').getByRole('listitem').allTextContents();
  assert.equal(codes.length, 10);
  await page.getByLabel('I have kept these codes').check();
  await page.getByRole('button', { name: 'Done' }).click();
  return codes;
}

test('a builder adds an authenticator app by its QR code, and signs in with a code, and with a recovery code', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const org = await newOrgOn(page, platform);
  await openAccount(page, org);
  await page.getByText('Your password alone protects this account').waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Add an app' }).click();
  await page.getByRole('textbox', { name: 'Your password' }).fill(password);
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Show the secret' }).click();
  await page.getByRole('img', { name: 'QR code of the secret' }).waitFor();
  await assertAccessible(page);
  const app = await confirmShownSecret(page);
  await page.getByText('These codes sign you in').waitFor();
  await assertAccessible(page);
  const codes = await keepCodes(page);
  await page.getByText('10 of 10 are left', { exact: false }).waitFor();
  await assertAccessible(page);

  await typeLogIn(page, org.builder.email);
  await page.getByRole('heading', { name: 'Second factor' }).waitFor();
  await assertAccessible(page);
  await page.getByLabel('Code of your authenticator app').fill('000000x');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('alert').getByText('The second factor is not right', { exact: false }).waitFor();
  await page.getByLabel('Code of your authenticator app').fill(app.next());
  await page.getByRole('button', { name: 'Go on' }).click();
  await isAtHome(page);

  await typeLogIn(page, org.builder.email);
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await page.getByLabel('Recovery code').fill(codes[0] ?? '');
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Go on' }).click();
  await isAtHome(page);
  await openAccount(page, org);
  await page.getByText('9 of 10 are left', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Remove the app' }).click();
  await page.getByText('It is your last second factor', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await page.getByLabel('Recovery code').fill(codes[1] ?? '');
  await page.getByRole('button', { name: 'Remove it' }).click();
  await page.getByText('Your password alone protects this account').waitFor();
});

test('after 10 wrong codes in a row the sign-in asks for a recovery code, and says why', { skip }, async (context) => {
  const org = await signUp(started);
  const { recoveryCodes } = await addApp(started, org.builder.token);
  const { token } = await stepOf(started, org.builder.email);
  for (let wrong = 0; wrong < 10; wrong++)
    assert.equal((await complete(started, { token, code: '12345x' })).status, 401);
  const page = await (await openBrowser(context, platform)).newPage();
  await typeLogIn(page, org.builder.email);
  await page.getByText('Codes of your authenticator app work again after you use another factor.').waitFor();
  await assertBecomes(() => page.getByLabel('Code of your authenticator app').count(), 0);
  await assertAccessible(page);
  await page.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '');
  await page.getByRole('button', { name: 'Go on' }).click();
  await isAtHome(page);
});

test('a passkey is made, signs in alone and after the password, is renamed and removed', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const org = await newOrgOn(page, platform);
  await openAccount(page, org);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('textbox', { name: 'Your password' }).fill(password);
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByLabel('Name of the passkey').fill('my laptop');
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Make the passkey' }).click();
  await keepCodes(page);
  await page.getByRole('cell', { name: 'my laptop', exact: true }).waitFor();
  await assertAccessible(page);

  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await isAtHome(page);

  await typeLogIn(page, org.builder.email);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await isAtHome(page);

  await openAccount(page, org);
  await page.getByRole('button', { name: 'Rename my laptop' }).click();
  await page.getByLabel('Name of the passkey').fill('old laptop');
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByRole('button', { name: 'Remove old laptop' }).click();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('Your password alone protects this account').waitFor();
  await assertBecomes(() => page.getByText('old laptop').count(), 0);
});

test('a member without a factor of an org that requires one is led to add it, also in the middle of work', {
  skip,
}, async (context) => {
  const org = await signUp(platform);
  const email = newEmail('member');
  await joinOrg(org, 'developer', email);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, { email });

  await addApp(platform, org.builder.token);
  const body = { second_factor: 'required' };
  assert.equal((await manage(org, 'PUT', '/org/security', { body })).status, 200);
  await page.getByRole('link', { name: 'Entities' }).click();
  await page.getByRole('heading', { name: 'Add a second factor' }).waitFor();
  await assertAccessible(page);
  await page.goto(`/o/${org.code}/test/deploy`);
  await page.getByRole('heading', { name: 'Add a second factor' }).waitFor();
  await page.getByRole('button', { name: 'Authenticator app' }).click();
  await page.getByRole('textbox', { name: 'Your password' }).fill(password);
  await page.getByRole('button', { name: 'Show the secret' }).click();
  await confirmShownSecret(page);
  await keepCodes(page);
  await page.getByRole('heading', { name: 'Deploy', level: 1 }).waitFor();
});

test('a member who can add no factor leaves the org that requires one for another org', { skip }, async (context) => {
  const [strict, own] = [await signUp(platform), await signUp(platform)];
  const { email } = own.builder;
  const invited = await manage<{ code: string }>(strict, 'POST', '/org/users', { body: { email, role: 'developer' } });
  const body = { code: invited.body.code, password };
  assert.equal((await call('POST', `${platform.management}/auth/accept-invitation`, { body })).status, 200);
  await addApp(platform, strict.builder.token);
  await manage(strict, 'PUT', '/org/security', { body: { second_factor: 'required' } });
  const page = await (await openBrowser(context, platform)).newPage();
  await typeLogIn(page, email);
  // Whichever of both orgs is the first.
  await page
    .getByRole('button', { name: /^Org: / })
    .or(page.getByRole('heading', { name: 'Add a second factor' }))
    .waitFor();
  await page.goto(`/o/${strict.code}/test/entities`);
  await page.getByRole('heading', { name: 'Add a second factor' }).waitFor();
  await assertBecomes(() => page.getByRole('link', { name: `Go to Org ${strict.code}` }).count(), 0);
  await page.getByRole('link', { name: `Go to Org ${own.code}` }).click();
  await page.getByRole('button', { name: `Org: Org ${own.code}` }).waitFor();
});

test('an admin requires a factor of all members once the own account has one, and resets that of a member', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const org = await newOrgOn(page, platform);
  const email = newEmail('member');
  const member = await joinOrg(org, 'developer', email);
  await addApp(platform, member.token);
  const plain = newEmail('plain');
  await joinOrg(org, 'developer', plain);
  await page.goto(`/o/${org.code}/test/team`);
  const required = page.getByRole('switch', { name: /^Require a second factor of every member/ });
  await page.getByText('Add a second factor to your own account first', { exact: false }).waitFor();
  await assertBecomes(() => required.isDisabled(), true);
  await openAccount(page, org);
  await page.getByRole('button', { name: 'Add an app' }).click();
  await page.getByRole('textbox', { name: 'Your password' }).fill(password);
  await page.getByRole('button', { name: 'Show the secret' }).click();
  await confirmShownSecret(page);
  await keepCodes(page);
  await page.goto(`/o/${org.code}/test/team`);
  const answered = page.waitForResponse((response) => response.url().endsWith('/org/security') && response.ok());
  await required.click();
  const dialog = page.getByRole('dialog', { name: /^Require a second factor of every member/ });
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await assertBecomes(() => required.isChecked(), false);
  await page.goto(`/o/${org.code}/test/settings`);
  await page.getByRole('link', { name: 'Sign-in of builders' }).click();
  await required.click();
  const stopped = dialog.getByRole('list', { name: 'Members without a second factor' });
  await stopped.getByText(plain, { exact: false }).waitFor();
  await assertBecomes(() => stopped.getByRole('listitem').count(), 1);
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'Require it' }).click();
  await answered;
  await page.reload();
  await page.getByRole('switch', { checked: true }).waitFor();
  await assertAccessible(page);

  await page.goto(`/o/${org.code}/test/team`);
  await page.getByRole('button', { name: `Reset the second factors of ${email}` }).click();
  await page.getByLabel(`Type ${email} to confirm it`).fill(email);
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Reset the factors' }).click();
  await page.getByRole('row', { name: email }).getByText('none').waitFor();
});

test('a session that ends is begun again in place, with the second factor, and an invitation asks for it too', {
  skip,
}, async (context) => {
  const opened = await openBrowser(context, platform);
  const page = await opened.newPage();
  const org = await signUp(platform);
  const { recoveryCodes } = await addApp(platform, org.builder.token);
  const prove = async () => {
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill(recoveryCodes.pop() ?? '');
    await page.getByRole('button', { name: 'Go on' }).click();
  };
  await typeLogIn(page, org.builder.email);
  await prove();
  await isAtHome(page);
  await opened.context.clearCookies();
  await page.getByRole('link', { name: 'Entities' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByRole('textbox', { name: 'Password' }).fill(password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.getByText('Your account has a second factor', { exact: false }).waitFor();
  await assertAccessible(page);
  await prove();
  await page.getByRole('heading', { name: 'Entities', level: 1 }).waitFor();

  const host = await signUp(platform);
  const body = { email: org.builder.email, role: 'developer' };
  const { code } = (await manage<{ code: string }>(host, 'POST', '/org/users', { body })).body;
  await page.goto(`/accept-invitation#code=${code}`);
  await page.getByText('I have an account').click();
  await page.getByRole('textbox', { name: 'Your password' }).fill(password);
  await page.getByRole('button', { name: 'Join' }).click();
  await prove();
  await page.getByRole('button', { name: `Org: Org ${host.code}` }).waitFor();
});

test('at an address without a name the screen says why there are no passkeys', { skip }, async (context) => {
  const page = await (await openBrowser(context, started)).newPage();
  const org = await newOrgOn(page, started);
  await openAccount(page, org);
  const button = page.getByRole('button', { name: 'Add a passkey' });
  await assertBecomes(() => button.getAttribute('aria-description'), /not at an IP address/);
  await page.goto('/sign-in');
  await page.getByRole('textbox', { name: 'Email' }).waitFor();
  await assertBecomes(() => page.getByRole('button', { name: 'Use a passkey' }).count(), 0);
});
