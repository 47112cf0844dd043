import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withOperator } from '../../plans.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { operateAt } from './operator-pages.ts';

const platform = skip === false ? await consolePlatform(withOperator) : { app: '', management: '' };

test('the node that answers is shown with its stores and background work, and read again by itself', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  await page.clock.install();
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'fetch') calls.push(new URL(request.url()).pathname);
  });
  await operateAt(page, '/health');
  await page.getByRole('status').getByText('The node is well').waitFor();
  assert.deepEqual(calls, ['/platform/keys', '/platform/health']);
  for (const store of ['the store of the platform', 'the store of test', 'the store of production'])
    await page.getByRole('region', { name: store }).getByText('It answers. A write that was answered').waitFor();
  await page.getByRole('table', { name: 'Threads' }).getByText('It serves.').first().waitFor();
  await page.getByRole('table', { name: 'Queues' }).getByText('Nothing waits.').first().waitFor();
  await page.getByRole('table', { name: 'Jobs' }).getByText('Removes what has expired').waitFor();
  await assertAccessible(page);
  const again = page.waitForRequest(/\/platform\/health$/);
  await page.clock.fastForward('00:11');
  await again;
  const byHand = page.waitForRequest(/\/platform\/health$/);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await byHand;
});

test('a node that is away leaves what it said last, and says so', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  await operateAt(page, '/health');
  await page.getByRole('status').getByText('The node is well').waitFor();
  await page.route('**/platform/health', (route) => route.abort());
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('The node could not be read again. This is what it said last.').waitFor();
  await page.getByRole('table', { name: 'Jobs' }).waitFor();
  await assertAccessible(page);
  await page.unroute('**/platform/health');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('The node could not be read again.').waitFor({ state: 'detached' });
});
