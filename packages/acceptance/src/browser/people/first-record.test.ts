/** The first minutes of a new org: from sign-up to a record that a user of the app sees, by the console alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertBecomes } from '../../eventually.ts';
import { list, newEmail, type Org, password, random, signIn, signUp } from '../../org.ts';
import { multiOrg } from '../../workspaces.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

/** Signs up as a builder does. What the app sends is read where Home shows it. */
async function signUpOn(page: Page): Promise<Org> {
  const email = newEmail('ann');
  await page.goto('/');
  await page.getByRole('link', { name: 'Create an org' }).click();
  await page.getByLabel('Your name').fill('Ann');
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByLabel('Name of the org').fill(`Lamps ${random()}`);
  await page.getByRole('button', { name: 'Create the org' }).click();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  const shown = async (what: string) =>
    (await page.getByRole('button', { name: new RegExp(`^Copy the ${what}`) }).innerText()).trim();
  const [code, clientId] = [await shown('org code'), await shown('client id')];
  return { ...platform, code, clientId, builder: { email, password, token: '' } };
}

/** Makes an account in the dialog that is open. Gives the password that it shows. */
async function makeUser(page: Page, email: string): Promise<string> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Email' }).fill(email);
  await dialog.getByRole('button', { name: 'Create the user' }).click();
  const secret = (await dialog.getByRole('region', { name: 'The password' }).innerText()).trim();
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'Done' }).click();
  return secret;
}

test('from sign-up to a record that a user of the app sees, by the console alone', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const org = await signUpOn(page);
  const home = page.getByRole('link', { name: 'Home' });

  await page.getByRole('link', { name: 'Define an entity' }).click();
  await page.getByRole('textbox', { name: 'Name of the entity' }).fill('order');
  await page.getByRole('button', { name: 'Add field' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('title');
  await page.getByRole('button', { name: 'Save the entity' }).click();
  await page.getByRole('heading', { name: 'order', level: 1 }).waitFor();

  await home.click();
  await page.getByRole('link', { name: 'Make an app user' }).click();
  await page.getByRole('button', { name: 'New app user' }).click();
  await assertAccessible(page);
  const email = newEmail('user');
  const secret = await makeUser(page, email);
  await page.getByRole('link', { name: email }).waitFor();

  await home.click();
  await page.getByText('Make an app user').getByText('done').waitFor();
  await page.getByRole('link', { name: 'Create a record' }).click();
  await page.getByRole('button', { name: 'main 0 records' }).click();
  await page.getByRole('status').getByText('1 entity', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'order', exact: true }).click();
  await page.getByRole('button', { name: 'New record' }).click();
  const form = page.getByRole('dialog', { name: 'New order' });
  await form.getByRole('textbox', { name: 'name', exact: true }).fill('A1');
  await form.getByRole('textbox', { name: 'title' }).fill('Lamp');
  await form.getByRole('button', { name: 'Create the order' }).click();

  const user = await signIn(org, email, secret);
  assert.equal(user.tenantCode, 'main');
  await assertBecomes(async () => (await list(user, 'order')).items.map(({ title }) => title), ['Lamp']);
});

test('a builder makes a workspace and its admin, and sees why a user or a code is refused', {
  skip,
}, async (context) => {
  const org = await multiOrg(platform);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.getByRole('link', { name: 'Workspaces' }).click();
  const dialog = page.getByRole('dialog');
  const openForm = () => page.getByRole('button', { name: 'New workspace' }).click();
  await openForm();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Café Überraschung');
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'Create the workspace' }).click();
  await page.getByRole('heading', { name: 'Café Überraschung', level: 1 }).waitFor();
  await assertBecomes(() => page.url(), /\/workspaces\/cafe-uberraschung/);

  await page.getByRole('link', { name: 'Workspaces' }).click();
  await openForm();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Another');
  await dialog.getByRole('textbox', { name: 'Code' }).fill('main');
  await dialog.getByRole('button', { name: 'Create the workspace' }).click();
  await dialog.getByText('code main is reserved for the default workspace.', { exact: true }).first().waitFor();
  await dialog.getByRole('textbox', { name: 'Code' }).fill('cafe-uberraschung');
  await dialog.getByRole('button', { name: 'Create the workspace' }).click();
  await dialog.getByText('the code cafe-uberraschung is taken').first().waitFor();
  await page.keyboard.press('Escape');

  await page.getByRole('link', { name: 'App users' }).click();
  await page.getByRole('button', { name: 'New app user' }).click();
  const email = newEmail('first');
  const secret = await makeUser(page, email);
  const user = await signIn(org, email, secret);
  assert.equal(user.tenantCode, 'cafe-uberraschung');
  await page.getByRole('button', { name: 'New app user' }).click();
  await dialog.getByRole('textbox', { name: 'Email' }).fill(email);
  await dialog.getByRole('button', { name: 'Create the user' }).click();
  await dialog.getByText('there is an account with this email').first().waitFor();
});

test('in production the buttons say why nothing is made there', { skip }, async (context) => {
  const org = await signUp(platform);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/prod`);
  await page.getByRole('button', { name: 'Provision production' }).click();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  for (const [screen, name, reason] of [
    ['workspaces', 'New workspace', /users of the app found the workspaces/],
    ['app-users', 'New app user', /users sign up in the app/],
  ] as const) {
    await page.goto(`/o/${org.code}/prod/${screen}`);
    const button = page.getByRole('button', { name });
    await button.waitFor();
    await assertBecomes(() => button.getAttribute('aria-description'), reason);
    await assertAccessible(page);
  }
});
