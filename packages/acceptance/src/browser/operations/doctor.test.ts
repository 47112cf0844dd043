import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBecomes } from '../../eventually.ts';
import { withOperator } from '../../plans.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, isCall, openBrowser, skip } from '../browser.ts';
import { operateAt } from './operator-pages.ts';

/** Closed on every machine that runs tests. */
const noMailServer = { FREEHOLD_SMTP_URL: 'smtp://127.0.0.1:9', FREEHOLD_MAIL_FROM: 'app@example.com' };
const env = { ...withOperator.env, ...noMailServer };
const platform = skip === false ? await consolePlatform({ env }) : { app: '', management: '' };

test('the doctor shows faults first with what to do, in one call, and looks again', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const calls: string[] = [];
  page.on('request', (request) => {
    if (isCall(request)) calls.push(new URL(request.url()).pathname);
  });
  await operateAt(page, '/doctor');
  const faults = page.getByRole('region', { name: 'Faults' });
  await faults.getByText(/mail/i).first().waitFor();
  await page
    .getByRole('status')
    .getByText(/faults? found/)
    .waitFor();
  await assertBecomes(() => calls, ['/platform/keys', '/platform/doctor']);
  await page.getByRole('region', { name: 'What is good' }).getByRole('listitem').first().waitFor();
  await assertBecomes(() => page.getByRole('heading', { level: 2 }).first().innerText(), 'Faults');
  await assertAccessible(page);
  const again = page.waitForResponse(/\/platform\/doctor$/);
  await page.getByRole('button', { name: 'Look again' }).click();
  assert.equal((await again).status(), 200);
});
