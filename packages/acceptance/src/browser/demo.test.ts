/** The link that a first start prints, as a newcomer opens it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../eventually.ts';
import type { Platform } from '../platform.ts';
import { assertAccessible } from './accessibility.ts';
import { consolePlatform, openBrowser, skip } from './browser.ts';

async function printedLink(platform: Platform): Promise<string> {
  await eventually('the demo', () => platform.stdout().includes('Bearer $TOKEN'));
  const [link] = /http\S+\/sign-in\/link#\S+/.exec(platform.stdout()) ?? [];
  assert.ok(link, platform.stdout());
  return link;
}

test('the link that a first start prints leads to the console of the demo, once', { skip }, async (context) => {
  const platform = await consolePlatform({ env: { FREEHOLD_DEMO: 'on', FREEHOLD_STORE: 'sqlite:' } });
  const link = await printedLink(platform);
  const page = await (await openBrowser(context, platform)).newPage();
  await page.goto(link);
  const signIn = page.getByRole('button', { name: 'Sign in' });
  await signIn.waitFor();
  await assertAccessible(page);
  assert.deepEqual(await page.context().cookies(), [], 'a page that led here has signed the user in');
  await signIn.click();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Org: Demo' }).waitFor();
  await page.getByRole('link', { name: 'Entities' }).click();
  await page.getByRole('link', { name: 'ticket', exact: true }).waitFor();
  await assertAccessible(page);
  await page.goto('about:blank');
  await page.goto(link);
  await signIn.click();
  await page.getByRole('alert').getByText('not_found').waitFor();
  await assertAccessible(page);
  await page.goto('/sign-in/link');
  await page.getByRole('alert').getByText('It has no code').waitFor();
});
