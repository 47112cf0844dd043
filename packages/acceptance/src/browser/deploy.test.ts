import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertBecomes } from '../eventually.ts';
import { create, defineEntity, definition, joinOrg, manage, newEmail, type Org, signUp } from '../org.ts';
import { change, deploy, entity, prodFounder, provisionedOrg, publish } from '../promotion.ts';
import { assertAccessible } from './accessibility.ts';
import { consolePlatform, openBrowser, skip } from './browser.ts';
import { signInAs } from './console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };
const canary = '<img src=x onerror=alert(1)>';

/** The Deploy screen of an org. */
async function deployOn(context: TestContext, org: Org, address = ''): Promise<Page> {
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/deploy${address}`);
  await page.getByRole('heading', { name: 'Deploy', level: 1 }).waitFor();
  return page;
}

/** Runs in the page. */
function textColor(element: unknown): string {
  const page = globalThis as unknown as { getComputedStyle(of: unknown): { readonly color: string } };
  return page.getComputedStyle(element).color;
}

const tabOf = (page: Page, name: string) => page.getByRole('tab', { name });
const dialogOf = (page: Page) => page.getByRole('dialog');
const select = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}` });

async function confirm(page: Page, org: Org, action: string): Promise<void> {
  const button = dialogOf(page).getByRole('button', { name: action, exact: true });
  await assertBecomes(() => button.getAttribute('aria-description'), 'Type the code of the app first.');
  await dialogOf(page)
    .getByRole('textbox', { name: `Type ${org.code}` })
    .fill(org.code);
  await button.click();
  await dialogOf(page).waitFor({ state: 'detached' });
}

test('configuration goes to production, back and forward again, with what each step changes in sentences', {
  skip,
}, async (context) => {
  const org = await signUp(platform);
  await defineEntity(org, definition('customer', [{ name: 'name' }]));
  const lookup = { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } };
  await defineEntity(org, definition('ticket', [{ name: 'title' }, lookup]));
  const page = await deployOn(context, org);
  await page.getByRole('heading', { name: 'This org has no production yet' }).waitFor();
  const founder = page.getByRole('textbox', { name: 'Email of the first admin' });
  const provisions = page.getByRole('button', { name: 'Provision production' });
  await assertBecomes(() => founder.inputValue(), org.builder.email);
  await assertAccessible(page);
  await founder.fill('');
  await assertBecomes(() => provisions.getAttribute('aria-description'), 'Say who becomes the first admin.');
  await founder.fill('no address');
  await provisions.click();
  await page.getByText('must be an email address').first().waitFor();
  await founder.fill('founder@shop.example');
  await provisions.click();

  await select(page, 'entity ticket').check();
  await assertBecomes(() => select(page, 'entity customer').isDisabled(), true);
  await page.getByText('Comes along: entity ticket looks it up in the field customer_id.').waitFor();
  await page.getByRole('textbox', { name: 'Note of the publication' }).fill(canary);
  await assertAccessible(page);
  await page.getByRole('link', { name: 'Home' }).click();
  await dialogOf(page).getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('button', { name: 'Publish 2 items' }).click();
  await page.getByText('2 items are staged, as r1.').waitFor();
  const staged = page.getByRole('list', { name: 'Staged items' });
  await staged.getByText(canary).first().waitFor();
  await staged.getByText('Came along: entity ticket looks it up').waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Activate' }).click();
  await dialogOf(page).getByRole('textbox', { name: 'Note' }).fill('the first');
  const named =
    'founder@shop.example becomes the first admin of production, by a sign-in in which the address is verified';
  await dialogOf(page).getByText(named).waitFor();
  await dialogOf(page).getByText('It is the first release, so there is nothing to go back to.').waitFor();
  await assertAccessible(page);
  await confirm(page, org, 'Activate');
  await page.getByText('The configuration of release 1 is live.').waitFor();
  await assertBecomes(() => page.url(), /tab=releases$/);
  const back = page.getByRole('button', { name: 'Roll back one step' });
  const nothing = 'The first release is live. There is nothing to go back to.';
  await assertBecomes(() => back.getAttribute('aria-description'), nothing);

  await change(org, 'create-ticket', { UpdateParams: [{ name: 'minutes', colType: 'number', index: true }] });
  await tabOf(page, 'Changes').click();
  const sentences = page.getByRole('list', { name: 'What becomes of ticket' });
  await sentences.getByText('Field minutes is new, an optional number.').waitFor();
  const colorOf = (text: string) => sentences.getByRole('listitem').filter({ hasText: text }).evaluate(textColor);
  const loss = await colorOf('Field title is taken out; stored values stay hidden.');
  assert.notEqual(loss, await colorOf('Field minutes'));
  await page.getByRole('button', { name: 'Select all 1' }).click();
  await page.getByRole('button', { name: 'Publish 1 item' }).click();
  await page.getByRole('button', { name: 'Activate' }).click();
  await dialogOf(page).getByText('What production loses').waitFor();
  await dialogOf(page).getByText('One step back is always possible.').waitFor();
  await confirm(page, org, 'Activate');
  await page.getByText('The configuration of release 2 is live.').waitFor();

  await back.click();
  await dialogOf(page).getByText('Field minutes is taken out; stored values stay hidden.').waitFor();
  await assertAccessible(page);
  await dialogOf(page).getByRole('textbox', { name: 'Note' }).fill(canary);
  await confirm(page, org, 'Roll back to release 1');
  await page.getByText('The configuration of release 1 is live.').waitFor();
  const third = page.getByRole('region', { name: 'Release 3' });
  await third.getByText('a rollback to release 1').waitFor();
  await third.getByText(canary).waitFor();
  // One is in force; the release that it restored says so, and the one between neither.
  const badges = page.getByText(/^(live|restored by release \d+)$/);
  await third.getByText('live', { exact: true }).waitFor();
  await page.getByRole('region', { name: 'Release 1' }).getByText('restored by release 3', { exact: true }).waitFor();
  await assertBecomes(() => badges.allInnerTexts(), ['live', 'restored by release 3']);
  await third.getByRole('button', { name: 'What it changed' }).click();
  await third.getByText('Field title is new').waitFor();
  await assertAccessible(page);
  await page.getByRole('region', { name: 'Release 2' }).getByRole('button', { name: 'Make live again' }).click();
  await confirm(page, org, 'Go forward to release 2');
  await page.getByText('The configuration of release 2 is live.').waitFor();
  await assertBecomes(() => badges.allInnerTexts(), ['live', 'restored by release 4']);
  await page.getByRole('link', { name: 'Home' }).click();
  await page.getByText(/^Rollback 4/).waitFor();
  await assertBecomes(() => page.getByText(/^(live|restored)$/).allInnerTexts(), ['live', 'restored']);
});

test('what others deploy meanwhile is refused or shown, and nothing chosen or typed is lost', {
  skip,
}, async (context) => {
  const org = await provisionedOrg(platform);
  for (const name of ['bill', 'memo', 'note']) await defineEntity(org, definition(name, [{ name: 'title' }]));
  const page = await deployOn(context, org);
  await select(page, 'entity bill').check();
  await page.getByRole('textbox', { name: 'Note of the publication' }).fill('bills');
  await deploy(org);
  await page.getByRole('button', { name: 'Publish 1 item' }).click();
  await page.getByRole('alert').getByText('there is nothing to publish').waitFor();
  await assertBecomes(() => page.getByRole('textbox', { name: 'Note of the publication' }).inputValue(), 'bills');
  await page.getByRole('heading', { name: 'Test and production have the same configuration' }).waitFor();
  await page.getByText('Nothing that is selected differs any more.').waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();

  await change(org, 'create-bill', { UpdateParams: [{ name: 'title' }, { name: 'sum' }] });
  await change(org, 'create-memo', { UpdateParams: [{ name: 'title' }, { name: 'place' }] });
  await publish(org, [entity('bill')]);
  await page.reload();
  await page.getByRole('button', { name: 'Activate' }).click();
  await dialogOf(page).getByRole('textbox', { name: 'Note' }).fill('sums of bills');
  await publish(org, [entity('memo')]);
  await dialogOf(page)
    .getByRole('textbox', { name: `Type ${org.code}` })
    .fill(org.code);
  await dialogOf(page).getByRole('button', { name: 'Activate', exact: true }).click();
  await dialogOf(page).getByRole('alert').getByText('version_mismatch').waitFor();
  await assertAccessible(page);
  await dialogOf(page).getByRole('button', { name: 'Show what is staged now' }).click();
  await page.getByRole('list', { name: 'Staged items' }).getByText('Field place is new').waitFor();
  await page.getByRole('button', { name: 'Activate' }).click();
  await assertBecomes(() => dialogOf(page).getByRole('textbox', { name: 'Note' }).inputValue(), 'sums of bills');
  await confirm(page, org, 'Activate');
  await page.getByText('The configuration of release 2 is live.').waitFor();

  await page.getByRole('button', { name: 'Roll back one step' }).click();
  await dialogOf(page).getByText('Field sum is taken out').waitFor();
  await dialogOf(page).getByRole('textbox', { name: 'Note' }).fill('too slow');
  await change(org, 'create-note', { UpdateParams: [{ name: 'title' }, { name: 'later' }] });
  await deploy(org);
  await dialogOf(page)
    .getByRole('textbox', { name: `Type ${org.code}` })
    .fill(org.code);
  await dialogOf(page).getByRole('button', { name: 'Roll back to release 1' }).click();
  await dialogOf(page).getByText('Release 3 is live meanwhile.').waitFor();
  await dialogOf(page).getByText('Field later is taken out').waitFor();
  await assertBecomes(() => dialogOf(page).getByRole('textbox', { name: 'Note' }).inputValue(), 'too slow');
  await dialogOf(page).getByRole('button', { name: 'Roll back to release 1' }).click();
  await page.getByText('The configuration of release 1 is live.').waitFor();
});

test('records of production stand against it until that is agreed to, and a retired entity keeps its own', {
  skip,
}, async (context) => {
  const org = await provisionedOrg(platform);
  for (const name of ['bill', 'memo']) await defineEntity(org, definition(name, [{ name: 'title' }]));
  await deploy(org);
  const founder = await prodFounder(org);
  await create(founder, 'bill', { title: canary });
  await create(founder, 'memo', { title: 'kept' });
  await change(org, 'create-bill', { UpdateParams: [{ name: 'title', validate: true, maxlength: 5, index: true }] });
  assert.equal((await manage(org, 'DELETE', '/api/entity?entityname=memo')).status, 204);
  await publish(org);
  const page = await deployOn(context, org);
  await page.getByText('This stands against the activation').waitFor();
  await page.getByText('must have at most 5 characters').waitFor();
  await page.getByRole('button', { name: 'Activate' }).click();
  await dialogOf(page)
    .getByRole('textbox', { name: `Type ${org.code}` })
    .fill(org.code);
  const button = dialogOf(page).getByRole('button', { name: 'Activate', exact: true });
  await assertBecomes(() => button.getAttribute('aria-description'), /^Records stand against it/);
  await assertAccessible(page);
  await dialogOf(page)
    .getByRole('checkbox', { name: /^Activate all the same/ })
    .check();
  await button.click();
  await page.getByText('The configuration of release 2 is live.').waitFor();

  await tabOf(page, 'Retired entities').click();
  await page.getByRole('row', { name: /^memo 1/ }).waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Remove the records' }).click();
  await dialogOf(page).getByRole('textbox', { name: 'Type memo' }).fill('memo');
  await dialogOf(page).getByRole('button', { name: 'Remove the records' }).click();
  await page.getByRole('heading', { name: 'No entity is retired' }).waitFor();

  const { email } = await developerOf(org);
  const other = await (await openBrowser(context, platform)).newPage();
  await signInAs(other, { email });
  await other.goto(`/o/${org.code}/prod/deploy?tab=releases`);
  const back = other.getByRole('button', { name: 'Roll back one step' });
  await back.waitFor();
  await assertBecomes(() => back.getAttribute('aria-description'), 'Only an admin of the org may do this.');
  await assertAccessible(other);
});

async function developerOf(org: Org): Promise<{ readonly email: string }> {
  const email = newEmail('developer');
  await joinOrg(org, 'developer', email);
  return { email };
}

test('an archive is downloaded, shown before it is applied, and applied; many differences come in pages', {
  skip,
}, async (context) => {
  const org = await provisionedOrg(platform);
  for (let index = 10; index < 35; index++) {
    const name = `block${index}`;
    const content = { name, description: canary, steps: [{ id: 's', type: 'list', entity: 'user' }] };
    assert.equal((await manage(org, 'POST', '/config/logicblock', { body: { name, content } })).status, 201);
  }
  const page = await deployOn(context, org);
  await page.getByText('25 items differ').waitFor();
  await assertBecomes(() => page.getByRole('list', { name: 'Differences' }).getByRole('checkbox').count(), 20);
  await page.getByRole('button', { name: 'Page 2' }).click();
  await select(page, 'logic block block34').waitFor();
  await assertBecomes(() => page.url(), /page=2$/);
  await page.reload();
  await select(page, 'logic block block34').waitFor();
  await page.getByRole('textbox', { name: 'Search differences' }).fill('block11');
  await page.getByText('1 of 25 items differ').waitFor();
  await assertAccessible(page);

  await page.setViewportSize({ width: 390, height: 800 });
  await page.keyboard.press('Control+k');
  await page.getByRole('textbox', { name: 'Go to' }).waitFor();
  await page.keyboard.type('deploy');
  await page.keyboard.press('Enter');
  await page.getByText('25 items differ').waitFor();
  for (const tab of ['Files', 'Releases', 'Retired entities', 'Changes', 'Files']) {
    await tabOf(page, tab).click();
    await page.getByRole('tabpanel', { name: tab }).waitFor();
    await assertBecomes(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  }
  await assertAccessible(page);

  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download test' }).click();
  const archive = readFileSync(await (await downloading).path());
  assert.match(archive.toString('utf8'), /config\/logicblock\/block10\.json/);
  for (const name of ['block10', 'block11'])
    assert.equal((await manage(org, 'DELETE', `/config/logicblock/${name}`)).status, 204);
  const file = { name: 'config.tar', mimeType: 'application/x-tar', buffer: archive };
  await page.locator('input[type=file]').setInputFiles({ ...file, buffer: Buffer.from('no archive') });
  await page.getByRole('button', { name: 'Compare with test' }).click();
  await page.getByRole('alert').waitFor();
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('button', { name: 'Compare with test' }).click();
  const compared = page.getByRole('region', { name: 'What the import changes in test' });
  await compared.getByText('Logic block block10 is new').waitFor();
  await assertAccessible(page);
  assert.equal((await manage(org, 'DELETE', '/config/logicblock/block12')).status, 204);
  await compared.getByRole('button', { name: 'Apply to test' }).click();
  await page.getByRole('button', { name: 'Compare again' }).click();
  await compared.getByText('Logic block block12 is new').waitFor();
  await compared.getByRole('button', { name: 'Apply to test' }).click();
  await page.getByText('Test has the configuration of the archive: 3 items have changed.').waitFor();
  await assertBecomes(async () => (await manage(org, 'GET', '/config/logicblock/block10')).status, 200);
});
