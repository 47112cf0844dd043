import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { call } from '../call.ts';
import { assertBecomes } from '../eventually.ts';
import { type AppUser, defineEntity, foundedOrg, manage } from '../org.ts';
import { assertAccessible } from './accessibility.ts';
import { consolePlatform, openBrowser, skip } from './browser.ts';

const platform =
  skip === false
    ? await consolePlatform({ env: { FREEHOLD_CONSOLE: 'off', FREEHOLD_DOCS: 'on' } })
    : { app: '', management: '' };

const fits = 'document.documentElement.scrollWidth <= innerWidth';

test('the search finds a page and its heading by the keyboard alone', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  await page.goto('/docs');
  await assertBecomes(() => new URL(page.url()).pathname, '/docs/index.html');
  await page.getByRole('heading', { name: 'The guide', level: 1 }).waitFor();
  await page.getByRole('combobox').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('conditions on records');
  const options = page.getByRole('listbox', { name: 'Found pages' }).getByRole('option');
  await options.first().waitFor();
  await page.keyboard.press('ArrowDown');
  await assertBecomes(() => options.first().getAttribute('aria-selected'), 'true');
  await assertAccessible(page);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/docs\/guides\/access\.html#conditions-on-records$/);
  await page.getByRole('heading', { name: 'Conditions on records' }).waitFor();
  await page.getByRole('combobox').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('zzzzzzzz');
  await page.getByText('Nothing is found.').waitFor();
  await page.keyboard.press('Escape');
});

for (const path of ['index', 'guides/access', 'api/index', 'api/app/signing-in', 'problems', 'decisions/index'])
  test(`/docs/${path}.html is accessible in light and dark, and fits a narrow screen`, { skip }, async (context) => {
    const page = await (await openBrowser(context, platform)).newPage();
    await page.goto(`/docs/${path}.html`);
    await assertAccessible(page);
    await page.setViewportSize({ width: 390, height: 800 });
    assert.equal(await page.evaluate(fits), true);
  });

test('a name in a table is on one line, also on a narrow screen', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform, { viewport: { width: 390, height: 800 } })).newPage();
  await page.goto('/docs/guides/identity.html');
  const broken = await page.evaluate<readonly string[]>(
    "[...document.querySelectorAll('td code')].filter((code) => /^\\w+$/.test(code.textContent) && code.getClientRects().length > 1).map((code) => code.textContent)",
  );
  assert.deepEqual(broken, []);
  await assertBecomes(async () => (await page.locator('td code').count()) > 20, true);
  assert.equal(await page.evaluate(fits), true);
});

test('colours are chosen once for all pages', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform, { colorScheme: 'light' })).newPage();
  await page.goto('/docs/index.html');
  const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const light = await background();
  await page.getByRole('button', { name: 'Use dark colours' }).click();
  const dark = await background();
  assert.notEqual(dark, light);
  await page.goto('/docs/guides/access.html');
  await assertBecomes(() => background(), dark);
  await page.getByRole('button', { name: 'Use light colours' }).click();
  await assertBecomes(() => background(), light);
});

test('on a narrow screen the pages open over the text', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform, { viewport: { width: 390, height: 800 } })).newPage();
  await page.goto('/docs/index.html');
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await assertBecomes(() => pages.isVisible(), false);
  await page.getByRole('button', { name: 'Pages' }).click();
  await pages.getByRole('link', { name: 'Entities' }).click();
  await page.getByRole('heading', { name: 'Entities', level: 1 }).waitFor();
});

test('without scripts every page is read, and leads to the others', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform, { javaScriptEnabled: false })).newPage();
  await page.goto('/docs/api/app/records.html');
  await page.getByText('Members').first().waitFor();
  await page.getByRole('link', { name: 'Access', exact: true }).click();
  await page.getByRole('heading', { name: 'Access', level: 1 }).waitFor();
  await assertBecomes(() => page.getByRole('combobox').count(), 0);
  await assertBecomes(() => page.locator('button.theme').isVisible(), false);
});

test('code is copied', { skip }, async (context) => {
  const { context: browser, newPage } = await openBrowser(context, platform);
  await browser.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: platform.management });
  const page = await newPage();
  await page.goto('/docs/api/app/signing-in.html');
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  assert.match(await page.evaluate<string>('navigator.clipboard.readText()'), /^curl -i -X POST .*\/app\/acme\/login/);
});

test('a page is served with its policy, its tag and its coding, by GET and HEAD, and nothing beside the pages is', {
  skip,
}, async () => {
  const url = `${platform.management}/docs/guides/access.html`;
  const first = await fetch(url, { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(first.status, 200);
  assert.equal(first.headers.get('content-encoding'), 'gzip');
  assert.match(first.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
  assert.equal(first.headers.get('cross-origin-opener-policy'), 'same-origin');
  assert.equal(first.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(first.headers.get('set-cookie'), null);
  const etag = first.headers.get('etag') ?? '';
  const again = await fetch(url, { headers: { 'accept-encoding': 'gzip', 'if-none-match': etag } });
  assert.equal(again.status, 304);
  const head = await fetch(url, { method: 'HEAD' });
  assert.deepEqual([head.status, await head.text()], [200, '']);
  for (const path of ['gone.html', 'build.ts', 'app-docs.html', 'assets/gone.js', 'index'])
    assert.equal((await call('GET', `${platform.management}/docs/${path}`)).status, 404, path);
  for (const path of [
    '../package.json',
    '%2e%2e/package.json',
    '..%2fpackage.json',
    'assets/..%5c..%5cpackage.json',
    'guides//access.html',
  ])
    assert.ok([400, 404].includes(await statusOfRaw(`/docs/${path}`)), path);
  assert.equal((await call('POST', url)).status, 404);
});

/** The status of a target that `fetch` would put into its canonical form. */
async function statusOfRaw(target: string): Promise<number> {
  const { request } = await import('node:http');
  const { hostname, port } = new URL(platform.management);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path: target }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

test('the page behind the type of a problem leads to the page of all problems', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  await page.goto('/problems/not_found');
  await page.getByRole('link', { name: 'All problems' }).click();
  await page.waitForURL(/\/docs\/problems\.html#not_found$/);
  await page.getByRole('heading', { name: 'not_found 404' }).waitFor();
  assert.doesNotMatch((await call('GET', `${platform.app}/problems/not_found`)).text, /<a/);
});

const canary = '<img src=x onerror=alert(1)>';
const addresses = [
  'javascript:alert(1)',
  'data:text/html,x',
  'java\tscript:alert(1)',
  '//evil.example',
  '\\\\evil.example',
];

async function signInOn(page: Page, { org, email, password }: AppUser): Promise<void> {
  await page.goto(`${platform.app}/app/${org.code}/docs`);
  await page.getByLabel('Client id').fill(org.clientId);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Forget the token' }).waitFor();
}

test('N12: an app’s own API is shown to its user, and what its builder wrote is text', { skip }, async (context) => {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, {
    entityName: 'order',
    UpdateParams: [
      { name: 'title', validate: true, description: `${canary} [link](javascript:alert(1))` },
      ...addresses.map((address, index) => ({ name: `address_${index}`, description: address })),
      { name: 'kind', colType: 'enum', enumValues: [canary, 'javascript:alert(2)'], default: canary },
      { name: 'site', colType: 'string', default: 'javascript:alert(3)' },
    ],
  });
  const page = await (await openBrowser(context, platform)).newPage();
  await page.goto(`${platform.app}/app/${org.code}/docs`);
  await assertAccessible(page);
  await signInOn(page, founder);
  await assertBecomes(
    () => page.locator('#pages li').first().textContent(),
    'order',
    'the app’s own entities come first',
  );
  await page.getByRole('link', { name: 'order', exact: true }).click();
  await page.getByRole('heading', { name: 'order', level: 1 }).waitFor();
  await page.getByText(`/app/${org.code}/create/order`).first().waitFor();
  await page.getByText(canary).first().waitFor();
  await page.getByText('javascript:alert(3)').first().waitFor();
  await assertAccessible(page);
  const links = await page.evaluate<readonly string[]>(
    "[...document.querySelectorAll('a')].map((a) => a.getAttribute('href'))",
  );
  assert.ok(links.length > 10);
  for (const link of links) assert.match(link, /^#/);
  await assertBecomes(() => page.locator('main img').count(), 0);
  // The token is in no address, no storage and no cookie.
  await assertBecomes(() => /eyJ|token/.test(page.url()), false);
  assert.equal(
    await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])'),
    '[{},{},""]',
  );
  await page.getByRole('button', { name: 'Forget the token' }).click();
  await page.getByRole('heading', { name: 'The API of this app' }).waitFor();
  await assertBecomes(() => page.getByText(canary).count(), 0);
});

test('an address that no user has is refused, and gets no account', { skip }, async (context) => {
  const { org, founder } = await foundedOrg(platform);
  const page = await (await openBrowser(context, platform)).newPage();
  await page.goto(`${platform.app}/app/${org.code}/docs`);
  const mistyped = `x${founder.email}`;
  await page.getByLabel('Client id').fill(org.clientId);
  await page.getByLabel('Email').fill(mistyped);
  await page.getByLabel('Password').fill(founder.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('credentials_invalid').waitFor();
  const found = await manage<{ readonly items: readonly unknown[] }>(
    org,
    'GET',
    `/org/app-users?env=test&q=${mistyped}`,
  );
  assert.deepEqual(found.body.items, []);
});

test('the views of an entity are named, and a chosen one shows its replies', { skip }, async (context) => {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, {
    entityName: 'order',
    UpdateParams: [{ name: 'title', validate: true }],
    Views: { short: { fields: [{ name: 'title', as: 'label' }] } },
  });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInOn(page, founder);
  const call = page.getByRole('region', { name: 'Creates a record' });
  await call.getByText('query, "default" or "compact" or "short"').waitFor();
  const reply = call.locator('[data-example=reply]');
  const shows = async (member: string) => ((await reply.textContent()) ?? '').includes(`"${member}": "`);
  await assertBecomes(() => shows('title'), true);
  await page.getByRole('link', { name: 'Creates a record' }).click();
  await page.getByLabel('Replies by the view').selectOption('short');
  await assertBecomes(() => shows('label'), true);
  await call.getByText('/create/order?view=short').first().waitFor();
  await assertAccessible(page);
  await page.getByLabel('Replies by the view').selectOption('default');
  await assertBecomes(() => shows('title'), true);
});

test('a pasted token shows the same, and a refusal says why and shows nothing', { skip }, async (context) => {
  const [{ org, founder }, other] = [await foundedOrg(platform), await foundedOrg(platform)];
  await defineEntity(org, { entityName: 'secret_plan', UpdateParams: [{ name: 'title' }] });
  const page = await (await openBrowser(context, platform, { viewport: { width: 390, height: 800 } })).newPage();
  await page.goto(`${platform.app}/app/${org.code}/docs`);
  await page.getByText('Use a token').click();
  for (const token of ['x', other.founder.token]) {
    await page.getByLabel('App token or service key').fill(token);
    await page.getByRole('button', { name: 'Show the API' }).click();
    await page.getByRole('alert').getByText('token_invalid').waitFor();
    await assertBecomes(() => page.getByText('secret_plan').count(), 0);
  }
  await page.getByLabel('App token or service key').fill(founder.token);
  await page.getByRole('button', { name: 'Show the API' }).click();
  await page.getByRole('button', { name: 'Groups' }).click();
  await page.getByRole('link', { name: 'secret_plan', exact: true }).click();
  await page.getByRole('heading', { name: 'secret_plan', level: 1 }).waitFor();
  assert.equal(await page.evaluate(fits), true);
});

test('the page of an app is the same for every code, and takes no token from an address', { skip }, async () => {
  const { org, founder } = await foundedOrg(platform);
  const pageOf = async (code: string, query = '') => {
    const reply = await call('GET', `${platform.app}/app/${code}/docs${query}`);
    const headers = [...reply.headers].filter(([name]) => !/^(date|x-request-id|keep-alive|connection)$/.test(name));
    return { status: reply.status, text: reply.text, headers };
  };
  const own = await pageOf(org.code);
  assert.equal(own.status, 200);
  assert.deepEqual(await pageOf('nosuchorg'), own);
  assert.ok(!own.text.includes(org.code));
  assert.equal(new Map(own.headers).get('cache-control'), 'no-store');
  assert.equal((await pageOf(org.code, `?token=${founder.token}`)).status, 400);
  const requested = await call('GET', `${platform.app}/app/${org.code}/openapi.json?token=${founder.token}`);
  assert.ok([400, 401].includes(requested.status));
});
