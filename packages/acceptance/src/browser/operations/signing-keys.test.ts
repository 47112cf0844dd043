import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBecomes } from '../../eventually.ts';
import { operate } from '../../operator.ts';
import { act, foundedOrg } from '../../org.ts';
import { withOperator } from '../../plans.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, isCall, openBrowser, skip } from '../browser.ts';
import { signInAs } from '../console-pages.ts';
import { operateAt, unlock } from './operator-pages.ts';

const platform = skip === false ? await consolePlatform(withOperator) : { app: '', management: '' };

test('an operator rotates the signing keys, revokes one by its id, and sees both in the log', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const { founder } = await foundedOrg(platform);
  const isSignedIn = async () => (await act(founder, 'GET', '/user/me')).status === 200;
  const calls: string[] = [];
  page.on('request', (request) => {
    if (isCall(request)) calls.push(new URL(request.url()).pathname);
  });
  await operateAt(page, '/keys');
  const table = page.getByRole('table', { name: 'Signing keys' });
  await table.getByText('It signs every new token, since').waitFor();
  await assertBecomes(() => calls, ['/platform/keys', '/platform/keys']);
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Rotate' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rotate the signing keys' });
  await dialog.getByText('In 10 minutes: it signs every new token').waitFor();
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'Publish a new key' }).click();
  await page.getByRole('status').getByText('Tokens of the present key stay valid.').waitFor();
  await table.getByText('It is published, so that every verifier learns it').waitFor();
  await page.getByRole('button', { name: 'Rotate', disabled: true }).hover();
  await page.getByRole('tooltip').getByText('The next key waits already').waitFor();
  await assertAccessible(page);
  assert.ok(await isSignedIn(), 'a rotation ends no token');
  const signing = table.getByRole('row', { name: /^Signing/ });
  const kid = await signing.locator('code').innerText();
  await signing.getByRole('button', { name: `Revoke the key ${kid}` }).click();
  const confirmation = page.getByRole('dialog', { name: `Revoke the signing key ${kid}` });
  await confirmation.getByText('Every token that this key signed ends at once').waitFor();
  await confirmation.getByText('which waits, signs at once').waitFor();
  await confirmation.getByRole('textbox').fill(kid.slice(1));
  await confirmation.getByRole('button', { name: 'Revoke the key', disabled: true }).waitFor();
  await assertAccessible(page);
  assert.ok(await isSignedIn());
  await confirmation.getByRole('textbox').fill(kid);
  await confirmation.getByRole('button', { name: 'Revoke the key' }).click();
  await confirmation.waitFor({ state: 'hidden' });
  await table.getByText(kid).waitFor({ state: 'detached' });
  await assertBecomes(isSignedIn, false, 'a revocation ends the tokens of the key');
  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByText(`The operator revoked the signing key ${kid}.`).waitFor();
  await page.getByText('The operator made a signing key.').first().waitFor();
  await assertAccessible(page);
});

test('the log of the operator is narrowed in the address', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const { body: made } = await operate<{ readonly kid: string }>(platform, '/keys/rotate', { method: 'POST' });
  await operate(platform, `/keys/${made.kid}`, { method: 'DELETE' });
  await operateAt(page, '/audit?what=plan.');
  await page.getByRole('heading', { name: 'No entry is like this' }).waitFor();
  await assertAccessible(page);
  const what = page.getByRole('combobox', { name: 'What' });
  await assertBecomes(
    () => what.getByRole('option').allInnerTexts(),
    ['Everything', 'Signing keys', 'Backups', 'Second factors of accounts', 'Refused changes of plans'],
  );
  await what.selectOption('signing_key.');
  await page.getByText(`The operator revoked the signing key ${made.kid}.`).click();
  await page.getByRole('link', { name: 'Everything about this object' }).click();
  await page.waitForURL(/\/operations\/audit\?object=/);
  await page.getByText(/^Only entries with/).waitFor();
  await page.getByText('The operator made a signing key.').nth(1).waitFor({ state: 'detached' });
  await assertBecomes(async () => (await page.getByText(/^The operator (made|revoked)/).count()) <= 2, true);
  await page.getByRole('button', { name: 'Show all entries' }).click();
  await page.waitForURL((url) => url.search === '');
  await page.getByLabel('From').fill('2001-01-01');
  await page.getByLabel('Until').fill('2001-01-02');
  await page.getByRole('heading', { name: 'No entry is like this' }).waitFor();
});

test('the command palette leads to the operations', { skip }, async (context) => {
  const { org } = await foundedOrg(platform);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('textbox', { name: 'Go to' }).fill('operat');
  await page.getByRole('button', { name: 'Operations' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/operations$/);
  await unlock(page);
  await page.getByRole('link', { name: 'Signing keys' }).waitFor();
});
