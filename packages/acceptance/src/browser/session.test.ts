import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { call } from '../call.ts';
import { assertBecomes } from '../eventually.ts';
import { freePort } from '../free-port.ts';
import { create, defineEntity, definition, foundedOrg, manage, type Org, password, signUp } from '../org.ts';
import { startPlatform } from '../platform.ts';
import { assertAccessible } from './accessibility.ts';
import { consolePlatform, openBrowser, skip, watchedContext } from './browser.ts';
import { newOrgOn, signInAs } from './console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

/** Ends the browser's session as another device of the user would. */
async function endSession(context: BrowserContext): Promise<void> {
  const [cookie] = await context.cookies();
  const headers = { cookie: `${cookie?.name}=${cookie?.value}`, origin: platform.management };
  assert.equal((await call('POST', `${platform.management}/auth/logout`, { headers })).status, 204);
}

async function typePasswords(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Current password' }).fill(password);
  await page.getByRole('textbox', { name: 'New password' }).fill('another good password');
}

/** Another org, of which the builder is a developer. */
async function secondOrgOf(mine: Org): Promise<Org> {
  const theirs = await signUp(platform);
  const invited = await call<{ code: string }>('POST', `${platform.management}/org/users`, {
    token: theirs.builder.token,
    body: { email: mine.builder.email, role: 'developer' },
  });
  const body = { code: invited.body.code, password };
  assert.equal((await call('POST', `${platform.management}/auth/accept-invitation`, { body })).status, 200);
  return theirs;
}

test('a session that ends in the middle of a form loses nothing: the user signs in in place and goes on', {
  skip,
}, async (context) => {
  const opened = await openBrowser(context, platform);
  const page = await opened.newPage();
  const { code, builder } = await newOrgOn(page, platform);
  await page.goto(`/o/${code}/test/account`);
  await typePasswords(page);
  await endSession(opened.context);
  await page.getByRole('button', { name: 'Change the password' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByText(`Sign in again as ${builder.email}`).waitFor();
  await assertAccessible(page);
  await dialog.getByRole('textbox', { name: 'Password' }).fill('not the password');
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByRole('textbox', { name: 'Password' }).fill(password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Your password is changed.').waitFor();
  await assertBecomes(() => page.url().endsWith('/account'), true);
});

test('who does not sign in again keeps what was typed', { skip }, async (context) => {
  const opened = await openBrowser(context, platform);
  const page = await opened.newPage();
  const { code } = await newOrgOn(page, platform);
  await page.goto(`/o/${code}/test/account`);
  await typePasswords(page);
  await endSession(opened.context);
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Not now' }).click();
  await page.getByRole('alert').waitFor();
  await assertBecomes(() => page.getByRole('textbox', { name: 'New password' }).inputValue(), 'another good password');
});

test('what was typed is not left behind unasked', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const { code } = await newOrgOn(page, platform);
  await page.goto(`/o/${code}/test/account`);
  await typePasswords(page);
  await page.getByRole('link', { name: 'Home' }).click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click();
  await assertBecomes(() => page.getByRole('textbox', { name: 'Current password' }).inputValue(), password);
  await page.getByRole('link', { name: 'Home' }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
});

test('two tabs in two orgs: the one that was left behind says so, and goes back when it is told', {
  skip,
}, async (context) => {
  const opened = await openBrowser(context, platform);
  const first = await opened.newPage();
  const mine = await newOrgOn(first, platform);
  const theirs = await secondOrgOf(mine);
  const second = await opened.newPage();
  await second.goto(`/o/${theirs.code}/test`);
  await second.getByRole('button', { name: `Org: Org ${theirs.code}` }).waitFor();
  await first.getByRole('dialog', { name: 'You have switched the org' }).waitFor();
  await first.getByRole('button', { name: `Back to ${mine.code}` }).click();
  await first.getByText(mine.code, { exact: true }).waitFor();
  await second.getByRole('dialog', { name: 'You have switched the org' }).waitFor();
});

test('a tab whose session has moved to another org unseen does nothing there, and loses nothing', {
  skip,
}, async (context) => {
  const opened = await openBrowser(context, platform);
  const page = await opened.newPage();
  const mine = await newOrgOn(page, platform);
  const theirs = await secondOrgOf(mine);
  const cookies = async () => (await opened.context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const orgOfSession = async () => {
    const headers = { cookie: await cookies() };
    return (await call<{ org: { code: string } }>('GET', `${platform.management}/auth/me`, { headers })).body.org.code;
  };

  // A link that is pointed at does not switch the session.
  await page.getByRole('button', { name: /^Org: / }).click();
  const switches: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/auth/switch-org')) switches.push(request.url());
  });
  await page.getByRole('menuitem', { name: theirs.code }).hover();
  await page.keyboard.press('Escape');

  await page.goto(`/o/${mine.code}/test/new-entity`);
  await page.getByRole('textbox', { name: 'Name of the entity' }).fill('order');
  await page.getByText('It would be served as create-order').waitFor();
  const data = { org: theirs.code };
  const headers = { origin: platform.management, 'x-session': 'cookie' };
  const switched = await opened.context.request.post(`${platform.management}/auth/switch-org`, { data, headers });
  assert.equal(switched.status(), 200);
  await assertBecomes(() => orgOfSession(), theirs.code);
  await page.getByRole('button', { name: 'Save the entity' }).click();
  const notice = page.getByRole('dialog', { name: 'You have switched the org' });
  await notice.getByText(`This tab shows ${mine.code}`).waitFor();
  await assertAccessible(page);
  assert.deepEqual(switches, []);
  await notice.getByRole('button', { name: `Back to ${mine.code}` }).click();
  await page.getByRole('heading', { name: 'order', level: 1 }).waitFor();
  await assertBecomes(() => orgOfSession(), mine.code);
  await assertBecomes(async () => (await manage(theirs, 'GET', '/api/entity?entityName=order')).status, 404);
  await assertBecomes(async () => (await manage(mine, 'GET', '/api/entity?entityName=order')).status, 200);
});

test('an org of others is not found, and neither is a screen that there is none of', { skip }, async (context) => {
  const stranger = await signUp(platform);
  const page = await (await openBrowser(context, platform)).newPage();
  const { code } = await newOrgOn(page, platform);
  for (const path of [`/o/${stranger.code}/test`, `/o/${code}/staging`, `/o/${code}/test/nothing`, '/nothing']) {
    await page.goto(path);
    await page.getByText('There is nothing here').waitFor();
  }
  await assertAccessible(page);
});

test('a restart of the platform in the middle of a form loses nothing that was typed', { skip }, async (context) => {
  const env = { FREEHOLD_CONSOLE: 'on', FREEHOLD_MANAGEMENT_PORT: String(await freePort()) };
  const before = await startPlatform({ env });
  context.after(() => before.kill());
  const page = await (await openBrowser(context, before)).newPage();
  const { code } = await newOrgOn(page, before);
  await page.goto(`/o/${code}/test/account`);
  await typePasswords(page);
  await before.terminate();
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('The platform cannot be reached.').waitFor();
  const again = await startPlatform({ env, dataDir: before.dataDir });
  context.after(() => again.kill());
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('Your password is changed.').waitFor();
});

test('a part of the console that does not arrive says so and is asked for again; nothing is reloaded or lost', {
  skip,
}, async (context) => {
  const watched = await watchedContext(platform);
  // The router notes what did not arrive in the console of the browser.
  context.after(async () => {
    await watched.context.close();
    for (const fault of watched.faults()) assert.match(fault, /this part of the console did not arrive/);
  });
  const page = await watched.newPage();
  const { code } = await newOrgOn(page, platform);
  await page.goto(`/o/${code}/test/entities`);
  await page.getByRole('heading', { name: 'No entities yet' }).waitFor();
  await page.evaluate('globalThis.isSamePage = true');
  let lost: RegExp | undefined = /\/new-entity-[^/]*$/;
  await page.route('**/assets/*', (route) =>
    lost?.test(route.request().url()) === true ? route.abort() : route.continue(),
  );
  await page.getByRole('button', { name: 'New entity' }).first().click();
  await page.getByRole('alert').getByText('This part of the console did not arrive').waitFor();
  await assertAccessible(page);
  // The editor, and not the part of the form around it.
  lost = /\/json-editor-[\w-]{8}\.js$/;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('textbox', { name: 'Name of the entity' }).fill('order');
  await page.getByRole('alert').getByText('This part of the console did not arrive').waitFor();
  lost = undefined;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('textbox', { name: 'Definition in JSON' }).getByText('"order"').waitFor();
  await assertBecomes(() => page.getByRole('textbox', { name: 'Name of the entity' }).inputValue(), 'order');
  assert.equal(await page.evaluate('globalThis.isSamePage'), true);
});

test('the panel of a record that does not arrive says so above its list, and opens when it is asked for again', {
  skip,
}, async (context) => {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const { id } = await create(founder, 'order', { title: 'First' });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  let isLost = true;
  await page.route('**/assets/record-panel-*', (route) => (isLost ? route.abort() : route.continue()));
  await page.goto(`/o/${org.code}/test/records/order?w=${founder.tenantCode}&r=${id}`);
  await page.getByRole('alert').getByText('This part of the console did not arrive').waitFor();
  await page.getByRole('gridcell', { name: 'First' }).waitFor();
  await assertAccessible(page);
  isLost = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('dialog').getByText(id).first().waitFor();
});

test('what people call themselves and their orgs is text, wherever it is shown', { skip }, async (context) => {
  const canary = '<img src=x onerror=alert(1)>"\'><script>alert(2)</script>{{7*7}}';
  const body = {
    email: `canary-${Date.now()}@example.com`,
    password,
    name: canary,
    org_name: canary,
    org_code: undefined,
  };
  const signedUp = await call<{ org: { code: string } }>('POST', `${platform.management}/auth/signup`, { body });
  assert.equal(signedUp.status, 201, signedUp.text);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, body);
  await page.getByRole('button', { name: `Org: ${canary}` }).click();
  await page.getByRole('menuitem', { name: canary }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByText(canary).first().waitFor();
  await page.getByRole('menuitem', { name: 'Your account' }).click();
  await page.getByText(`${canary}, ${body.email}`).waitFor();
  await page.goto(`/o/${signedUp.body.org.code}/prod`);
  await page.getByRole('button', { name: 'Provision production' }).waitFor();
});
