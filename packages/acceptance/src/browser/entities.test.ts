import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertBecomes, eventually } from '../eventually.ts';
import { create, defineEntity, foundedOrg, manage } from '../org.ts';
import { assertAccessible } from './accessibility.ts';
import { consolePlatform, openBrowser, skip } from './browser.ts';
import { newOrgOn, retype, signInAs } from './console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

const order = {
  entityName: 'order',
  UpdateParams: [
    { name: 'title', validate: true, maxlength: 80 },
    { name: 'amount', colType: 'number', index: true },
  ],
};

/** The screen of `order`, of which two records are stored, one with a long title. */
async function orderOn(context: TestContext) {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, order);
  for (const title of ['Lamp', 'A lamp with a very long name']) await create(founder, 'order', { title, amount: 4 });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/entities/order`);
  await page.getByRole('textbox', { name: 'Definition in JSON' }).waitFor();
  return { org, page };
}

const fieldOf = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Fields' }).getByRole('button', { name });
const impactOf = (page: Page) => page.getByRole('region', { name: 'Impact of the change' });
const jsonOf = (page: Page) => page.getByRole('textbox', { name: 'Definition in JSON' });

test('a builder defines an entity in a form, sees it as JSON, and finds it in the list', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  await newOrgOn(page, platform);
  await page.getByRole('link', { name: 'Entities' }).click();
  await page.getByRole('heading', { name: 'No entities yet' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'New entity' }).first().click();
  await page.getByRole('textbox', { name: 'Name of the entity' }).fill('order');
  await page.getByRole('button', { name: 'Add field' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('amount');
  await page.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'number' }).click();
  await page.getByRole('switch', { name: 'Index' }).setChecked(true);
  await jsonOf(page).getByText('"amount"').waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Save the entity' }).click();
  await page.getByRole('heading', { name: 'order', level: 1 }).waitFor();
  await page.getByRole('tab', { name: 'Indexes' }).click();
  await page.getByRole('cell', { name: 'amount' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('link', { name: 'Entities' }).click();
  await page.getByRole('textbox', { name: 'Search entities' }).fill('ord');
  await page.getByRole('link', { name: 'order' }).waitFor();
  await assertBecomes(() => page.url(), /\?q=ord$/);
  await assertAccessible(page);
  await page.getByRole('textbox', { name: 'Search entities' }).fill('nothing');
  await page.getByRole('heading', { name: 'No entity has this name' }).waitFor();
});

test('a change that is made in the moment in which the JSON arrives is kept', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const org = await newOrgOn(page, platform);
  // After the editor stands in the page, and before it has shown its first text.
  const content = `
    const clickAtArrival = new MutationObserver(() => {
      if (document.querySelector('.json-editor') === null) return;
      clickAtArrival.disconnect();
      [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Add field').click();
    });
    clickAtArrival.observe(document, { childList: true, subtree: true });
  `;
  await page.addInitScript({ content });
  await page.goto(`/o/${org.code}/test/new-entity`);
  await jsonOf(page).getByText('"name"').first().waitFor();
  await fieldOf(page, 'field_2').waitFor();
});

test('a mistake stands at its field, and nothing typed is lost', { skip }, async (context) => {
  const { page } = await orderOn(context);
  await fieldOf(page, 'amount').click();
  await page.getByRole('textbox', { name: 'At least' }).fill('9');
  await page.getByRole('textbox', { name: 'At most' }).fill('3');
  await impactOf(page).getByRole('alert').waitFor();
  await fieldOf(page, 'amount').getByText('wrong').waitFor();
  await assertAccessible(page);
  await assertBecomes(() => page.getByRole('textbox', { name: 'At most' }).inputValue(), '3');
  await retype(jsonOf(page), '{ "entityName": ');
  await page.getByText('The JSON has a mistake').waitFor();
  await page.getByRole('link', { name: 'Home' }).click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click();
  await retype(jsonOf(page), JSON.stringify({ ...order, UpdateParams: [...order.UpdateParams, { name: 'note' }] }));
  await fieldOf(page, 'note').waitFor();
  await impactOf(page).getByText('is added').waitFor();
});

test('a change shows the records that contradict it, is saved with force once that is agreed to, and goes back', {
  skip,
}, async (context) => {
  const { org, page } = await orderOn(context);
  await fieldOf(page, 'title').click();
  await page.getByRole('textbox', { name: 'Characters, at most' }).fill('10');
  await impactOf(page).getByText('1 record', { exact: true }).waitFor();
  await impactOf(page).getByText('Some of these records').click();
  await impactOf(page).getByText('must have at most 10 characters').waitFor();
  const save = impactOf(page).getByRole('button', { name: 'Save' });
  await assertBecomes(() => save.getAttribute('aria-description'), /^Records contradict the change/);
  await assertAccessible(page);
  await impactOf(page).getByRole('checkbox', { name: 'Make it all the same' }).check();
  await save.click();
  await impactOf(page).waitFor({ state: 'detached' });
  const stored = async () => JSON.stringify((await manage(org, 'GET', '/api/entity?entityName=order')).body.create);
  await assertBecomes(stored, /"maxlength":10/);
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'Compare with the live version' }).click();
  await page
    .getByRole('list', { name: /^From the live version/ })
    .getByText('title')
    .waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText('restored from version').waitFor();
  await assertBecomes(stored, /"maxlength":80/);
});

test('values are erased once the name is typed', { skip }, async (context) => {
  const { page } = await orderOn(context);
  await fieldOf(page, 'amount').click();
  await page.getByRole('button', { name: 'Remove field' }).click();
  await impactOf(page).getByText('2 records', { exact: true }).waitFor();
  await impactOf(page).getByRole('textbox', { name: 'Type order to confirm it' }).fill('order');
  await assertAccessible(page);
  await impactOf(page).getByRole('button', { name: 'Save' }).click();
  await impactOf(page).waitFor({ state: 'detached' });
});

test('a field gets the name of a removed one that policies name once that is agreed to', { skip }, async (context) => {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, order);
  const grant = { Effect: 'Allow', Action: ['getorder'], Resource: ['*'], Fields: ['amount'] };
  await create(founder, 'aclpolicy', { name: 'amounts', statements: [grant] });
  assert.equal((await manage(org, 'PUT', '/api/create-order', { body: { removeFields: ['amount'] } })).status, 200);
  // The name is free once the values are erased.
  const plan = { body: { UpdateParams: [{ name: 'amount' }] } };
  const planned = () => manage(org, 'PUT', '/api/create-order?dry_run=true', plan);
  await eventually('the erasure of the former values', async () => (await planned()).status !== 409);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/entities/order`);
  await page.getByRole('button', { name: 'Add field' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('amount');
  await impactOf(page).getByText('amount: 1 policy').waitFor();
  await assertAccessible(page);
  await impactOf(page).getByRole('checkbox', { name: 'Let them apply to the new field' }).check();
  await impactOf(page).getByRole('button', { name: 'Save' }).click();
  await impactOf(page).waitFor({ state: 'detached' });
  await fieldOf(page, 'amount').waitFor();
});

test('a change by another builder meanwhile is shown, and is not overwritten', { skip }, async (context) => {
  const { org, page } = await orderOn(context);
  const theirs = { UpdateParams: [{ name: 'theirs' }] };
  assert.equal((await manage(org, 'PUT', '/api/create-order', { body: theirs })).status, 200);
  await page.getByRole('button', { name: 'Add check' }).click();
  await page.getByRole('textbox', { name: 'Condition in CEL over the fields' }).fill('amount > 0.0');
  await page.getByRole('textbox', { name: 'Sentence that the app shows' }).fill('an amount is positive');
  await impactOf(page).getByText('The definition was changed meanwhile: version 2 is live.').waitFor();
  await assertBecomes(() => impactOf(page).getByText('version_mismatch').count(), 0);
  await assertAccessible(page);
  await impactOf(page).getByRole('button', { name: 'Show the current definition' }).click();
  await fieldOf(page, 'theirs').waitFor();
  await impactOf(page).waitFor({ state: 'detached' });
});

test('production shows what is live and changes nothing, and texts of a definition are never markup', {
  skip,
}, async (context) => {
  const canary = '<img src=x onerror=alert(1)>';
  const { org } = await foundedOrg(platform);
  const status = { name: 'status', colType: 'enum', enumValues: [canary], description: canary };
  const checks = [{ cel: 'size(status) > 1', message: canary }];
  await defineEntity(org, { entityName: 'order', UpdateParams: [status], checks });
  for (const [path, body] of [
    ['/user/provision-prod', {}],
    ['/deploy/publish', { all: true }],
    ['/deploy/activate', {}],
  ] as const)
    assert.ok((await manage(org, 'POST', path, { body })).status < 300, path);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/prod/entities/order`);
  await fieldOf(page, 'status').click();
  await jsonOf(page).getByText(canary).first().waitFor();
  await assertBecomes(() => page.getByRole('textbox', { name: 'Sentence that the app shows' }).inputValue(), canary);
  await assertBecomes(() => page.getByRole('button', { name: 'Add field' }).count(), 0);
  const remove = page.getByRole('button', { name: 'Remove' });
  await assertBecomes(() => remove.getAttribute('aria-description'), /^Production changes by deploys only/);
  await assertAccessible(page);
});

test('a diagram shows which entities look up which, and leads to them', { skip }, async (context) => {
  const { org, page } = await orderOn(context);
  const order_id = { name: 'order_id', colType: 'guid', lookup: { entity: 'order' } };
  await defineEntity(org, { entityName: 'line', UpdateParams: [order_id] });
  await defineEntity(org, { entityName: 'note', UpdateParams: [{ name: 'text' }] });
  await page.getByRole('link', { name: 'Entities' }).click();
  await page.getByRole('row', { name: 'line' }).getByRole('cell', { name: 'order' }).waitFor();
  await page.getByText('Model', { exact: true }).click();
  const diagram = page.getByRole('region', { name: 'Diagram of lookups' });
  await diagram.getByRole('region', { name: 'line' }).getByText('order_id').waitFor();
  await assertBecomes(() => diagram.locator('path').count(), 1);
  await page.getByText('Without lookups:').waitFor();
  await assertAccessible(page);
  await diagram.getByRole('link', { name: 'order' }).click();
  await page.getByRole('heading', { name: 'order', level: 1 }).waitFor();
});

test('an entity leads to its records', { skip }, async (context) => {
  const { page } = await orderOn(context);
  await page.getByRole('region', { name: 'order' }).getByRole('link', { name: 'Records', exact: true }).click();
  await page.waitForURL(/\/test\/records\/order/);
});

test('an entity is removed once its name is typed; one that is not there says so', { skip }, async (context) => {
  const { org, page } = await orderOn(context);
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove order and its records?' });
  await dialog.getByRole('textbox', { name: 'Type order to confirm it' }).fill('order');
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'Remove the entity' }).click();
  await page.getByRole('heading', { name: 'No entities yet' }).waitFor();
  await page.goto(`/o/${org.code}/test/entities/order`);
  await page.getByRole('alert').getByText('not_found').waitFor();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
});
