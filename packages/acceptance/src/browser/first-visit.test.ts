/** What a visit shows and asks for before the scripts of the console are there. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { assertBecomes } from '../eventually.ts';
import { create, defineEntity, foundedOrg } from '../org.ts';
import { consolePlatform, isCall, openBrowser, skip } from './browser.ts';
import { signInAs } from './console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

/** A page whose main script waits until it is let through, and the calls that it sends. */
async function heldPage(context: TestContext) {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, { entityName: 'order', UpdateParams: [{ name: 'title' }] });
  await create(founder, 'order', { title: 'Lamp' });
  const page = await (await openBrowser(context, platform, { colorScheme: 'light' })).newPage();
  await signInAs(page, org.builder);
  const calls: string[] = [];
  page.on('request', (request) => {
    if (isCall(request)) calls.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  let held = Promise.withResolvers<void>();
  await page.route(/\/assets\/main-[^/]*\.js$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  const open = async (path: string) => {
    held = Promise.withResolvers<void>();
    // The page before asks for nothing any more.
    await page.goto('about:blank');
    calls.length = 0;
    await page.goto(`/o/${org.code}/test${path}`, { waitUntil: 'commit' });
    await page.locator('html[data-frame=place]').waitFor();
    await page.getByText('Freehold', { exact: true }).waitFor();
  };
  return { page, calls, open, release: () => held.resolve() };
}

test('the frame stands there before the scripts, in the chosen colours, and gives way without a jump', {
  skip,
}, async (context) => {
  const { page, open, release } = await heldPage(context);
  await page.evaluate("localStorage.setItem('mantine-color-scheme-value', 'dark')");
  await page.addInitScript(`globalThis.shifts = [];
    new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value)))
      .observe({ type: 'layout-shift', buffered: true });`);
  await open('/entities');
  const background = 'getComputedStyle(document.body).backgroundColor';
  const before = await page.evaluate<string>(background);
  assert.equal(before, 'rgb(36, 36, 36)');
  await assertBecomes(() => page.getByRole('heading').count(), 0);
  release();
  await page.getByRole('link', { name: 'order' }).waitFor();
  await assertBecomes(() => page.getByText('Freehold', { exact: true }).count(), 0);
  assert.equal(await page.evaluate<string>(background), before);
  const shifts = await page.evaluate<readonly number[]>('shifts');
  assert.ok(
    shifts.every((shift) => shift < 0.01),
    shifts.join(),
  );
});

test('a visit sends the calls of its screen before the scripts are there, and each of them once', {
  skip,
}, async (context) => {
  const { page, calls, open, release } = await heldPage(context);
  const me = 'GET /auth/me';
  const openings = [
    { path: '', calls: [me, 'GET /observability', 'GET /org/overview'], shown: page.getByRole('table') },
    { path: '/entities', calls: ['GET /api/entities', me], shown: page.getByRole('link', { name: 'order' }) },
    { path: '/entities/order', calls: ['GET /api/entity', me], shown: page.getByRole('tab', { name: 'Definition' }) },
    { path: '/records?w=main', calls: ['GET /api/entities', me], shown: page.getByRole('link', { name: 'order' }) },
    {
      path: '/records/order?w=main',
      calls: ['GET /api/entity', me, 'POST /org/impersonate'],
      shown: page.getByRole('gridcell', { name: 'Lamp' }),
    },
  ];
  for (const { path, calls: firstCalls, shown } of openings) {
    await open(path);
    await assertBecomes(() => calls.toSorted(), firstCalls, path);
    release();
    await shown.first().waitFor();
    assert.equal(new Set(calls).size, calls.length, `${path}: ${calls.join()}`);
  }
});

test('a visit loads each of its files once, and uses what it has preloaded', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const files: string[] = [];
  const warnings: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/assets/')) files.push(pathname);
  });
  page.on('console', (message) => {
    if (message.type() === 'warning') warnings.push(message.text());
  });
  await page.goto('/sign-in');
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  assert.ok(files.some((path) => /\/main-[^/]*\.css$/.test(path)));
  const twice = files.filter((path, place) => path.endsWith('.css') && files.indexOf(path) !== place);
  assert.deepEqual(twice, []);
  assert.deepEqual(warnings, []);
});
