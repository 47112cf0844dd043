import { test } from 'node:test';
import { assertBecomes } from '../../eventually.ts';
import { withOperator } from '../../plans.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, isCall, openBrowser, skip } from '../browser.ts';
import { operateAt } from './operator-pages.ts';

const platform = skip === false ? await consolePlatform(withOperator) : { app: '', management: '' };

test('the node that answers is shown with its stores and background work, and read again by itself', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  await page.clock.install();
  const calls: string[] = [];
  page.on('request', (request) => {
    if (isCall(request)) calls.push(new URL(request.url()).pathname);
  });
  await operateAt(page, '/health');
  await page.getByRole('status').getByText('The node is well').waitFor();
  // A slow page has read it again by then.
  await assertBecomes(() => calls.slice(0, 2), ['/platform/keys', '/platform/health']);
  for (const store of ['the store of the platform', 'the store of test', 'the store of production'])
    await page.getByRole('region', { name: store }).getByText('It answers. A write that was answered').waitFor();
  const own = page.getByRole('table', { name: 'Nodes' }).getByRole('row').nth(1);
  await own.getByText('It answers this page.').waitFor();
  await own.getByText(new URL(platform.management).host).waitFor();
  await page.getByText('One node serves the platform.').waitFor();
  await page.getByText(/It uses \d.* of memory, .* of it for objects of JavaScript\./).waitFor();
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

interface ShownHealth {
  readonly nodes: readonly object[];
  readonly stores: readonly object[];
  readonly [member: string]: unknown;
}

test('each node is a row, a node that is not heard of is marked, and jobs name the node that holds them', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  // An embedded store has one node: what a server would tell of others is put into its answer.
  await page.route('**/platform/health', async (route) => {
    const reply = await route.fetch();
    const health = (await reply.json()) as ShownHealth;
    const [own = {}] = health.nodes;
    const other = { ...own, id: 'feedbeef-0001', this_node: false, host: 'beta.internal' };
    const silent = {
      ...other,
      id: 'deadbeef-0002',
      state: 'silent',
      host: '<b>gamma</b>',
      heard_at: '2026-01-01T00:00:00.000Z',
    };
    const until = '2026-11-26T22:00:09.000Z';
    const lease = { space: 'test', queue: 'work', job: 'purge-entity', node: 'feedbeef-0001', until };
    const sizes = { data_bytes: null, log_bytes: null, sizes_unknown: 'the server took too long to add them up' };
    const stores = health.stores.map((store) => ({ ...store, ...sizes }));
    await route.fulfill({ response: reply, json: { ...health, nodes: [own, other, silent], stores, leases: [lease] } });
  });
  await operateAt(page, '/health');
  const rows = page.getByRole('table', { name: 'Nodes' }).getByRole('row');
  await rows.filter({ hasText: 'beta.internal' }).getByText('serving').waitFor();
  const gone = rows.filter({ hasText: '<b>gamma</b>' });
  await gone.getByText('not heard of', { exact: true }).waitFor();
  await gone.getByText('Not heard of since').waitFor();
  await page.getByText('3 nodes share the store. 1 node is not heard of').waitFor();
  const purge = page.getByRole('table', { name: 'Jobs' }).getByRole('row').filter({ hasText: 'purge-entity' });
  await purge.getByText('beta.internal (feedbeef), until 22:00:09 UTC').waitFor();
  await page.getByText('Its sizes are not known: the server took too long').first().waitFor();
  await assertAccessible(page);
});

test('while a store is away the operator unlocks the page, and sees which store it is and what is not known', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  await page.route('**/platform/health', async (route) => {
    const reply = await route.fetch();
    const health = (await reply.json()) as ShownHealth & { readonly queues: readonly { readonly space: string }[] };
    const stores = health.stores.map((store, index) => (index === 2 ? { ...store, state: 'failed' } : store));
    const queues = health.queues.filter(({ space }) => space !== 'prod');
    await route.fulfill({ response: reply, json: { ...health, state: 'unavailable', stores, queues } });
  });
  await operateAt(page, '/health');
  await page.getByRole('status').getByText('It cannot use the store of production, and refuses calls').waitFor();
  const waiting = page.getByRole('table', { name: 'Queues' });
  await waiting.getByRole('row', { name: 'Background jobs, production' }).getByText('It could not be read').waitFor();
  await waiting.getByRole('row', { name: 'Background jobs, test' }).getByText('Nothing waits.').waitFor();
  await page.getByRole('table', { name: 'Jobs' }).getByText('not known').first().waitFor();
  await assertAccessible(page);
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
