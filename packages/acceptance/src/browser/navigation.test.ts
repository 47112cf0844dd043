import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertBecomes } from '../eventually.ts';
import { assertAccessible } from './accessibility.ts';
import { consolePlatform, openBrowser, skip } from './browser.ts';
import { newOrgOn } from './console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

const focused = async (page: Page): Promise<string> =>
  await page.evaluate<string>('document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText');

test('the keyboard skips to the content, and passes a closed menu by', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const { code } = await newOrgOn(page, platform);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`/o/${code}/test/records?q=a`);
    await page.getByRole('heading', { name: 'Records', level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    await assertBecomes(() => focused(page), 'Skip to the content');
    const skipLink = page.getByRole('link', { name: 'Skip to the content' });
    await assertBecomes(async () => ((await skipLink.boundingBox())?.y ?? -1) >= 0, true);
    await assertAccessible(page);
    await page.keyboard.press('Enter');
    await assertBecomes(() => page.evaluate('document.activeElement.tagName'), 'MAIN');
    await assertBecomes(() => new URL(page.url()).search, '?q=a');
  }
  // At the last width, the menu is closed.
  const screens = page.getByRole('navigation', { name: 'Screens' });
  await screens.waitFor({ state: 'hidden' });
  const burger = page.getByRole('button', { name: 'Navigation' });
  await burger.focus();
  const passed: string[] = [];
  for (let stop = 0; stop < 40; stop++) {
    await page.keyboard.press('Tab');
    passed.push(await focused(page));
  }
  assert.ok(!passed.includes('Entities') && !passed.includes('Team'), passed.join(', '));
  await burger.click();
  await screens.getByRole('link', { name: 'Entities' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Entities', level: 1 }).waitFor();
  await screens.waitFor({ state: 'hidden' });
});
