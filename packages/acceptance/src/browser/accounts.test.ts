import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { call } from '../call.ts';
import { assertBecomes } from '../eventually.ts';
import { joinOrg, manage, newEmail, password, random, signUp } from '../org.ts';
import { assertAccessible } from './accessibility.ts';
import { consolePlatform, openBrowser, skip } from './browser.ts';
import { newOrgOn, signInAs } from './console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

async function mailedLink(to: string): Promise<string> {
  const reply = await call<{ items: readonly { text: string }[] }>(
    'GET',
    `${platform.management}/inbox?to=${encodeURIComponent(to)}`,
  );
  assert.equal(reply.status, 200, reply.text);
  const [link] = /https?:\/\/\S+/.exec(reply.body.items[0]?.text ?? '') ?? [];
  assert.ok(link, reply.text);
  // A mail says `localhost` where no public address is set.
  return platform.management + link.slice(new URL(link).origin.length);
}

async function homeOf(page: Page, orgName: string): Promise<void> {
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  await page.getByRole('button', { name: `Org: ${orgName}` }).waitFor();
}

test('a stranger signs up and is at home, with the first steps to do', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  await page.goto('/');
  await page.waitForURL('**/sign-in');
  await assertAccessible(page);
  await page.getByRole('link', { name: 'Create an org' }).click();
  await page.getByLabel('Your name').fill('Ann');
  await page.getByRole('textbox', { name: 'Email' }).fill(newEmail('ann'));
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  const suffix = random().slice(0, 8);
  await page.getByLabel('Name of the org').fill(`Café Überraschung & Söhne ${suffix}`);
  const code = page.getByRole('textbox', { name: 'Code of the org' });
  await assertBecomes(() => code.inputValue(), `cafeueberraschungsoehne${suffix}`.slice(0, 24));
  await page.getByLabel('Name of the org').fill('株式会社 山田');
  await page.getByText('It has no letters for “株式会社山田”: check it.').waitFor();
  await assertBecomes(() => code.inputValue(), '');
  await assertAccessible(page);
  const { code: taken } = await signUp(platform);
  await code.fill(taken);
  await page.getByRole('button', { name: 'Create the org' }).click();
  await page.getByText(`the org code ${taken} is taken`).first().waitFor();
  await code.fill(`yamada${suffix}`);
  await page.getByRole('button', { name: 'Create the org' }).click();
  await homeOf(page, '株式会社 山田');
  await assertBecomes(() => page.url(), new RegExp(`/o/yamada${suffix}/test$`));
  await page.getByText('Define an entity').waitFor();
  await assertBecomes(() => page.getByText('to do', { exact: true }).count(), 7);
  await assertAccessible(page);
});

test('what the server refuses stands at its field, and what was typed stays', { skip }, async (context) => {
  const { builder } = await signUp(platform);
  const page = await (await openBrowser(context, platform)).newPage();
  await page.goto('/sign-in');
  await page.getByRole('textbox', { name: 'Email' }).fill(builder.email);
  await page.getByRole('textbox', { name: 'Password' }).fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  const alert = page.getByRole('alert');
  await alert.waitFor();
  await assertBecomes(() => alert.textContent(), /credentials_invalid, request/);
  await assertBecomes(() => page.getByRole('textbox', { name: 'Email' }).inputValue(), builder.email);
  await assertAccessible(page);
});

test('the code of an org that cannot be is refused in words', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  await page.goto('/sign-up');
  await page.getByRole('textbox', { name: 'Your name' }).fill('Ann');
  await page.getByRole('textbox', { name: 'Email' }).fill('ann@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('textbox', { name: 'Name of the org' }).fill('Lumen');
  await page.getByRole('textbox', { name: 'Code of the org' }).fill('9-lumen');
  await page.getByRole('button', { name: 'Create the org' }).click();
  const error = page.getByText(/must be a lower-case letter and then 1 to 31 of a-z, 0-9/);
  await error.first().waitFor();
  await assertBecomes(() => error.first().locator('code').allTextContents(), ['org_code', 'a-z', '0-9']);
  await assertAccessible(page);
});

test('a session is a cookie that no script sees, and signing out ends it', { skip }, async (context) => {
  const opened = await openBrowser(context, platform);
  const page = await opened.newPage();
  await newOrgOn(page, platform);
  const [cookie] = await opened.context.cookies();
  assert.deepEqual([cookie?.name, cookie?.httpOnly, cookie?.sameSite], ['freehold', true, 'Strict']);
  assert.equal(await page.evaluate('document.cookie'), '');
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await assertBecomes(() => opened.context.cookies(), []);
  const ended = await call('GET', `${platform.management}/auth/me`, {
    headers: { cookie: `freehold=${cookie?.value}` },
  });
  assert.equal(ended.status, 401);
});

test('a link into the console leads there after signing in, and to no other site', { skip }, async (context) => {
  const { code, builder } = await signUp(platform);
  const page = await (await openBrowser(context, platform)).newPage();
  await page.goto(`/o/${code}/test/account`);
  await page.getByRole('textbox', { name: 'Email' }).fill(builder.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  for (const next of [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    '/o/../..//evil.example',
  ]) {
    await page.context().clearCookies();
    await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
    await page.getByRole('textbox', { name: 'Email' }).fill(builder.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: /^Org/ }).or(page.getByText('There is nothing here')).first().waitFor();
    await assertBecomes(() => page.url().startsWith(`${platform.management}/`), true);
  }
});

test('a forgotten password is reset by the mailed link, which works once', { skip }, async (context) => {
  const { builder } = await signUp(platform);
  const page = await (await openBrowser(context, platform)).newPage();
  await page.goto('/forgot-password');
  await page.getByRole('textbox', { name: 'Email' }).fill(builder.email);
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByRole('status').waitFor();
  const link = await mailedLink(builder.email);
  for (const [answer, role] of [
    ['Your password is changed', 'status'],
    ['not_found', 'alert'],
  ] as const) {
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByRole('textbox', { name: 'New password' }).fill('another good password');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByRole(role).filter({ hasText: answer }).waitFor();
  }
  await assertAccessible(page);
  await signInAs(page, builder, 'another good password');
});

test('an invitation is accepted by its mailed link, by a new person and by one who has an account', {
  skip,
}, async (context) => {
  const org = await signUp(platform);
  const other = await signUp(platform);
  const newcomer = newEmail('newcomer');
  for (const email of [newcomer, other.builder.email])
    assert.equal((await manage(org, 'POST', '/org/users', { body: { email, role: 'developer' } })).status, 201);
  const page = await (await openBrowser(context, platform)).newPage();
  await page.goto(await mailedLink(newcomer));
  await page.getByLabel('Your name').fill('Nora');
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Join' }).click();
  await homeOf(page, `Org ${org.code}`);

  const second = await (await openBrowser(context, platform)).newPage();
  await second.goto(await mailedLink(other.builder.email));
  await second.getByText('I have an account').click();
  await second.getByRole('textbox', { name: 'Your password' }).fill(password);
  await second.getByRole('button', { name: 'Join' }).click();
  await homeOf(second, `Org ${org.code}`);
  await second.getByRole('button', { name: /^Org:/ }).click();
  await second.getByRole('menuitem', { name: other.code }).click();
  await homeOf(second, `Org ${other.code}`);
});

test('a link without its code says so', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  for (const path of ['/reset-password', '/accept-invitation']) {
    await page.goto(path);
    await page.getByText('The link is incomplete').waitFor();
  }
  await assertAccessible(page);
});

test('a developer is told why production cannot be provisioned, and an admin provisions it', {
  skip,
}, async (context) => {
  const org = await signUp(platform);
  const email = newEmail('developer');
  await joinOrg(org, 'developer', email);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, { email });
  await page.getByRole('button', { name: 'Environment: Test' }).click();
  await page.getByRole('menuitem', { name: 'Production' }).click();
  const button = page.getByRole('button', { name: 'Provision production' });
  await button.hover();
  await page.getByRole('tooltip').filter({ hasText: 'Only an admin of the org may do this.' }).waitFor();
  await button.click({ force: true });
  await assertAccessible(page);

  const own = await (await openBrowser(context, platform)).newPage();
  await signInAs(own, org.builder);
  await own.goto(`/o/${org.code}/prod`);
  await own.getByRole('button', { name: 'Provision production' }).click();
  await own.getByText('Production changes by deploys only.').waitFor();
  await assertAccessible(own);
});

test('N12: an address in a link into the console leads nowhere else, and runs nothing', { skip }, async (context) => {
  const org = await signUp(platform);
  const evil = [
    'javascript:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,x',
    '//evil.example',
    '\\\\evil.example',
    '/o/\\evil.example',
    '/o/x/../../\t/evil',
  ];
  const page = await (await openBrowser(context, platform)).newPage();
  for (const next of evil) {
    await page.context().clearCookies();
    await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
    await page.getByRole('textbox', { name: 'Email' }).fill(org.builder.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/o/'));
    await assertBecomes(() => new URL(page.url()).origin, platform.management, next);
  }
});
