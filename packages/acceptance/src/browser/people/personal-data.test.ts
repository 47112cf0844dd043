import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertBecomes } from '../../eventually.ts';
import {
  type AppUser,
  create,
  defineEntity,
  definition,
  foundedOrg,
  joinOrg,
  list,
  manage,
  signIn,
} from '../../org.ts';
import { previewErase } from '../../person-jobs.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, openBrowser, skip } from '../browser.ts';
import { signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };
const canary = '<img src=x onerror=alert(1)>';

async function fixture() {
  const { org, founder } = await foundedOrg(platform);
  const ownerIndexes = [
    { ownerFieldName: 'owner_id', gpkTemplate: 'org#{org};data#note;owner#{owner_id}', gskTemplate: '{id}' },
  ];
  const owner = { name: 'owner_id', colType: 'guid', required: false };
  await defineEntity(org, { ...definition('note', [{ name: 'title' }, owner]), ownerIndexes });
  const person = await signIn(org);
  for (const title of [canary, 'second']) await create(founder, 'note', { title, owner_id: person.id });
  return { org, founder, person };
}

async function openPage(context: TestContext, { org, id }: Pick<AppUser, 'org' | 'id'>): Promise<Page> {
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/app-users/${id}`);
  await page.getByRole('link', { name: 'Personal data' }).click();
  await page.getByRole('heading', { name: 'Personal data', level: 1 }).waitFor();
  return page;
}

test('an admin collects the data of a person, previews an erase, confirms it, and reads what stays', {
  skip,
}, async (context) => {
  const { org, person } = await fixture();
  const page = await openPage(context, { org, id: person.id });
  await page.getByText('Nothing was asked for in the last 30 days.').waitFor();
  await assertAccessible(page);

  await page.getByRole('button', { name: 'Collect the data' }).click();
  await page.getByRole('article', { name: 'Export, done' }).waitFor();
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the file' }).click();
  assert.match((await downloading).suggestedFilename(), /^person-[0-9a-f-]+\.jsonl$/);

  const erase = page.getByRole('button', { name: 'Erase the person' });
  await assertBecomes(() => erase.getAttribute('aria-description'), 'Preview the erase with this choice first.');
  await page.getByRole('radio', { name: 'Delete the records that the person owns', exact: true }).check();
  await page.getByRole('button', { name: 'Preview the erase' }).click();
  const preview = page.getByRole('article', { name: 'Preview of an erase, done' });
  await preview.getByRole('row', { name: 'Records to be deleted 2' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('radio', { name: 'Keep all records' }).check();
  await assertBecomes(() => erase.getAttribute('aria-description'), 'Preview the erase with this choice first.');
  await page.getByRole('radio', { name: 'Delete the records that the person owns', exact: true }).check();

  await erase.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Records to be deleted: 2').waitFor();
  await dialog.getByText(/^The preview that was made .* has found this/).waitFor();
  const confirm = dialog.getByRole('button', { name: 'Erase the person' });
  await assertBecomes(() => confirm.getAttribute('aria-description'), 'Type the name of the account first.');
  await assertAccessible(page);
  await dialog.getByRole('textbox', { name: `Type ${person.email}` }).fill(person.email);
  await confirm.click();
  await dialog.waitFor({ state: 'detached' });

  const report = page.getByRole('article', { name: 'Erase, done', exact: true });
  await report.getByRole('row', { name: 'Records deleted 2' }).waitFor();
  await page.getByText('This person is erased, or is being erased.').waitFor();
  await report.getByRole('button', { name: /^What stays, and why/ }).click();
  await report.getByText('The log is chained by digests').waitFor();
  await page.getByText('The file has expired, or was removed when the person was erased.').waitFor();
  await assertAccessible(page);
  const audit = await manage<{ items: readonly { action: string }[] }>(org, 'GET', `/audit?target=${person.id}`);
  assert.equal(audit.body.items[0]?.action, 'app_user.erased');

  await page.goto(`/o/${org.code}/test/app-users/${person.id}`);
  await page.getByRole('heading', { name: 'There is no such account' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('link', { name: 'Reports on this person' }).click();
  await report.waitFor();
});

test('a developer is told that it takes an admin, and a refused erase says why', { skip }, async (context) => {
  const { org, founder, person } = await fixture();
  const page = await openPage(context, { org, id: founder.id });
  await page.getByRole('button', { name: 'Preview the erase' }).click();
  const preview = page.getByRole('article', { name: 'Preview of an erase, done' });
  await preview.getByText(/last active holder of policy/).waitFor();
  await page.getByRole('button', { name: 'Erase the person' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: `Type ${founder.email}` }).fill(founder.email);
  await dialog.getByRole('button', { name: 'Erase the person' }).click();
  await dialog.getByText(/is the last admin of workspace/).waitFor();
  await assertAccessible(page);

  const email = `dev-${org.code}@example.com`;
  await joinOrg(org, 'developer', email);
  const other = await (await openBrowser(context, platform)).newPage();
  await signInAs(other, { email });
  await other.goto(`/o/${org.code}/test/app-users/${person.id}/personal-data`);
  await other.getByRole('heading', { name: 'For admins of the org' }).waitFor();
  await assertAccessible(other);
});

test('an admin reads what the other account gains, and merges two accounts of one person', {
  skip,
}, async (context) => {
  const { org, founder, person } = await fixture();
  const other = await signIn(org);
  const admin = (await list(founder, 'aclpolicy', '?name=adminacl')).items[0];
  await create(founder, 'useraclpolicy', { user_id: person.id, acl_policy_id: admin?.id });
  const page = await openPage(context, { org, id: person.id });
  const merge = page.getByRole('button', { name: 'Merge the accounts' });
  await assertBecomes(() => merge.getAttribute('aria-description'), 'Choose the account that stays first.');
  await page.getByRole('combobox', { name: 'The account that stays' }).fill(other.email);
  await page.getByRole('option', { name: other.email }).click();
  await assertBecomes(() => merge.getAttribute('aria-description'), 'Preview the merge into this account first.');
  await page.getByRole('button', { name: 'Preview the merge' }).click();
  const preview = page.getByRole('article', { name: 'Preview of a merge, done' });
  await preview.getByText('main: it is a member already, and gains adminacl.').waitFor();
  await assertAccessible(page);
  await merge.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('main: it is a member already, and gains adminacl.').waitFor();
  await dialog.getByText(`${person.email} (${person.id}) becomes part of ${other.email} (${other.id}).`).waitFor();
  await assertAccessible(page);
  await dialog.getByRole('textbox', { name: `Type ${person.email}` }).fill(person.email);
  await dialog.getByRole('button', { name: 'Merge the accounts' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('article', { name: 'Merge, done', exact: true }).waitFor();
  await page.getByText('This account has become part of another account.').waitFor();
  await page.getByRole('article', { name: 'Merge, done', exact: true }).getByRole('link', { name: other.id }).waitFor();
  await assertAccessible(page);
  assert.equal((await signIn(org, person.email)).id, other.id);
});

test('an erase that has failed is begun again', { skip }, async (context) => {
  const { org, person } = await fixture();
  const preview = await previewErase(org, person, 'delete_owned');
  const error = { code: 'last_admin', message: 'the workspace must keep an admin' };
  const failed = { ...preview, dry_run: false, state: 'failed', error };
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.route('**/org/person-jobs*', (route) => route.fulfill({ json: { items: [failed], nexttoken: null } }));
  const gone = { type: 'about:blank', title: 'There is nothing here', status: 404, detail: '', code: 'not_found' };
  await page.route(`**/org/app-users/${person.id}*`, (route) =>
    route.fulfill({ status: 404, json: gone, contentType: 'application/problem+json' }),
  );
  await page.goto(`/o/${org.code}/test/app-users/${person.id}/personal-data`);
  await page.getByText('The erase of this person has failed.').waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Erase again' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: `Type ${person.email}` }).fill(person.email);
  await page.unrouteAll();
  await dialog.getByRole('button', { name: 'Erase the person' }).click();
  const report = page.getByRole('article', { name: 'Erase, done', exact: true });
  await report.getByRole('row', { name: 'Records deleted 2' }).waitFor();
});

test('of very many jobs about others a bounded part is looked at, and the page says so', { skip }, async (context) => {
  const { org, person } = await fixture();
  const page = await (await openBrowser(context, platform)).newPage();
  let calls = 0;
  await page.route('**/org/person-jobs?*', (route) => {
    calls += 1;
    return route.fulfill({ json: { items: [], nexttoken: `after-${calls}` } });
  });
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/app-users/${person.id}/personal-data`);
  await page.getByText('earlier ones of this person are not shown').waitFor();
  await page.getByText(/^Nothing was found\./).waitFor();
  assert.equal(calls, 10);
  await assertAccessible(page);
});
