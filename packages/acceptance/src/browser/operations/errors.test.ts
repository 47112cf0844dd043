import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { assertBecomes } from '../../eventually.ts';
import { operate } from '../../operator.ts';
import { signUp } from '../../org.ts';
import { givePlan, withOperator } from '../../plans.ts';
import { startPlatform, temporaryDirectory, whyNoDataDir } from '../../platform.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, isCall, skip as noBrowser, openBrowser } from '../browser.ts';
import { operateAt } from './operator-pages.ts';

const skip = noBrowser === false ? whyNoDataDir : noBrowser;
const embedded = { env: { FREEHOLD_STORE: 'sqlite:', ...withOperator.env } };
const { platform, code } =
  skip === false ? await damagedPlatform() : { platform: { app: '', management: '' }, code: '' };

/** A platform that cannot read the plan of an org: the row holds what is no JSON. */
async function damagedPlatform() {
  const dataDir = temporaryDirectory();
  const before = await startPlatform({ dataDir, ...embedded });
  const org = await signUp(before);
  await givePlan(org, { records: 10 });
  await before.terminate();
  using database = new DatabaseSync(join(dataDir, 'platform.db'));
  const { changes } = database
    .prepare("update items set value = '<img src=x onerror=alert(1)>' where pk = 'plan' and sk = ?")
    .run(org.code);
  assert.equal(changes, 1);
  return { platform: await consolePlatform({ dataDir, ...embedded }), code: org.code };
}

test('an error is found by the request id that the caller was shown, with its route, cause and time', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  await operateAt(page, '/errors');
  await page.getByRole('heading', { name: 'No errors' }).waitFor();
  await page.getByText('The node keeps its last errors in memory').waitFor();
  await assertAccessible(page);
  const failed = await operate(platform, `/orgs/${code}/plan`);
  assert.equal(failed.status, 500);
  await operate(platform, `/orgs/${code}/plan`);
  await page.getByRole('button', { name: 'Refresh' }).click();
  const table = page.getByRole('table', { name: 'Errors' });
  await table.getByText('GET /platform/orgs/:org/plan').first().waitFor();
  await assertBecomes(() => table.getByRole('row').count(), 3);
  const id = failed.headers.get('x-request-id') ?? '';
  await page.getByRole('textbox', { name: 'Request id' }).fill(id);
  await page.getByRole('button', { name: 'Find' }).click();
  await table.getByRole('row').nth(2).waitFor({ state: 'detached' });
  await assertBecomes(() => page.url().endsWith(`/operations/errors?request=${id}`), true);
  const row = table.getByRole('row').nth(1);
  await row.getByText('was answered 500.').waitFor();
  await row.getByText(/^DamagedRow: /).waitFor();
  await row.getByText(/^store\/table\.ts:\d+$/).waitFor();
  await row.getByRole('button', { name: `Copy the request id ${id}` }).waitFor();
  await assertAccessible(page);
  await page.getByRole('textbox', { name: 'Request id' }).fill('no-such-request');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'No error has this request id' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Show all errors' }).click();
  await table.getByRole('row').nth(2).waitFor();
});

test('the address of an error leads to it once the page is unlocked, in one call', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const failed = await operate(platform, `/orgs/${code}/plan`);
  const calls: string[] = [];
  page.on('request', (request) => {
    if (isCall(request)) calls.push(new URL(request.url()).pathname);
  });
  await operateAt(page, `/errors?request=${failed.headers.get('x-request-id')}`);
  await page.getByRole('table', { name: 'Errors' }).waitFor();
  await assertBecomes(() => page.getByRole('table', { name: 'Errors' }).getByRole('row').count(), 2);
  await assertBecomes(() => calls, ['/platform/keys', '/platform/errors']);
});
