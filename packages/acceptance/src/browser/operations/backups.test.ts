import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { call } from '../../call.ts';
import { assertBecomes } from '../../eventually.ts';
import { backupSettings, madeBackup, whenBackup } from '../../operator-backups.ts';
import { operatorKey } from '../../plans.ts';
import { temporaryDirectory, whyNoDataDir } from '../../platform.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, isCall, openBrowser, skip as whyNoBrowser } from '../browser.ts';
import { operateAt } from './operator-pages.ts';

const skip = whyNoBrowser || whyNoDataDir;
const parent = temporaryDirectory();
const held = join(parent, 'held');
/** Not while the tests run. */
const hour = (new Date().getUTCHours() + 12) % 24;
const schedule = { FREEHOLD_BACKUP_SCHEDULE: `30 ${hour} * * *`, FREEHOLD_BACKUP_KEEP: '5' };
const nowhere = { app: '', management: '' };
const platform =
  skip === false ? await consolePlatform({ env: { ...backupSettings(parent, held), ...schedule } }) : nowhere;

/** The page has no way to a file of the user's choice then, as in most browsers. */
const withoutPicker = 'delete globalThis.showSaveFilePicker';

for (const colorScheme of ['light', 'dark'] as const)
  test(`a backup is made, tested, downloaded and deleted, in ${colorScheme} colours`, { skip }, async (context) => {
    const opened = await openBrowser(context, platform, { colorScheme });
    await opened.context.addInitScript(withoutPicker);
    const page = await opened.newPage();
    const calls: string[] = [];
    page.on('request', (request) => {
      if (isCall(request)) calls.push(new URL(request.url()).pathname);
    });
    await operateAt(page, '/backups');
    await page.getByRole('heading', { name: 'No backup yet' }).waitFor();
    await assertBecomes(() => calls, ['/platform/keys', '/platform/backups']);
    await page
      .getByText(`At ${String(hour).padStart(2, '0')}:30 (UTC) a backup is made and its restore is tested, next`)
      .waitFor();
    await page.getByText('The last 5 whose test passed are kept.').waitFor();
    await page.getByText(/^The disk of the folder has .* free, and a backup needs about/).waitFor();
    await assertAccessible(page);

    writeFileSync(held, '');
    await page.getByRole('button', { name: 'Make a backup' }).click();
    const table = page.getByRole('table', { name: 'Backups' });
    await table.getByText('Being made').waitFor();
    await table.getByRole('progressbar', { name: 'How far the backup is' }).waitFor();
    await page.getByRole('button', { name: 'Make a backup', disabled: true }).hover();
    await page.getByRole('tooltip').getByText('One runs at a time.').waitFor();
    await assertAccessible(page);
    rmSync(held);
    await table.getByText('Complete').waitFor();
    await table.getByText('Not tested yet.').waitFor();
    await page.getByText('No restore of these backups was tested yet').waitFor();

    await table.getByRole('button', { name: /^Test the restore of/ }).press('Enter');
    await table.getByText('Restored and verified.').waitFor();
    await page.getByText(/^The last restore test, .*: Restored and verified\.$/).waitFor();
    await assertAccessible(page);

    await table.getByRole('button', { name: /^Download/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Download a backup' });
    await dialog.getByText('curl -fOJ').waitFor();
    await assertBecomes(async () => (await dialog.innerText()).includes(operatorKey), false);
    await assertAccessible(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Save the file' }).click(),
    ]);
    await dialog.getByRole('status').getByText('Saved').waitFor();
    const name = download.suggestedFilename();
    const saved = await readFile(await download.path());
    assert.ok(saved.equals(await readFile(join(parent, 'backups', name))));
    await dialog.press('Escape');
    await dialog.waitFor({ state: 'hidden' });

    await table.getByRole('button', { name: `Delete ${name}` }).click();
    const confirmation = page.getByRole('dialog', { name: 'Delete a backup' });
    await confirmation.getByText('It is the only complete backup in the list.').waitFor();
    await confirmation.getByRole('textbox').fill(name.slice(1));
    await confirmation.getByRole('button', { name: 'Delete the backup', disabled: true }).waitFor();
    await assertAccessible(page);
    await confirmation.getByRole('textbox').fill(name);
    await confirmation.getByRole('button', { name: 'Delete the backup' }).click();
    await page.getByRole('heading', { name: 'No backup yet' }).waitFor();

    await page.getByRole('link', { name: 'Audit' }).click();
    for (const sentence of [
      `The operator began the backup ${name}.`,
      `The operator downloaded the backup ${name}.`,
      `The operator removed the backup ${name}.`,
    ])
      await page.getByText(sentence).waitFor();
  });

test('a failed backup says why, and the refusal of a call stands on the screen', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  writeFileSync(join(parent, 'backups', 'damaged.backup'), 'not a backup');
  await operateAt(page, '/backups');
  const table = page.getByRole('table', { name: 'Backups' });
  await table.getByText('it cannot be read: it is truncated').waitFor();
  await table.getByText('Put there by a person').waitFor();
  await assertBecomes(() => table.getByRole('button', { name: /^(?:Test|Download)/ }).count(), 0);
  writeFileSync(held, '');
  await call('POST', `${platform.management}/platform/backups`, { token: operatorKey });
  await page.getByRole('button', { name: 'Make a backup' }).click();
  await page.getByRole('alert').getByText('One runs at a time', { exact: false }).first().waitFor();
  rmSync(held);
});

test('a download ends with the key, and leaves nothing behind', { skip }, async (context) => {
  await whenBackup(platform, ({ state }) => state === 'complete');
  const { name } = await madeBackup(platform);
  const opened = await openBrowser(context, platform);
  await opened.context.addInitScript(withoutPicker);
  const page = await opened.newPage();
  await page.clock.install();
  await operateAt(page, '/backups');
  // As where the platform is slow to send.
  await page.route(`**/platform/backups/${name}`, () => new Promise<never>(() => undefined));
  await page.getByRole('button', { name: `Download ${name}` }).click();
  const waitedRequest = page.waitForRequest(`**/platform/backups/${name}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Save the file' }).click();
  await waitedRequest;
  const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith(name));
  await page.clock.fastForward('15:01');
  await page.getByText('Locked, because nothing was done for 15 minutes.').waitFor();
  await ended;
});
