import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinOrg, manage, newEmail, signUp } from '../../org.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

test('Escape closes a dialog, and the button that opened it has the focus again', { skip }, async (context) => {
  const org = await signUp(platform);
  const email = newEmail('member');
  await joinOrg(org, 'developer', email);
  const secret = { body: { value: 'one two three', hosts: [] } };
  assert.equal((await manage(org, 'PUT', '/secrets/pay', secret)).status, 200);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  for (const [path, name] of [
    ['secrets', 'New secret'],
    ['secrets', 'Remove pay'],
    ['team', 'Invite a builder'],
    ['team', `Remove ${email}`],
    ['keys', 'New service key'],
    ['settings/client-ids', 'Give test a new client id'],
    ['account', 'Add an app'],
    ['account', 'End all others'],
    ['usage', 'Explain Calls today'],
  ] as const) {
    await page.goto(`/o/${org.code}/test/${path}`);
    const button = page.getByRole('main').getByRole('button', { name }).first();
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await dialog.locator(':focus').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await button.and(page.locator(':focus')).waitFor();
  }
});

test('the command palette finds the pages of the settings by what is settled there', { skip }, async (context) => {
  const org = await signUp(platform);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  for (const [typed, heading] of [
    ['tenancy', 'Tenancy'],
    ['webhook', 'Alerts'],
    ['second factor', 'Sign-in of builders'],
    ['deliveries', 'Events'],
  ] as const) {
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('textbox', { name: 'Go to' }).fill(typed);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  }
});
