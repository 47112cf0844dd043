import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBecomes } from '../eventually.ts';
import { act, allow, manage, memberWith, newEmail, signIn, signUp } from '../org.ts';
import { provision } from '../promotion.ts';
import { assertAccessible } from './accessibility.ts';
import { consolePlatform, isCall, openBrowser, skip } from './browser.ts';
import { defineGreeting, signInAs } from './console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

test('the first steps tick themselves, and a workspace is chosen in the address', { skip }, async (context) => {
  const org = await signUp(platform);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.getByText('None yet. The first user who signs in to the app founds a workspace').waitFor();
  await assertBecomes(() => page.getByText('done', { exact: true }).count(), 0);

  const entity = { entityName: 'order', UpdateParams: [{ name: 'title', colType: 'string' }] };
  assert.equal((await manage(org, 'POST', '/api/create-order', { body: entity })).status, 201);
  const founder = await signIn(org, newEmail('founder'));
  const { tenantCode } = founder;
  await page.reload();
  await page.getByText('Define an entity').getByText('done').waitFor();
  await page.getByRole('link', { name: 'Create a record' }).waitFor();
  await page.getByText('Make an app user').getByText('done').waitFor();
  await assertBecomes(() => page.getByText('done', { exact: true }).count(), 2);

  await assertBecomes(() => page.getByRole('region', { name: 'Automation' }).count(), 0);
  await defineGreeting(org);
  assert.equal((await act(founder, 'POST', '/logicblocks/greet')).status, 200);
  await page.reload();
  await page.getByRole('region', { name: 'Automation' }).getByRole('img', { name: '1 run in 21 days' }).waitFor();
  await page.getByRole('link', { name: 'Write a policy' }).waitFor();
  await page.getByText('New members get the policy that the settings of the org name: vieweracl').waitFor();
  await page.getByRole('link', { name: 'Add a member' }).waitFor();
  await memberWith(founder, [allow('listorder')]);
  await page.reload();
  await page.getByText('Write a policy').getByText('done').waitFor();
  await page.getByText('Add a member').getByText('done').waitFor();
  await assertBecomes(() => page.getByText('done', { exact: true }).count(), 4);

  // Production shows its own steps, and not those of test as done.
  await page.getByText(/New members get the policy/).waitFor({ state: 'detached' });
  await provision(org);
  await page.goto(`/o/${org.code}/prod`);
  await page.getByText('Provision production').getByText('done').waitFor();
  await page.getByRole('link', { name: 'Deploy to production' }).waitFor();
  await assertBecomes(() => page.getByText('done', { exact: true }).count(), 1);
  await page.goto(`/o/${org.code}/test`);
  await page.getByText('Write a policy').getByText('done').waitFor();

  await page.getByRole('button', { name: 'Workspace: All workspaces' }).click();
  await page.getByRole('textbox', { name: 'Find a workspace by its code' }).fill('nothing-like-it');
  await page.getByText('No workspace has this code.').waitFor();
  await page.getByRole('textbox', { name: 'Find a workspace by its code' }).fill(tenantCode.slice(0, 3));
  await assertAccessible(page);
  await page.getByRole('button', { name: `${tenantCode} 0 records` }).click();
  await page.getByRole('button', { name: `Workspace: ${tenantCode}` }).waitFor();
  await assertBecomes(() => new URL(page.url()).searchParams.get('w'), tenantCode);
  await page.reload();
  await page.getByRole('button', { name: `Workspace: ${tenantCode}` }).waitFor();
  await assertAccessible(page);
});

test('a screen is reached by the keyboard alone', { skip }, async (context) => {
  const org = await signUp(platform);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.keyboard.press('Control+k');
  await page.getByRole('textbox', { name: 'Go to' }).waitFor();
  await page.getByRole('button', { name: 'Deploy' }).waitFor();
  await assertAccessible(page);
  await page.keyboard.type('your acc');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
});

const sections = [
  ['Data', 'API'],
  ['Access', 'Denials'],
  ['Release', 'Configuration'],
] as const;

test('at the width of a phone nothing is cut off, and the navigation opens', { skip }, async (context) => {
  const org = await signUp(platform);
  const { newPage } = await openBrowser(context, platform, { viewport: { width: 390, height: 800 } });
  const page = await newPage();
  await signInAs(page, org.builder);
  for (const path of ['', '/account']) {
    await page.goto(`/o/${org.code}/test${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await assertBecomes(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  }
  await page.getByRole('button', { name: 'Navigation' }).click();
  for (const [section, last] of sections) await page.getByRole('group', { name: section }).getByText(last).waitFor();
  await assertAccessible(page);
  await page.setViewportSize({ width: 390, height: 400 });
  await page.getByRole('group', { name: 'Release' }).getByRole('link', { name: 'Deploy' }).click();
  await page.getByRole('heading', { name: 'Deploy', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Navigation' }).click();
  await page.getByRole('link', { name: 'Home' }).click();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  await assertAccessible(page);
});

test('Home is shown by three calls, and its steps lead to where they are done', { skip }, async (context) => {
  const org = await signUp(platform);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  const calls: string[] = [];
  page.on('request', (request) => {
    if (isCall(request)) calls.push(new URL(request.url()).pathname);
  });
  await page.reload();
  await page.getByText('None yet. The first user who signs in to the app founds a workspace').waitFor();
  await page.getByText('None. A release takes the configuration').waitFor();
  await assertBecomes(() => calls.toSorted(), ['/auth/me', '/observability', '/org/overview']);
  await assertAccessible(page);
  await page.getByRole('link', { name: 'All releases' }).click();
  await page.getByRole('heading', { name: 'Deploy', level: 1 }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Define an entity' }).click();
  await page.getByRole('heading', { name: 'New entity', level: 1 }).waitFor();
});

test('sections of the navigation open and close by the keyboard, stay so, and fit on a laptop', {
  skip,
}, async (context) => {
  const org = await signUp(platform);
  const asAtFirst = { storageState: { cookies: [], origins: [] }, viewport: { width: 1280, height: 850 } };
  const page = await (await openBrowser(context, platform, asAtFirst)).newPage();
  const section = (name: string) => page.getByRole('group', { name, exact: true });
  const head = (name: string) => section(name).getByRole('button', { name, exact: true });
  const fits = `(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight)(
    document.querySelector('nav[aria-label=Screens] .mantine-ScrollArea-viewport'))`;
  const assertFits = () => assertBecomes(() => page.evaluate(fits), true, page.url());
  await signInAs(page, org.builder);
  await section('Access').getByRole('link', { name: 'Policies' }).waitFor();
  await assertBecomes(() => head('Automation').getAttribute('aria-expanded'), 'false');
  await assertBecomes(() => page.getByRole('link', { name: 'Events' }).count(), 0);
  await assertFits();
  await assertAccessible(page);

  for (const [name, path] of [
    ['Data', '/new-entity'],
    ['Access', '/groups'],
    ['People', '/workspaces'],
    ['Automation', '/schedules'],
    ['Release', '/config/event'],
    ['Org', '/settings/mail'],
  ] as const) {
    await page.goto(`/o/${org.code}/test${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await section(name).getByRole('link').first().waitFor();
    await assertBecomes(() => head(name).getAttribute('aria-expanded'), 'true', name);
    await assertFits();
  }
  await assertAccessible(page);

  await head('People').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'App users', level: 1 }).waitFor();
  await assertBecomes(() => page.getByRole('link', { name: 'Team' }).count(), 0);
  await page.reload();
  await section('People').getByRole('link', { name: 'Workspaces' }).waitFor();
  await page.getByRole('link', { name: 'Home' }).click();
  await section('People').getByRole('link', { name: 'Workspaces' }).waitFor();
  await section('Data').getByRole('link', { name: 'Entities' }).click();
  await page.getByRole('heading', { name: 'Entities', level: 1 }).waitFor();
  await head('Data').click();
  await section('Data').getByRole('link').first().waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Home' }).click();
  await page.reload();
  await head('Access').waitFor();
  await assertBecomes(() => head('Data').getAttribute('aria-expanded'), 'false');
  await page.goto(`/o/${org.code}/test/entities`);
  await section('Data').getByRole('link', { name: 'Entities' }).waitFor();
});
