/** Changes of definitions in the console: what the platform says of them while they are typed, and what becomes of records. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertBecomes } from '../eventually.ts';
import { act, create, defineEntity, foundedOrg, manage } from '../org.ts';
import { assertAccessible } from './accessibility.ts';
import { consolePlatform, openBrowser, skip } from './browser.ts';
import { signInAs } from './console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

const appointment = {
  entityName: 'visit',
  UpdateParams: [
    { name: 'title', maxlength: 80 },
    { name: 'minutes' },
    { name: 'owner_id', colType: 'guid' },
    { name: 'seats', colType: 'integer' },
  ],
};

async function openAppointments(context: TestContext) {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, appointment);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  const open = async () => {
    await page.goto(`/o/${org.code}/test/entities/visit`);
    await jsonOf(page).waitFor();
  };
  const stored = async () => (await manage<{ create: object }>(org, 'GET', '/api/entity?entityName=visit')).body.create;
  return { org, founder, page, open, stored };
}

/** The trials of a definition that the page has sent, as the headers and the body that each had. */
function dryRunsOf(page: Page): readonly string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('dry_run=true')) sent.push(`${request.method()} ${request.headers()['if-match'] ?? ''}`);
  });
  return sent;
}

const jsonOf = (page: Page) => page.getByRole('textbox', { name: 'Definition in JSON' });
const partOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const impactOf = (page: Page) => partOf(page, 'Impact of the change');
const fieldOf = (page: Page, name: string) => partOf(page, 'Fields').getByRole('button', { name });

async function choose(page: Page, label: string, option: string | RegExp): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

async function save(page: Page): Promise<void> {
  await impactOf(page).getByRole('button', { name: 'Save' }).click();
  await impactOf(page).waitFor({ state: 'detached' });
}

test('the definition of a new entity is checked while it is typed, in the form and in the JSON', {
  skip,
}, async (context) => {
  const { org, page } = await openAppointments(context);
  await page.goto(`/o/${org.code}/test/new-entity`);
  const name = page.getByRole('textbox', { name: 'Name of the entity' });
  await name.fill('Order of <img src=x onerror=alert(1)>');
  await page.locator('[aria-invalid=true]').waitFor();
  await name.fill('visit');
  await page
    .getByRole('alert')
    .getByText(/visit exists already/)
    .waitFor();
  await name.fill('order');
  await page.getByText('It would be served as create-order').waitFor();
  await fieldOf(page, 'name string').click();
  await page.getByRole('textbox', { name: 'Characters, at least' }).fill('9');
  await page.getByRole('textbox', { name: 'Characters, at most' }).fill('3');
  await partOf(page, 'Fields').getByText('wrong').waitFor();
  await page.locator('.cm-lintRange').first().waitFor();
  const button = page.getByRole('button', { name: 'Save the entity' });
  await assertBecomes(() => button.getAttribute('aria-description'), /^The platform refuses the definition/);
  await assertAccessible(page);
  await page.getByRole('textbox', { name: 'Characters, at most' }).fill('30');
  await page.getByText('It would be served as create-order').waitFor();
  const dryRuns = dryRunsOf(page);
  await button.click();
  await page.getByRole('heading', { name: 'order', level: 1 }).waitFor();
  assert.deepEqual(dryRuns, []);
});

test('a field that gets another type loses the hints that do not apply, which the form names', {
  skip,
}, async (context) => {
  const { org, page } = await openAppointments(context);
  await page.goto(`/o/${org.code}/test/new-entity`);
  await page.getByRole('textbox', { name: 'Name of the entity' }).fill('order');
  await fieldOf(page, 'name string').click();
  await page.getByRole('textbox', { name: 'Characters, at most' }).fill('30');
  await page.getByRole('switch', { name: /^Search/ }).check();
  await choose(page, 'Type', 'integer');
  await page.getByText('Taken out, since integer does not have it: maxlength, search').waitFor();
  await assertAccessible(page);
  await page.getByText('It would be served as create-order').waitFor();
  await page.getByRole('button', { name: 'Save the entity' }).click();
  await page.getByRole('heading', { name: 'order', level: 1 }).waitFor();
});

test('a field is renamed, converted and filled by choice; its alias is removed', { skip }, async (context) => {
  const { org, founder, page, open, stored } = await openAppointments(context);
  const { id } = await create(founder, 'visit', { title: 'Lamp', minutes: '90' });
  await create(founder, 'visit', { title: 'Chair', minutes: 'an hour' });
  await open();
  await fieldOf(page, 'title').click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('subject');
  await page.getByText('Renames title: values, indexes and policies stay').waitFor();
  await fieldOf(page, 'minutes').click();
  await choose(page, 'Type', 'integer');
  await choose(page, 'Values that records have', 'Convert them by an expression');
  await assertBecomes(() => page.getByRole('textbox', { name: 'Converted by' }).inputValue(), 'int(minutes)');
  await page.getByRole('button', { name: 'Add field' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('kind');
  await choose(page, 'Records without a value', 'Get the value of an expression');
  await page.getByRole('textbox', { name: 'Backfill' }).fill('"visit"');
  const impact = impactOf(page);
  await impact.getByText('1 record', { exact: true }).waitFor();
  await assertAccessible(page);
  await impact.getByRole('checkbox', { name: 'Make it all the same' }).check();
  await save(page);
  await assertBecomes(async () => JSON.stringify(await stored()), /"aliases":\["title"\]/);
  const { body } = await act(founder, 'GET', `/item/visit/${id}`);
  assert.deepEqual([body.subject, body.minutes], ['Lamp', 90]);

  await fieldOf(page, 'subject').click();
  await page.getByRole('button', { name: 'Remove the alias title' }).click();
  await impact.getByRole('button', { name: 'Save' }).waitFor();
  await save(page);
  await assertBecomes(async () => /"aliases":\["title"\]/.test(JSON.stringify(await stored())), false);
  await assertBecomes(async () => (await manage(org, 'GET', '/api/entity?entityName=visit')).status, 200);
});

test('indexes and views are made in the form as in the JSON', { skip }, async (context) => {
  const { page, open, stored } = await openAppointments(context);
  await open();
  await page.getByRole('button', { name: 'Add unique index' }).click();
  await page.getByRole('textbox', { name: 'Name of the index' }).fill('one_title');
  await choose(page, 'Fields that are unique together', 'title');
  await page.keyboard.press('Escape');
  await page.getByRole('switch', { name: 'Ignore the case of letters' }).check();
  await page.getByRole('button', { name: 'Add compound index' }).click();
  await choose(page, 'Fields in their order', 'title');
  await page.getByRole('option', { name: 'created_at, descending', exact: true }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Add owner index' }).click();
  await choose(page, 'Owner field', 'owner_id');
  await page.getByRole('button', { name: 'Add aggregate' }).click();
  await page.getByRole('textbox', { name: 'Name of the aggregate' }).fill('by_owner');
  await choose(page, 'Fields that make a group', 'owner_id');
  await page.keyboard.press('Escape');
  await choose(page, 'Figures of a group', 'average of seats');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Add view' }).click();
  await page.getByRole('textbox', { name: 'Name of the view' }).fill('short');
  await choose(page, 'Members that it shows', 'title');
  await page.keyboard.press('Escape');
  await page.getByRole('textbox', { name: 'title, shown as' }).fill('not a name');
  await impactOf(page).getByRole('alert').waitFor();
  await page.getByRole('textbox', { name: 'title, shown as' }).fill('name');
  await impactOf(page).getByText('short').first().waitFor();
  await assertAccessible(page);
  await save(page);
  await assertBecomes(async () => {
    const { UniqueIndexes, indexes, ownerIndexes, aggregates, Views } = (await stored()) as Readonly<
      Record<string, unknown>
    >;
    return [UniqueIndexes, indexes, ownerIndexes, aggregates, Views];
  }, [
    [{ indexName: 'one_title', fields: ['title'], ignoreCase: true }],
    [{ fields: ['title', '-created_at'] }],
    [
      {
        ownerFieldName: 'owner_id',
        gpkTemplate: 'org#{org};data#visit;owner_id#{owner_id}',
        gskTemplate: 'visit#{id}',
      },
    ],
    [{ name: 'by_owner', group: ['owner_id'], measures: ['count', 'avg:seats'] }],
    { short: { fields: [{ name: 'title', as: 'name' }] } },
  ]);
  await page.getByRole('button', { name: 'Remove unique index' }).click();
  await impactOf(page).getByText('one_title').first().waitFor();
  await save(page);
  await assertBecomes(async () => 'UniqueIndexes' in (await stored()), false);
});

test('a change that another builder overtakes is merged: what both typed is kept, and what both changed is named', {
  skip,
}, async (context) => {
  const { org, page, open, stored } = await openAppointments(context);
  await open();
  await fieldOf(page, 'title').click();
  await page.getByRole('textbox', { name: 'Characters, at most' }).fill('90');
  await impactOf(page).getByRole('button', { name: 'Save', disabled: false }).waitFor();
  const theirs = { UpdateParams: [{ name: 'title', maxlength: 70, description: 'of them' }, { name: 'theirs' }] };
  assert.equal((await manage(org, 'PUT', '/api/create-visit', { body: theirs })).status, 200);
  const dryRuns = dryRunsOf(page);
  await impactOf(page).getByRole('button', { name: 'Save' }).click();
  await partOf(page, 'Impact of the change').getByText('field theirs is new').waitFor();
  await impactOf(page).getByText('field title: maxlength: yours is 90, theirs 70').waitFor();
  await assertBecomes(
    () =>
      impactOf(page)
        .getByRole('alert')
        .filter({ hasText: /version_mismatch|precondition/i })
        .count(),
    0,
  );
  await assertAccessible(page);
  await impactOf(page)
    .getByRole('button', { name: /^Merge my changes/ })
    .click();
  await fieldOf(page, 'theirs').waitFor();
  await save(page);
  for (const merged of [/"maxlength":90/, /"of them"/, /"theirs"/])
    await assertBecomes(async () => JSON.stringify(await stored()), merged);
  // The effect of the merge, and nothing of a version that is no longer stored.
  assert.deepEqual(dryRuns, ['PUT "2"']);
});

test('versions that cannot be read say why, and are read again', { skip }, async (context) => {
  const { org, page } = await openAppointments(context);
  for (let version = 0; version < 21; version++)
    assert.equal(
      (
        await manage(org, 'PUT', '/api/create-visit', {
          body: { checks: [{ cel: 'has(title)', message: `${version}` }] },
        })
      ).status,
      200,
    );
  let isDown = true;
  await page.route('**/config/entity/visit/versions**', (route) => (isDown ? route.abort() : route.continue()));
  await page.goto(`/o/${org.code}/test/entities/visit?tab=versions`);
  await page.getByRole('alert').getByText('The platform cannot be reached.').waitFor();
  await assertAccessible(page);
  isDown = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('live in test').waitFor();
  isDown = true;
  await page.getByRole('button', { name: 'Earlier versions' }).click();
  await page.getByRole('alert').getByText('The platform cannot be reached.').waitFor();
  await page.getByText('live in test').waitFor();
  await page.getByRole('button', { name: 'Compare with the live version' }).first().click();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  isDown = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('list', { name: /^From the live version/ }).waitFor();
  await page.getByRole('button', { name: 'Earlier versions' }).click();
  await page.getByText('Version 1', { exact: true }).waitFor();
});
