import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { creating, together } from '../../batches.ts';
import { call } from '../../call.ts';
import { assertBecomes } from '../../eventually.ts';
import { freePort } from '../../free-port.ts';
import {
  type AppUser,
  act,
  allow,
  count,
  create,
  defineEntity,
  foundedOrg,
  list,
  memberWith,
  type Org,
  password,
  type StoredRecord,
} from '../../org.ts';
import { startPlatform } from '../../platform.ts';
import { deploy, prodFounder } from '../../promotion.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

const canary = '<img src=x onerror=alert(1)>"\'><script>alert(2)</script>{{7*7}}';

const customer = { entityName: 'customer', UpdateParams: [{ name: 'name', validate: true, maxlength: 120 }] };
const tag = { entityName: 'tag', UpdateParams: [{ name: 'name' }] };
const order = {
  entityName: 'order',
  UpdateParams: [
    { name: 'number', colType: 'autoincrement' },
    { name: 'title', validate: true, maxlength: 120, description: canary },
    { name: 'note' },
    { name: 'amount', colType: 'number', validate: true, required: false, min: 0 },
    { name: 'pieces', colType: 'integer' },
    { name: 'paid', colType: 'boolean' },
    { name: 'due', colType: 'date' },
    { name: 'sent_at', colType: 'datetime' },
    { name: 'status', colType: 'enum', enumValues: ['open', 'closed', canary], default: 'open' },
    { name: 'mail', colType: 'email' },
    { name: 'page', colType: 'url' },
    { name: 'words', colType: 'array' },
    { name: 'data', colType: 'json' },
    { name: 'secret', colType: 'encrypted' },
    { name: 'shown', colType: 'formula', formula: '{title}-{number}' },
    { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer', onDelete: 'cascade' } },
    { name: 'tag_ids', colType: 'array', items: { colType: 'guid', lookup: { entity: 'tag', onDelete: 'setnull' } } },
  ],
  UniqueIndexes: [{ indexName: 'by_title', fields: ['title'] }],
};

interface Desk {
  readonly org: Org;
  readonly founder: AppUser;
  readonly context: BrowserContext;
  readonly page: Page;
  /** The address of the list, with `&r=` for a record. */
  readonly address: string;
}

async function deskOn(test: TestContext, gateways = platform): Promise<Desk> {
  const { org, founder } = await foundedOrg(gateways);
  for (const definition of [customer, tag, order]) await defineEntity(org, definition);
  const { context, newPage } = await openBrowser(test, gateways);
  const page = await newPage();
  await signInAs(page, org.builder);
  return { org, founder, context, page, address: `/o/${org.code}/test/records/order?w=${founder.tenantCode}` };
}

const panelOf = (page: Page, name: string): Locator => page.getByRole('dialog', { name, exact: true });

async function stored(founder: AppUser, id: string): Promise<StoredRecord> {
  return (await act(founder, 'GET', `/item/order/${id}`)).body;
}

async function changeAsOther(founder: AppUser, id: string, body: unknown): Promise<void> {
  assert.equal((await act(founder, 'PUT', `/update/order/${id}`, { body })).status, 200);
}

/** The id of the record that the address shows. */
async function openId(page: Page): Promise<string> {
  await page.waitForURL(/[?&]r=[0-9a-f]{8}-/);
  return new URL(page.url()).searchParams.get('r') ?? '';
}

test('a record is created field by field, its mistakes stand at their fields, and a change by another is merged', {
  skip,
}, async (context) => {
  const { founder, page, address } = await deskOn(context);
  await create(founder, 'customer', { name: 'Blue Ltd' });
  await create(founder, 'customer', { name: 'Green Ltd' });
  await page.goto(`${address}&r=new`);
  const form = panelOf(page, 'New order');
  await form.getByRole('textbox', { name: 'amount' }).fill('-4');
  await form.getByRole('textbox', { name: 'pieces' }).fill('three');
  await form.getByRole('button', { name: 'Create the order' }).click();
  await form.getByText('Field title is required').waitFor();
  await form.getByText('Field pieces must be').waitFor();
  await assertBecomes(() => form.getByRole('textbox', { name: 'pieces' }).inputValue(), 'three');
  await assertAccessible(page);
  await form.getByRole('textbox', { name: 'title' }).fill('Lamp');
  await form.getByRole('textbox', { name: 'amount' }).fill('4.5');
  await form.getByRole('textbox', { name: 'pieces' }).fill('3');
  await form.getByRole('textbox', { name: 'secret' }).fill('hidden');
  await form.getByRole('combobox', { name: 'paid' }).click();
  await page.getByRole('option', { name: 'true' }).click();
  await form.getByRole('button', { name: 'Choose customer_id' }).click();
  await page.getByRole('textbox', { name: 'Find a customer' }).fill('gREEN');
  await page.getByRole('option', { name: 'Blue Ltd' }).waitFor({ state: 'detached' });
  await page.getByRole('option', { name: 'Green Ltd' }).click();
  await form.getByRole('button', { name: 'Create the order' }).click();
  const panel = panelOf(page, 'order');
  await panel.getByRole('link', { name: 'Green Ltd' }).waitFor();
  const id = await openId(page);
  const made = await stored(founder, id);
  assert.deepEqual([made.amount, made.pieces, made.paid, made.status, made.shown], [4.5, 3, true, 'open', 'Lamp-1']);
  await assertAccessible(page);

  await panel.getByRole('textbox', { name: 'title' }).fill('My lamp');
  await panel.getByRole('textbox', { name: 'pieces' }).fill('5');
  await changeAsOther(founder, id, { title: 'Their lamp', amount: 9 });
  await panel.getByRole('button', { name: 'Save' }).click();
  const conflict = panel.getByRole('region', { name: 'Conflict' });
  const title = conflict.getByRole('row').filter({ hasText: 'title' });
  for (const text of ['Lamp', 'Their lamp', 'My lamp']) await title.getByText(text, { exact: true }).waitFor();
  await conflict.getByRole('row', { name: /^amount 4.5 9/ }).waitFor();
  await assertAccessible(page);
  const save = conflict.getByRole('button', { name: 'Save what was chosen' });
  await assertBecomes(() => save.getAttribute('aria-description'), /^Choose for title/);
  await conflict.getByRole('button', { name: 'Back to the form' }).click();
  await assertBecomes(() => panel.getByRole('textbox', { name: 'pieces' }).inputValue(), '5');
  await panel.getByRole('button', { name: 'Compare with your changes' }).click();
  await conflict.getByRole('radio', { name: 'title: yours' }).check();
  await changeAsOther(founder, id, { title: 'Their last lamp' });
  await conflict.getByRole('button', { name: 'Save what was chosen' }).click();
  await conflict.getByText('Their last lamp', { exact: true }).waitFor();
  await conflict.getByRole('radio', { name: 'title: yours' }).check();
  await conflict.getByRole('button', { name: 'Save what was chosen' }).click();
  await panel.getByText('Saved.').waitFor();
  const merged = await stored(founder, id);
  assert.deepEqual([merged.title, merged.pieces, merged.amount], ['My lamp', 5, 9]);

  await create(founder, 'order', { title: 'Taken' });
  await panel.getByRole('textbox', { name: 'title' }).fill('Taken');
  await panel.getByRole('button', { name: 'Save' }).click();
  await panel.getByRole('alert').getByText('unique_violation').waitFor();
  await assertBecomes(() => panel.getByRole('textbox', { name: 'title' }).inputValue(), 'Taken');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click();
  await panel.getByRole('button', { name: 'Discard the changes' }).click();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await assertBecomes(() => /[?&]r=/.test(page.url()), false);
});

test('values are text in every part of the panel; a session that ends in the middle of a form loses nothing', {
  skip,
}, async (context) => {
  const { founder, page, context: browser, address } = await deskOn(context);
  const [looked, tagged] = [
    await create(founder, 'customer', { name: canary }),
    await create(founder, 'tag', { name: canary }),
  ];
  const { id } = await create(founder, 'order', {
    ...{ title: canary, note: canary, status: canary, words: [canary], data: { [canary]: canary }, secret: canary },
    ...{ customer_id: looked.id, tag_ids: [tagged.id], due: '2026-11-20', sent_at: '2026-11-20T09:30:00Z' },
  });
  await page.goto(`${address}&r=${id}`);
  const panel = panelOf(page, 'order');
  await panel.getByRole('link', { name: canary }).first().waitFor();
  for (const field of ['title', 'note']) {
    const input = panel.getByRole('textbox', { name: field, exact: true });
    await assertBecomes(() => input.inputValue(), canary, field);
  }
  await assertAccessible(page);
  await panel.getByRole('tab', { name: 'JSON' }).click();
  await panel.getByRole('textbox', { name: 'Record in JSON' }).getByText('onerror').first().waitFor();
  await assertAccessible(page);
  await panel.getByRole('tab', { name: 'Fields' }).click();
  await panel.getByRole('textbox', { name: 'note', exact: true }).fill('mine');
  await changeAsOther(founder, id, { note: `${canary} theirs` });
  await endSession(browser);
  await panel.getByRole('button', { name: 'Save' }).click();
  const again = page.getByRole('dialog', { name: 'Your session has ended' });
  await again.getByRole('textbox', { name: 'Password' }).fill(password);
  await again.getByRole('button', { name: 'Sign in' }).click();
  const conflict = panel.getByRole('region', { name: 'Conflict' });
  await conflict.getByText(`${canary} theirs`, { exact: true }).waitFor();
  await conflict.getByRole('radio', { name: 'note: yours' }).check();
  await conflict.getByRole('button', { name: 'Save what was chosen' }).click();
  await panel.getByText('Saved.').waitFor();
  await assertBecomes(async () => (await stored(founder, id)).note, 'mine');

  await panel.getByRole('link', { name: canary }).first().click();
  const other = panelOf(page, 'customer');
  await other.getByRole('tab', { name: 'Related' }).click();
  await other.getByRole('region', { name: 'order by customer_id' }).getByRole('link', { name: canary }).waitFor();
  await other.getByRole('button', { name: 'Delete' }).click();
  const confirm = page.getByRole('dialog', { name: `Delete ${canary}?` });
  await confirm.getByText('1 order by customer_id: they are deleted too').waitFor();
  await assertAccessible(page);
  await confirm.getByRole('textbox', { name: 'Type delete to confirm it' }).fill('delete');
  await confirm.getByRole('button', { name: 'Delete the record' }).click();
  await other.waitFor({ state: 'detached' });
  await assertBecomes(async () => (await act(founder, 'GET', `/item/order/${id}`)).status, 404);
});

test('a delete that lookups forbid is not offered', { skip }, async (context) => {
  const { org, founder, page } = await deskOn(context);
  const lookup = { entity: 'customer' };
  await defineEntity(org, {
    entityName: 'bill',
    UpdateParams: [{ name: 'title' }, { name: 'payer', colType: 'guid', lookup }],
  });
  const { id } = await create(founder, 'customer', { name: 'Blue Ltd' });
  const bill = await create(founder, 'bill', { title: 'May', payer: id });
  await page.goto(`/o/${org.code}/test/records/customer?w=main&r=${id}`);
  const panel = panelOf(page, 'customer');
  await panel.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Blue Ltd?' });
  await dialog.getByText('1 bill by payer: they forbid the delete').waitFor();
  await dialog.getByText('The record can be deleted once no bill refers to it').waitFor();
  await assertBecomes(() => dialog.getByRole('button', { name: 'Delete the record' }).count(), 0);
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'Close' }).last().click();

  await act(founder, 'DELETE', `/delete/bill/${bill.id}`);
  await page.reload();
  await panel.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('textbox', { name: 'Type delete to confirm it' }).fill('delete');
  await dialog.getByRole('button', { name: 'Delete the record' }).click();
  await panel.waitFor({ state: 'detached' });
  assert.equal((await act(founder, 'GET', `/item/customer/${id}`)).status, 404);
});

/** Ends the browser's session as another device of the user would. */
async function endSession(context: BrowserContext): Promise<void> {
  const [cookie] = await context.cookies();
  const headers = { cookie: `${cookie?.name}=${cookie?.value}`, origin: platform.management };
  assert.equal((await call('POST', `${platform.management}/auth/logout`, { headers })).status, 204);
}

/** In place of the browser's dialog, which a test cannot answer: the file is one of the page's own file system. */
const pickerOfTheTest = `globalThis.showSaveFilePicker = async () =>
  (await navigator.storage.getDirectory()).getFileHandle('saved', { create: true })`;
const textOfTheTest = `navigator.storage.getDirectory()
  .then((folder) => folder.getFileHandle('saved')).then((handle) => handle.getFile()).then((file) => file.text())`;

const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

test('a file is mapped, checked and imported, with its refused rows as a file; the list is exported', {
  skip,
}, async (context) => {
  const { founder, page, address } = await deskOn(context);
  await page.goto(address);
  await page.getByRole('button', { name: 'Import' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import into order' });
  await dialog.getByLabel('File').waitFor();
  await assertAccessible(page);
  const choose = async (chosen: ReturnType<typeof file>) => {
    const chooser = page.waitForEvent('filechooser');
    await dialog.getByRole('button', { name: 'Choose a file' }).click();
    await (await chooser).setFiles(chosen);
  };
  await choose(file('wrong.csv', 'title,note\n"a"b,c\n'));
  await dialog.getByRole('alert').getByText('The CSV cannot be read').waitFor();
  const rows = Array.from({ length: 1_200 }, (_, row) => `"Lamp ${row + 1}, large",${row + 1},x`);
  await choose(
    file(
      'orders.csv',
      ['Title,Unit amount,left out', ...rows, `${canary.replaceAll('"', '')},many,x`, 'Short,1'].join('\n'),
    ),
  );
  await dialog.getByRole('combobox', { name: 'Field of the column Unit amount' }).click();
  await page.getByRole('option', { name: 'amount' }).click();
  await assertBecomes(() => dialog.getByRole('combobox', { name: 'Field of the column Title' }).inputValue(), 'title');
  await dialog.getByRole('button', { name: 'Check the file' }).click();
  await dialog
    .getByText('Of 1202 rows 1200 would be created, 0 would update a record, and 2 would be refused.')
    .waitFor();
  await dialog.getByRole('table', { name: 'Refused rows' }).getByText('Field amount must be a number').waitFor();
  await assertAccessible(page);
  await assertBecomes(() => count(founder, 'order'), 0);
  await dialog.getByRole('button', { name: 'Import 1200 rows' }).click();
  await dialog.getByText('The import has ended: 1200 created, 0 updated, 2 refused.').waitFor();
  await assertAccessible(page);
  const report = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download the refused rows' }).click();
  const refused = readFileSync(await (await report).path(), 'utf8');
  assert.match(refused, /^Title,Unit amount,left out,row,error\r\n/);
  assert.match(refused, /,1201,\/amount: field/);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await assertBecomes(() => count(founder, 'order'), 1_200);

  await page.getByRole('button', { name: 'Export' }).click();
  await page.evaluate(pickerOfTheTest);
  await page.getByRole('menuitem', { name: 'JSON Lines' }).click();
  const done = page.getByRole('dialog', { name: 'Export of order' });
  await done.getByText('Saved').waitFor();
  const streamed = String(await page.evaluate(textOfTheTest));
  assert.equal(streamed.split('\n').length, 1_201);
  await done.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('button', { name: 'Export' }).click();
  await page.evaluate('delete globalThis.showSaveFilePicker');
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'CSV' }).click();
  const exported = readFileSync(await (await saved).path(), 'utf8');
  assert.equal(exported.split('\r\n').length, 1_202);
  await page.getByRole('dialog', { name: 'Export of order' }).getByText('Saved').waitFor();
  await assertAccessible(page);
});

test('selected records are changed and deleted together; what one of them refuses is said of it', {
  skip,
}, async (context) => {
  const { founder, page, address } = await deskOn(context);
  const made = [];
  for (const title of ['Lamp', 'Desk', 'Chair']) made.push(await create(founder, 'order', { title, amount: 1 }));
  await page.goto(address);
  for (const { id } of made) await page.getByRole('checkbox', { name: `Select record ${id}` }).click();
  await changeAsOther(founder, made[1]?.id ?? '', { note: 'meanwhile' });
  const bar = page.getByRole('region', { name: 'Selected records' });
  await bar.getByRole('button', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit 3 records of order' });
  await edit.getByRole('combobox', { name: 'Field to set' }).click();
  await page.getByRole('option', { name: 'amount' }).click();
  await edit.getByRole('textbox', { name: 'amount' }).fill('7');
  await assertAccessible(page);
  await edit.getByRole('button', { name: 'Change 3 records' }).click();
  await edit.getByText('2 of 3 changed, 1 refused.').waitFor();
  await edit.getByRole('table', { name: 'Refused records' }).getByText('version_mismatch').waitFor();
  await assertAccessible(page);
  await edit.getByRole('button', { name: 'Close' }).last().click();
  const amounts = (await list(founder, 'order')).items.map(({ amount }) => amount);
  assert.deepEqual(amounts.toSorted(), [1, 7, 7]);

  for (const { id } of made) await page.getByRole('checkbox', { name: `Select record ${id}` }).setChecked(true);
  await bar.getByRole('button', { name: 'Delete' }).click();
  const remove = page.getByRole('dialog', { name: 'Delete 3 records of order?' });
  await remove.getByRole('textbox', { name: 'Type 3 to confirm it' }).fill('3');
  await assertAccessible(page);
  await remove.getByRole('button', { name: 'Delete the records' }).click();
  await remove.getByText('3 of 3 deleted.').waitFor();
  await remove.getByRole('button', { name: 'Close' }).last().click();
  await page.getByText('No records yet').waitFor();
});

test('a restart in the middle of a form loses nothing; a delete of many records is a job with its progress', {
  skip,
}, async (context) => {
  const [app, management] = [await freePort(), await freePort()];
  const ports = { FREEHOLD_APP_PORT: String(app), FREEHOLD_MANAGEMENT_PORT: String(management) };
  const env = { FREEHOLD_CONSOLE: 'on', ...ports };
  const before = await startPlatform({ env });
  context.after(() => before.kill());
  const { founder, page, address } = await deskOn(context, before);
  const { id } = await create(founder, 'customer', { name: 'Blue Ltd' });
  const titles = Array.from({ length: 300 }, (_, number) => `Lamp ${number}`);
  const orders = titles.map((title) => creating('order', { title, customer_id: id }));
  for (let from = 0; from < orders.length; from += 100) await together(founder, orders.slice(from, from + 100));
  await page.goto(`${address.replace('/order', '/customer')}&r=${id}`);
  const panel = panelOf(page, 'customer');
  await panel.getByRole('textbox', { name: 'name' }).fill('Green Ltd');
  await before.terminate();
  await panel.getByRole('button', { name: 'Save' }).click();
  await panel.getByText('The platform cannot be reached.').waitFor();
  const again = await startPlatform({ env, dataDir: before.dataDir });
  context.after(() => again.kill());
  await panel.getByRole('button', { name: 'Save' }).click();
  await panel.getByText('Saved.').waitFor();
  await panel.getByRole('button', { name: 'Delete' }).click();
  const confirm = page.getByRole('dialog', { name: 'Delete Green Ltd?' });
  await confirm.getByText('300 order by customer_id: they are deleted too').waitFor();
  await confirm.getByRole('textbox', { name: 'Type delete to confirm it' }).fill('delete');
  await confirm.getByRole('button', { name: 'Delete the record' }).click();
  await panel.waitFor({ state: 'detached' });
  await assertBecomes(() => count(founder, 'order'), 0);
});

test('a user who may only read sees why, and records of production are only read', { skip }, async (context) => {
  const { org, founder, page, address } = await deskOn(context);
  const { id } = await create(founder, 'order', { title: 'Lamp' });
  const reader = await memberWith(founder, [allow(['getorder', 'listorder', 'countorder'])]);
  await page.goto(`${address}&u=${reader.id}&r=${id}`);
  const panel = panelOf(page, 'order');
  await panel.getByText('No policy of this user allows it.').waitFor();
  await assertBecomes(() => panel.getByRole('textbox', { name: 'title' }).getAttribute('readonly'), '');
  const remove = panel.getByRole('button', { name: 'Delete' });
  await assertBecomes(() => remove.getAttribute('aria-description'), 'No policy of this user allows it.');
  await panel.getByRole('button', { name: 'Explain' }).click();
  await panel.getByText('for updateorder').waitFor();
  await assertAccessible(page);

  const shown = { default: { fields: [{ name: 'id' }, { name: 'label' }] } };
  await defineEntity(org, { entityName: 'badge', UpdateParams: [{ name: 'label' }, { name: 'code' }], Views: shown });
  const badge = await create(founder, 'badge', { label: 'Blue', code: 'kept' });
  await page.goto(`${address.replace('/order', '/badge')}&r=${badge.id}`);
  await panelOf(page, 'badge').getByText('what is typed here replaces what is stored').waitFor();
  await assertAccessible(page);

  const ofProduction = await prodFounder(org);
  await deploy(org);
  const live = await create(ofProduction, 'order', { title: canary });
  await page.goto(`/o/${org.code}/prod/records/order?w=${ofProduction.tenantCode}&u=${ofProduction.id}&r=${live.id}`);
  await page.getByRole('textbox', { name: 'Reason' }).fill('Ticket 4711');
  await page.getByRole('button', { name: 'View as this user' }).click();
  await panel.getByText('Records of production are only read here').waitFor();
  await assertBecomes(() => remove.getAttribute('aria-description'), /^Records of production are only read/);
  await assertBecomes(() => panel.getByRole('textbox', { name: 'title' }).getAttribute('readonly'), '');
  await assertAccessible(page);
  await page.keyboard.press('Escape');
  for (const name of ['New record', 'Import']) {
    const button = page.getByRole('button', { name });
    await assertBecomes(() => button.getAttribute('aria-description'), /^Records of production are only read/, name);
  }
});

test('a cell of the list is edited by the keyboard, and merged with the change of another', {
  skip,
}, async (context) => {
  const { founder, page, address } = await deskOn(context);
  const { id } = await create(founder, 'order', { title: 'Lamp', note: 'before' });
  await page.goto(`${address}&c=title,note,number`);
  const grid = page.getByRole('grid', { name: 'Records of order' });
  await grid.getByText('before').waitFor();
  await grid.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('F2');
  const edit = page.getByRole('dialog', { name: 'Edit note' });
  const input = edit.getByRole('textbox', { name: 'note' });
  await input.waitFor();
  await assertAccessible(page);
  await assertBecomes(() => page.url(), /[?&]e=note/);
  await changeAsOther(founder, id, { title: 'Their lamp', note: 'theirs' });
  await page.keyboard.press('Control+a');
  await page.keyboard.type('mine');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click();
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.getByRole('radio', { name: 'note: yours' }).check();
  await edit.getByRole('button', { name: 'Save what was chosen' }).click();
  await edit.waitFor({ state: 'detached' });
  await grid.getByText('mine').waitFor();
  await grid.getByText('Their lamp').waitFor();
  await page.waitForFunction(`document.activeElement?.getAttribute('role') === 'grid'`);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('F2');
  await assertBecomes(() => /[?&]e=/.test(page.url()), false);
});
