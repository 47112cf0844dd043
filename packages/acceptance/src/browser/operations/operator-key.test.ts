import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { call } from '../../call.ts';
import { assertBecomes } from '../../eventually.ts';
import { signUp } from '../../org.ts';
import { operatorKey, withOperator } from '../../plans.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, isCall, openBrowser, skip } from '../browser.ts';
import { signInAs } from '../console-pages.ts';
import { operateAt, unlock } from './operator-pages.ts';

const platform = skip === false ? await consolePlatform(withOperator) : { app: '', management: '' };

/** What a request says beside the header that is made for the key, as one text. */
async function restOf(request: Request): Promise<string> {
  const { authorization: _, ...headers } = await request.allHeaders();
  return [request.url(), request.postData() ?? '', JSON.stringify(headers)].join('\n');
}

/** All that the browser stores of the page, and all that the document has. */
async function traces(page: Page): Promise<string> {
  const stored = await page.context().storageState({ indexedDB: true });
  const shown = await page.evaluate<readonly unknown[]>(`Promise.all([
    location.href, document.title, document.cookie, name, JSON.stringify(history.state),
    JSON.stringify(localStorage), JSON.stringify(sessionStorage),
    document.documentElement.outerHTML,
    JSON.stringify(performance.getEntries().map(({ name }) => name)),
    caches.keys().then(async (names) => JSON.stringify(names)),
    indexedDB.databases().then((databases) => JSON.stringify(databases)),
    navigator.serviceWorker.getRegistrations().then(({ length }) => length + ' workers'),
  ])`);
  return JSON.stringify([stored, shown]);
}

test('the operator key is in the header of calls below /platform, and nowhere else', { skip }, async (context) => {
  const opened = await openBrowser(context, platform);
  const page = await opened.newPage();
  const org = await signUp(platform);
  await signInAs(page, org.builder);
  const requests: Request[] = [];
  const logged: string[] = [];
  page.on('request', (request) => requests.push(request));
  page.on('console', (message) => logged.push(message.text()));
  await operateAt(page, '/keys');
  const table = page.getByRole('table', { name: 'Signing keys' });
  await table.getByText('It signs every new token').waitFor();
  const locked = await traces(page);
  for (const [screen, title] of screens) {
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen }).click();
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
  }
  await page.goto(`/operations/orgs/${org.code}`);
  await unlock(page);
  await page.getByRole('table', { name: 'Limits of the plan' }).waitFor();
  await unlockedAgain(page, 'wrong-key-of-a-person');
  for (const found of [locked, await traces(page)]) {
    assert.ok(found.includes('mantine') && found.length > 1000, 'the traces of the page are read');
    assert.ok(!found.includes(operatorKey), found.slice(0, 200));
  }
  const authorized: string[] = [];
  for (const request of requests) {
    assert.ok(!(await restOf(request)).includes(operatorKey), request.url());
    const { authorization, cookie } = await request.allHeaders();
    if (authorization?.includes(operatorKey) !== true) continue;
    authorized.push(new URL(request.url()).pathname);
    assert.equal(cookie, undefined, 'the session of a builder stays behind');
  }
  assert.ok(authorized.includes('/platform/keys') && authorized.includes('/platform/audit'), authorized.join());
  assert.ok(
    authorized.every((path) => path.startsWith('/platform/')),
    authorized.join(),
  );
  assert.ok(!logged.join('\n').includes(operatorKey));
});

const screens = [
  ['Orgs', 'Orgs'],
  ['Accounts', 'Accounts'],
  ['Health', 'Health'],
  ['Doctor', 'Doctor'],
  ['Errors', 'Errors'],
  ['Audit', 'Audit log of the operator'],
] as const;

/** Locks the page, and types another key, which is refused, before the right one. */
async function unlockedAgain(page: Page, wrong: string): Promise<void> {
  await page.getByRole('button', { name: 'Lock' }).click();
  await unlock(page, wrong);
  await page.getByText('This is not the operator key of this platform.').waitFor();
  await unlock(page);
  await page.getByRole('button', { name: 'Lock' }).waitFor();
}

test('the key is gone by Lock, by a reload, and by leaving the area; what was read goes with it', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  await page.goto('/sign-in');
  await page.getByRole('link', { name: 'Operations' }).click();
  const form = page.getByRole('heading', { name: 'Operations', level: 1 });
  await form.waitFor();
  await assertAccessible(page);
  const enter = async () => {
    await unlock(page);
    await page.getByRole('link', { name: 'Signing keys' }).click();
    await page.getByRole('table', { name: 'Signing keys' }).waitFor();
  };
  await enter();
  await page.getByRole('button', { name: 'Lock' }).press('Enter');
  await form.waitFor();
  await assertBecomes(() => page.getByRole('table').count(), 0);
  await assertBecomes(() => page.url().endsWith('/operations/keys'), true);
  await enter();
  await page.reload();
  await form.waitFor();
  await enter();
  await page.goto('/sign-up');
  await page.goBack();
  await form.waitFor();
  await page.getByRole('link', { name: 'To the console of your org' }).click();
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
});

test('without use the key is gone after 15 minutes, also where the page has read on by itself', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  await page.clock.install();
  await operateAt(page, '/keys');
  await page.getByRole('table', { name: 'Signing keys' }).waitFor();
  await page.clock.fastForward('14:00');
  await page.keyboard.press('Tab');
  await page.clock.fastForward('14:00');
  await page.getByRole('table', { name: 'Signing keys' }).waitFor();
  await page.clock.fastForward('01:01');
  await page.getByText('Locked, because nothing was done for 15 minutes.').waitFor();
  await assertBecomes(() => page.getByRole('table').count(), 0);
  await unlock(page);
  await page.getByRole('table', { name: 'Signing keys' }).waitFor();
});

test('a call that answers 401 locks the page, and says so', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  await operateAt(page, '/keys');
  await page.getByRole('table', { name: 'Signing keys' }).waitFor();
  // As a platform answers that was started again with another key.
  await page.route('**/platform/audit*', async (route) => {
    await route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer another-key' } });
  });
  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByText('the platform does not take this key any more').waitFor();
  await page.unroute('**/platform/audit*');
  await unlock(page);
  await page.getByRole('heading', { name: 'Audit log of the operator' }).waitFor();
});

test('what can be no key is not sent', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  await page.goto('/operations');
  const sent: string[] = [];
  page.on('request', (request) => {
    if (isCall(request)) sent.push(request.url());
  });
  for (const [typed, fault] of [
    ['', 'Type the operator key.'],
    ['two words', 'A key has no spaces'],
    ['schlüssel🔑', 'A key has no spaces, and only signs of ASCII.'],
  ] as const) {
    await unlock(page, typed);
    await page.getByText(fault).waitFor();
  }
  assert.deepEqual(sent, []);
});

test('a builder reaches the form from the account menu, and loads nothing of the area before', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const files: string[] = [];
  page.on('request', (request) => files.push(new URL(request.url()).pathname));
  const org = await signUp(platform);
  await signInAs(page, org.builder);
  assert.deepEqual(
    files.filter((path) => /operat|signing-keys/.test(path)),
    [],
  );
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Operations' }).click();
  await page.getByRole('heading', { name: 'Operations', level: 1 }).waitFor();
  assert.ok(
    files.some((path) => /operations/.test(path)),
    files.join(),
  );
  // A builder's session opens nothing here.
  await page.getByRole('textbox', { name: 'Operator key' }).fill(org.builder.token);
  await page.getByRole('button', { name: 'Unlock' }).click();
  await page.getByText('This is not the operator key of this platform.').waitFor();
  assert.equal((await call('GET', `${platform.management}/platform/keys`)).status, 401);
});
