/** The whole main job of a builder in one browser, and two tabs that do not disturb each other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { call } from '../call.ts';
import { assertBecomes } from '../eventually.ts';
import {
  type AppUser,
  allow,
  create,
  defineEntity,
  list,
  memberWith,
  newEmail,
  type Org,
  password,
  random,
  signIn,
} from '../org.ts';
import { makeProdAdmin } from '../promotion.ts';
import { founderOf, multiOrg } from '../workspaces.ts';
import { assertAccessible } from './accessibility.ts';
import { consolePlatform, openBrowser, skip } from './browser.ts';
import { retype, signInAs } from './console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

const answerOf = (page: Page) => page.getByRole('region', { name: 'Answer' });
const impactOf = (page: Page) => page.getByRole('region', { name: 'Impact of the change' });

/** Signs up on the page. The app's users sign in elsewhere, so the test knows the org as they do. */
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
  const { management } = platform;
  const body = { email, password };
  const { token } = (await call<{ token: string }>('POST', `${management}/auth/login`, { body })).body;
  return { ...platform, ...(await environmentOf(token, 'test')), builder: { email, password, token } };
}

interface Me {
  readonly org: {
    readonly code: string;
    readonly environments: Readonly<Record<string, { readonly client_id: string } | null>>;
  };
}

async function environmentOf(token: string, env: 'test' | 'prod') {
  const { org } = (await call<Me>('GET', `${platform.management}/auth/me`, { token })).body;
  return { code: org.code, clientId: org.environments[env]?.client_id ?? '' };
}

async function defineOrder(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Entities' }).click();
  await page.getByRole('button', { name: 'New entity' }).first().click();
  await page.getByRole('textbox', { name: 'Name of the entity' }).fill('order');
  await page.getByRole('button', { name: 'Add field' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('title');
  await page.getByRole('button', { name: 'Save the entity' }).click();
  await page.getByRole('heading', { name: 'order', level: 1 }).waitFor();
}

/** Opens a route of `order` in the reference of the API, where it runs as a user of the workspace. */
async function openRoute(page: Page, org: Org, operation: string, workspace: string): Promise<void> {
  await page.goto(`/o/${org.code}/test/api?entity=order&op=${operation}&w=${workspace}`);
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
}

async function runAs(page: Page, user: AppUser): Promise<void> {
  await page.getByRole('combobox', { name: `As a member of ${user.tenantCode}` }).click();
  await page.getByRole('option', { name: user.email }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
}

async function deployAll(page: Page, org: Org, release: number): Promise<void> {
  await page.getByRole('link', { name: 'Deploy', exact: true }).click();
  await page.getByRole('button', { name: /^Select all/ }).click();
  await page.getByRole('button', { name: /^Publish \d/ }).click();
  await page.getByRole('button', { name: 'Activate' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: `Type ${org.code}` }).fill(org.code);
  await dialog.getByRole('button', { name: 'Activate', exact: true }).click();
  await page.getByText(`The configuration of release ${release} is live.`).waitFor();
}

test('a builder signs up, models, lets a user in, explains a denial, deploys, and goes back', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const org = await signUpOn(page);
  await defineOrder(page);

  // A policy and its holder: made through the API of the app, as its own users make them.
  const founder = await signIn(org, newEmail('founder'));
  const clerk = await memberWith(founder, [allow(['createorder', 'listorder', 'getorder'])]);

  await openRoute(page, org, 'createOrder', clerk.tenantCode);
  await retype(page.getByRole('textbox', { name: 'Body in JSON' }), '{"name": "A1", "title": "Lamp"}');
  await runAs(page, clerk);
  await answerOf(page).getByText('201', { exact: true }).waitFor();
  assert.deepEqual(
    (await list(clerk, 'order')).items.map(({ title }) => title),
    ['Lamp'],
  );

  await openRoute(page, org, 'deleteOrder', clerk.tenantCode);
  await runAs(page, clerk);
  await page.getByRole('dialog').getByRole('button', { name: 'Run it' }).click();
  await answerOf(page).getByText('403', { exact: true }).waitFor();
  await answerOf(page).getByText('No statement allows it.').waitFor();
  await assertAccessible(page);
  await page.getByRole('link', { name: 'Home' }).click();
  await page.getByText('deleteorder').first().waitFor();

  await page.getByRole('link', { name: 'Deploy', exact: true }).click();
  await page.getByRole('button', { name: 'Provision production' }).click();
  await deployAll(page, org, 1);
  const production = { ...org, ...(await environmentOf(org.builder.token, 'prod')) };
  const customer = await signIn(production, newEmail('customer'));
  await makeProdAdmin(org, customer);
  const { id } = await create(customer, 'order', { name: 'A2', title: 'Shade' });

  await page.goto(`/o/${org.code}/test/entities/order`);
  await page.getByRole('button', { name: 'Add field' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('place');
  await impactOf(page).getByRole('button', { name: 'Save' }).click();
  await impactOf(page).waitFor({ state: 'detached' });
  await deployAll(page, org, 2);
  assert.equal((await create(customer, 'order', { name: 'A3', title: 'Bulb', place: 'hall' })).place, 'hall');

  await page.getByRole('button', { name: 'Roll back one step' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Field place is taken out; stored values stay hidden.').waitFor();
  await dialog.getByRole('textbox', { name: `Type ${org.code}` }).fill(org.code);
  await dialog.getByRole('button', { name: 'Roll back to release 1' }).click();
  await page.getByText('The configuration of release 1 is live.').waitFor();
  const kept = (await list(customer, 'order')).items;
  assert.deepEqual(kept.map(({ title, place }) => [title, place]).sort(), [
    ['Bulb', undefined],
    ['Shade', undefined],
  ]);
  assert.ok(kept.some((record) => record.id === id));

  await page.getByRole('link', { name: 'Home' }).click();
  await page.getByText('Rollback 3').waitFor();
});

test('two tabs in two workspaces each stay in theirs', { skip }, async (context) => {
  const org = await multiOrg(platform);
  await defineEntity(org, { entityName: 'order', UpdateParams: [{ name: 'title' }] });
  const founder = await founderOf(org, 'One');
  const other = await founderOf(org, 'Two');
  const users = [founder, other];
  assert.notEqual(founder.tenantCode, other.tenantCode);
  for (const user of users) await create(user, 'order', { title: `of ${user.tenantCode}` });
  const { newPage } = await openBrowser(context, platform);
  const tabs = [await newPage(), await newPage()];
  await signInAs(tabs[0] ?? (await newPage()), org.builder);
  for (const [index, tab] of tabs.entries()) await openRoute(tab, org, 'listOrder', users[index]?.tenantCode ?? '');
  for (const round of [1, 2])
    for (const [index, tab] of tabs.entries()) {
      const code = users[index]?.tenantCode ?? '';
      await tab.getByRole('button', { name: `Workspace: ${code}` }).waitFor();
      await tab.getByRole('button', { name: 'Run', exact: true }).click();
      await answerOf(tab).getByText(`of ${code}`).waitFor();
      const ofOther = answerOf(tab).getByText(`of ${users[1 - index]?.tenantCode}`);
      await assertBecomes(() => ofOther.count(), 0, `round ${round}`);
      await tab.getByRole('link', { name: 'Home' }).click();
      await tab.getByRole('button', { name: `Workspace: ${code}` }).waitFor();
      await tab.goBack();
    }
});
