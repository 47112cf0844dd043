/** The watch of the browser tests is believed because it finds planted faults. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, findingsOn } from './accessibility.ts';
import { consolePlatform, skip, watchedContext } from './browser.ts';

const platform = skip === false ? await consolePlatform() : undefined;

async function watchedPage() {
  assert.ok(platform);
  const watched = await watchedContext(platform);
  const page = await watched.newPage();
  await page.goto('/sign-in');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  return { page, watched };
}

test('a page that is well has no fault and no finding', { skip }, async () => {
  const { page, watched } = await watchedPage();
  assert.deepEqual(await findingsOn(page), []);
  assert.deepEqual(watched.faults(), []);
  await watched.context.close();
});

const planted = [
  ['an error of a script', 'setTimeout(() => { throw new Error("planted") })', /an error of a script: planted/],
  [
    'a script in the page',
    'document.body.append(Object.assign(document.createElement("script"), { text: "1" }))',
    /script-src/,
  ],
  ['a handler in the page', 'document.body.innerHTML = "<img src=/x.png onerror=alert(1)>"', /script-src/],
  [
    'a style in the page',
    'document.body.append(Object.assign(document.createElement("style"), { textContent: "a{}" }))',
    /style-src/,
  ],
  ['a dialog', 'setTimeout(() => alert("planted"))', /a dialog: planted/],
  ['a foreign address', 'void fetch("http://127.0.0.1:9/planted").catch(() => 0)', /connect-src/],
  ['a foreign page', 'location.assign("http://127.0.0.1:9/planted")', /a request to http:\/\/127\.0\.0\.1:9\/planted/],
  ['an error in the console', 'console.error("planted")', /an error in the console: planted/],
] as const;

for (const [what, script, pattern] of planted)
  test(`${what} is found`, { skip }, async () => {
    const { page, watched } = await watchedPage();
    await page.evaluate(script);
    assert.match(await watched.firstFault, pattern);
    await watched.context.close();
  });

test('an image without words and pale text are found', { skip }, async () => {
  const { page, watched } = await watchedPage();
  await page.evaluate(`document.querySelector('main').append(
    document.createElement('img'),
    Object.assign(document.createElement('p'), { textContent: 'pale' }),
  ); document.querySelector('main p:last-child').style.color = '#ccc'`);
  const findings = (await findingsOn(page)).join('\n');
  assert.match(findings, /image-alt/);
  assert.match(findings, /color-contrast/);
  await watched.context.close();
});

test('text that is pale in dark colours alone is found', { skip }, async () => {
  const { page, watched } = await watchedPage();
  await assertAccessible(page);
  await page.evaluate(`document.querySelector('main').append(
    Object.assign(document.createElement('p'), { textContent: 'pale' }),
  ); document.querySelector('main p:last-child').style.color = 'light-dark(#222, #333)'`);
  await assert.rejects(assertAccessible(page), /in dark.*color-contrast/s);
  await watched.context.close();
});
