import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { assertBecomes } from '../eventually.ts';
import { root } from '../guide-shell.ts';
import { type AppUser, allow, create, defineEntity, foundedOrg, memberWith } from '../org.ts';
import { deploy, prodFounder } from '../promotion.ts';
import { assertAccessible } from './accessibility.ts';
import { consolePlatform, openBrowser, skip } from './browser.ts';
import { retype, signInAs } from './console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

const canary = '<img src=x onerror=alert(1)>';
const order = {
  entityName: 'order',
  UpdateParams: [
    { name: 'title', validate: true, description: canary },
    { name: 'amount', colType: 'number', index: true },
  ],
};

const answerOf = (page: Page) => page.getByRole('region', { name: 'Answer' });
const runOf = (page: Page) => page.getByRole('button', { name: 'Run', exact: true });

/** What a shell prints for the snippet on the page, with a token in the place of its placeholder. */
async function pasted(page: Page, token: string): Promise<string> {
  const snippet = (await page.getByRole('region', { name: 'Snippet' }).textContent()) ?? '';
  assert.match(snippet, /^TOKEN=…\n/);
  const { stdout } = await promisify(execFile)('sh', ['-c', snippet.replace('TOKEN=…', `TOKEN=${token}`)]);
  return stdout;
}

/** The program on the page, and what it prints when the user runs it. */
async function programOn(page: Page, { email, password }: Pick<AppUser, 'email' | 'password'>) {
  const program = (await page.getByRole('region', { name: 'Snippet' }).textContent()) ?? '';
  const signedIn = program.replace('you@example.com', email).replace("password: '…'", `password: '${password}'`);
  const words = ['--input-type=module-typescript', '-e', signedIn];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root });
  return { program, printed: stdout };
}

test('a route is read, called from a shell, and run as a user with the decision behind the answer', {
  skip,
}, async (context) => {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, order);
  const { id } = await create(founder, 'order', { title: canary, amount: 4 });
  const reader = await memberWith(founder, [allow(['listorder', 'getorder'])]);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/entities/order?w=${founder.tenantCode}`);
  await page.getByRole('link', { name: 'API reference' }).click();
  await page.getByRole('heading', { name: 'order', level: 2 }).waitFor();
  await assertAccessible(page);

  await page.getByRole('link', { name: 'Lists records' }).click();
  // The document describes one view, and the replies are shown by the chosen view.
  const replies = page.getByRole('region', { name: 'Replies' });
  await replies.getByLabel('Members of items').click();
  await replies.getByText('created_by', { exact: true }).waitFor();
  const address = page.url();
  for (const [view, members] of [
    ['compact', 0],
    ['default', 1],
  ] as const) {
    await page.getByRole('combobox', { name: 'view', exact: true }).click();
    await page.getByRole('option', { name: view, exact: true }).click();
    await assertBecomes(() => replies.getByText('created_by', { exact: true }).count(), members, view);
    const example = replies.getByRole('region', { name: 'Example of the reply' });
    await assertBecomes(async () => /"created_by": "/.test((await example.textContent()) ?? ''), members === 1, view);
  }
  await page.goto(address);
  await page.getByRole('textbox', { name: 'pagesize' }).fill('1');
  await page.getByText('Filters by fields').click();
  await page.getByRole('textbox', { name: 'amount', exact: true }).fill('3');
  await page.getByRole('combobox', { name: 'amount_op' }).click();
  await page.getByRole('option', { name: 'gt', exact: true }).click();
  await page.getByRole('region', { name: 'Snippet' }).getByText('amount=3&amount_op=gt&pagesize=1').waitFor();
  await page.reload();
  await assertBecomes(() => page.getByRole('textbox', { name: 'pagesize' }).inputValue(), '1');
  await page.getByRole('region', { name: 'Replies' }).getByLabel('Members of items').click();
  assert.match(await pasted(page, founder.token), /^HTTP\/1\.1 200 [\s\S]*"items":\[\{"id":/);
  await page.getByRole('tab', { name: 'fetch' }).click();
  await page.getByRole('region', { name: 'Snippet' }).getByText("const TOKEN = '…';").waitFor();
  await page.getByRole('tab', { name: '@freehold/client' }).click();
  const listing = await programOn(page, founder);
  assert.match(listing.program, /\.list\(\{ where: \{ amount: \{ gt: 3 \} \}, pageSize: 1 \}\)/);
  assert.match(listing.printed, new RegExp(`items: \\[[\\s\\S]*${id}`));
  await assertAccessible(page);
  await page.getByRole('combobox', { name: `As a member of ${founder.tenantCode}` }).click();
  await page.getByRole('option', { name: reader.email }).click();
  await runOf(page).click();
  await answerOf(page).getByText('200', { exact: true }).waitFor();
  await answerOf(page).getByText(canary).waitFor();
  await answerOf(page).getByText('listorder').first().waitFor();
  await answerOf(page).getByText('allowed', { exact: true }).waitFor();
  await answerOf(page).getByRole('button', { name: 'Copy the request id' }).waitFor();
  await assertAccessible(page);

  // The user stays chosen, and the id of a record that he may list is filled in.
  await page.getByRole('link', { name: 'order', exact: true }).first().click();
  await page.getByRole('link', { name: 'Deletes a record' }).click();
  await page.getByRole('region', { name: 'Snippet' }).getByText(id).waitFor();
  await runOf(page).click();
  const question = page.getByRole('dialog', { name: 'Run a call that removes?' });
  await question.getByText(`DELETE /app/${org.code}/delete/order/${id}`).waitFor();
  await assertAccessible(page);
  await question.getByRole('button', { name: 'Run it' }).click();
  await answerOf(page).getByText('403', { exact: true }).waitFor();
  await answerOf(page).getByText('implicit deny').waitFor();
  await answerOf(page).getByText('No statement allows it.').waitFor();
  await assertAccessible(page);
  await page.getByRole('tab', { name: '@freehold/client' }).click();
  assert.match((await programOn(page, founder)).program, new RegExp(`entity\\('order'\\)\\.delete\\('${id}'\\);`));
  await page.getByRole('tab', { name: 'curl' }).click();
  assert.match(await pasted(page, founder.token), /^HTTP\/1\.1 404 /);
});

test('a body is edited and sent, and the refusal shows what is wrong with it', { skip }, async (context) => {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, order);
  const { newPage } = await openBrowser(context, platform, { viewport: { width: 390, height: 800 } });
  const page = await newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/api?entity=order&op=createOrder`);
  await assertBecomes(() => runOf(page).getAttribute('aria-description'), 'Choose a workspace to run it in.');
  await page.goto(`/o/${org.code}/test/api?entity=order&op=createOrder&w=${founder.tenantCode}`);
  const body = page.getByRole('textbox', { name: 'Body in JSON' });
  // It begins with the example of the document, which can be sent as it is.
  await runOf(page).click();
  await answerOf(page).getByText('201', { exact: true }).waitFor();
  await retype(body, '{"title": 7}');
  await runOf(page).click();
  await answerOf(page).getByText('400', { exact: true }).waitFor();
  await answerOf(page).getByText('field `title` must be a string').waitFor();
  await retype(body, '{"title": "Lamp"}');
  await runOf(page).click();
  await answerOf(page).getByText('201', { exact: true }).waitFor();
  await answerOf(page).getByText('In test a builder may do everything in his own name.').waitFor();
  await assertBecomes(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  await assertAccessible(page);
});

test('routes are found among many entities, and production is read as a user only', { skip }, async (context) => {
  const { org } = await foundedOrg(platform);
  for (let number = 1; number <= 45; number++)
    await defineEntity(org, { entityName: `kind_${number}`, UpdateParams: [{ name: 'title' }] });
  const reader = await prodFounder(org);
  await deploy(org);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.keyboard.press('Control+k');
  await page.getByRole('textbox', { name: 'Go to' }).waitFor();
  await page.keyboard.type('api');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Call the app' }).waitFor();
  await page.getByText('5 more: search for them').waitFor();
  const search = page.getByRole('textbox', { name: 'Search entities and routes' });
  await search.fill('kind_45');
  await page.getByRole('link', { name: 'kind_45' }).waitFor();
  await search.fill('batch');
  await page.getByRole('link', { name: `POST /app/${org.code}/batch` }).click();
  await page.getByRole('button', { name: `Copy the path /app/${org.code}/batch` }).waitFor();
  await assertBecomes(() => page.url(), /op=\w+/);
  await assertAccessible(page);
  await page.reload();
  await page.getByRole('button', { name: `Copy the path /app/${org.code}/batch` }).waitFor();

  await page.getByRole('link', { name: 'For builders and pipelines' }).click();
  await page.getByRole('heading', { name: 'Call the management API' }).waitFor();
  await search.fill('openapi.json');
  await page.getByRole('link', { name: 'GET /api/openapi.json' }).click();
  await page.getByRole('textbox', { name: 'entity' }).fill('kind_7');
  assert.match(await pasted(page, org.builder.token), /^HTTP\/1\.1 200 [\s\S]*\/list\/kind_7/);
  await page.getByText('Routes of the management API are for builders').waitFor();
  await assertAccessible(page);

  await page.goto(`/o/${org.code}/prod/api?entity=kind_1&op=createKind_1`);
  await assertBecomes(() => runOf(page).getAttribute('aria-description'), /^In production a builder only reads/);
  await page.goto(`/o/${org.code}/prod/api?entity=kind_1&op=listKind_1&w=main`);
  await assertBecomes(() => runOf(page).getAttribute('aria-description'), /^In production choose a user/);
  await page.getByRole('combobox', { name: 'As a member of main' }).click();
  await page.getByRole('option', { name: reader.email }).click();
  await runOf(page).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('Ticket 4711');
  await page.getByRole('dialog').getByRole('button', { name: 'View as this user' }).click();
  await answerOf(page).getByText('200', { exact: true }).waitFor();
  await answerOf(page).getByText('adminacl').first().waitFor();
  await assertAccessible(page);
  await page.goto(`/o/${org.code}/test/api?entity=kind_1&op=nothing`);
  await page.getByRole('heading', { name: 'There is no such route' }).waitFor();
  await assertAccessible(page);
  await page.goto(`/o/${org.code}/test/api?entity=nothing`);
  await page.getByRole('alert').getByText('not_found').waitFor();
});
