import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertProblem } from '../assert-problem.ts';
import { assertBecomes, eventually } from '../eventually.ts';
import { act, allow, create, defineEntity, definition, deny, foundedOrg, manage, memberWith } from '../org.ts';
import { assertAccessible } from './accessibility.ts';
import { consolePlatform, openBrowser, skip } from './browser.ts';
import { defineGreeting, retype, signInAs } from './console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };
const canary = '<img src=x onerror=alert(1)>';

/** A workspace with a viewer, who may read orders of his own, list all of them, and remove none. */
async function shop(context: TestContext) {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, definition('order', [{ name: 'title', colType: 'string' }]));
  await defineGreeting(org);
  const viewer = await memberWith(founder, [
    { Sid: 'Greet', ...allow('rungreet') },
    { Sid: 'List', ...allow('listorder') },
    { Sid: 'Own', ...allow('getorder'), Condition: { StringEquals: { 'record.title': [canary] } } },
    { Sid: 'Keep', ...deny('deleteorder') },
  ]);
  const group = await create(founder, 'group', { name: canary, acl_policies: [] });
  await create(founder, 'usergroup', { user_id: viewer.id, group_id: group.id });
  const named = { body: { fn: canary, ln: 'Viewer' } };
  assert.equal((await act(founder, 'PUT', `/update/user/${viewer.id}`, named)).status, 200);
  const order = await create(founder, 'order', { title: 'Lamp' });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  const open = (path: string) => page.goto(`/o/${org.code}/test${path}?w=${founder.tenantCode}`);
  return { org, founder, viewer, order, page, open };
}

const drawer = (page: Page) => page.getByRole('dialog');

test('a builder finds a user, sees what the user may do and by which statement, and saves it for an auditor', {
  skip,
}, async (context) => {
  const { org, viewer, founder, page } = await shop(context);
  await page.goto(`/o/${org.code}/test/users`);
  await page.getByRole('heading', { name: 'Choose a workspace' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('main').getByRole('button', { name: founder.tenantCode }).click();
  await page.getByRole('link', { name: founder.email }).waitFor();
  await page.getByRole('textbox', { name: 'Search users' }).fill('Viewer');
  await page.getByRole('link', { name: founder.email }).waitFor({ state: 'detached' });
  await page.getByText(canary).first().waitFor();
  await assertAccessible(page);
  await assertBecomes(() => page.url(), /[?&]q=Viewer/);
  const [all] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export access as CSV' }).click(),
  ]);
  const text = readFileSync(await all.path(), 'utf8');
  assert.ok(text.includes(`${viewer.email},active,order,delete,Denied,`), text.slice(0, 500));
  assert.ok(new RegExp(`${viewer.email},active,,run,Allowed,.+,Greet,,,greet\r`).test(text), text.slice(-500));
  assert.ok(text.includes(`${founder.email},active,order,delete,Allowed,adminacl`), text.slice(0, 500));

  await page.getByRole('link', { name: viewer.email }).click();
  await page.getByRole('heading', { name: viewer.email, level: 1 }).waitFor();
  const give = page.getByRole('link', { name: 'Give or take away policies' });
  await give.click();
  await page.getByRole('heading', { name: 'Policies', level: 1 }).waitFor();
  await assertBecomes(() => new URL(page.url()).searchParams.get('w'), founder.tenantCode);
  await page.goBack();
  await page.getByRole('textbox', { name: 'Search entities and logic blocks' }).fill('order');
  await page.getByRole('button', { name: 'get order: Allowed with conditions' }).focus();
  for (const key of ['ArrowRight', 'End', 'Enter']) await page.keyboard.press(key);
  await drawer(page).getByText('Denied', { exact: true }).waitFor();
  await drawer(page).getByText('statement Keep').first().waitFor();
  await assertAccessible(page);
  await page.keyboard.press('Escape');
  await drawer(page).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'get order: Allowed with conditions' }).click();
  await drawer(page).getByText(canary).first().waitFor();
  await page.reload();
  await drawer(page).getByText('statement Own').first().waitFor();
  await page.keyboard.press('Escape');

  await page.getByRole('textbox', { name: 'Search entities and logic blocks' }).fill('gre');
  await page.getByText('0 of 7 entities, 1 logic block').waitFor();
  await page.getByRole('button', { name: 'run greet: Allowed' }).click();
  await drawer(page).getByText('statement Greet').first().waitFor();
  await assertAccessible(page);
  await drawer(page).getByRole('link', { name: 'Simulate' }).click();
  await page.getByRole('region', { name: 'Decision' }).getByText('statement Greet').first().waitFor();
  await page.getByRole('combobox', { name: 'Logic block' }).waitFor();
  await assertAccessible(page);
  await page.goBack();
  await page.keyboard.press('Escape');

  await page.getByRole('textbox', { name: 'Search entities and logic blocks' }).fill('');
  await page.getByRole('button', { name: 'API as this user' }).click();
  const banner = page.getByRole('note', { name: 'Acting as a user' });
  await banner.getByText(viewer.email).waitFor();
  await assertBecomes(() => page.url(), new RegExp(`/api\\?.*u=${viewer.id}`));
  await page.getByRole('link', { name: 'Home' }).click();
  await banner.getByRole('link', { name: viewer.email }).waitFor();
  await assertAccessible(page);
  await banner.getByRole('button', { name: 'Stop' }).click();
  await banner.waitFor({ state: 'detached' });
  await assertBecomes(() => /[?&]u=/.test(page.url()), false);
});

test('a statement behind a cell or a denial leads to its place in the policy', { skip }, async (context) => {
  const { viewer, order, page, open } = await shop(context);
  const { request_id } = assertProblem(await act(viewer, 'GET', `/item/order/${order.id}`), 'not_found');
  const assertFound = async (name: string, number: number) => {
    await page.getByRole('heading', { name: /^policy-/, level: 1 }).waitFor();
    const head = page.getByRole('button', { name: new RegExp(`^${name}`) });
    await head.waitFor();
    const statement = page.getByRole('region', { name: `Statement ${number}`, exact: true });
    await assertBecomes(() => statement.getAttribute('aria-current'), 'true');
    await assertBecomes(() => page.locator('section[aria-current]').count(), 1);
    await assertBecomes(() => head.getAttribute('aria-expanded'), 'true');
    await page.locator('section[aria-current] button:focus').getByText(name, { exact: true }).waitFor();
    await eventually('the statement in sight', async () => {
      const box = await head.boundingBox();
      return box !== null && box.y > 52 && box.y < 700;
    });
  };
  await open(`/users/${viewer.id}`);
  await page.getByRole('button', { name: 'delete order: Denied' }).click();
  await drawer(page)
    .getByRole('link', { name: /^statement Keep of policy/ })
    .click();
  await assertFound('Keep', 4);
  await assertAccessible(page);
  await page.reload();
  await assertFound('Keep', 4);
  await page.goto(page.url().replace('statement=4', 'statement=9'));
  await page.getByRole('status').getByText('The policy has no statement 9 any more.').waitFor();

  await open('/decisions');
  await page.getByRole('textbox', { name: 'Explain a denial' }).fill(String(request_id));
  await page.keyboard.press('Enter');
  await drawer(page)
    .getByRole('link', { name: /^statement Own of policy/ })
    .click();
  await assertFound('Own', 3);
});

test('a denial is seen at home, explained by its id, and simulated with a draft that allows it', {
  skip,
}, async (context) => {
  const { org, viewer, order, page, open } = await shop(context);
  const refused = assertProblem(await act(viewer, 'POST', '/create/order', { body: { title: 'x' } }), 'access_denied');
  const hidden = assertProblem(await act(viewer, 'GET', `/item/order/${order.id}`), 'not_found');
  await open('');
  await page.getByRole('link', { name: '/create/order' }).click();
  await page.getByRole('heading', { name: 'Denials', level: 1 }).waitFor();
  await drawer(page).getByText('Not granted').waitFor();
  await drawer(page).getByText('No statement allows it.').waitFor();
  await drawer(page).getByRole('link', { name: viewer.email }).waitFor();
  await assertAccessible(page);
  await page.keyboard.press('Escape');

  const find = async (id: string) => {
    await page.getByRole('textbox', { name: 'Explain a denial' }).fill(id);
    await page.keyboard.press('Enter');
  };
  await find(String(hidden.request_id));
  await drawer(page).getByText('statement Own').waitFor();
  await drawer(page).getByText('Lamp', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await find('d_nothing');
  await drawer(page).getByRole('heading', { name: 'This denial is not known' }).waitFor();
  await page.keyboard.press('Escape');
  await find(String(refused.decision_id));
  await drawer(page).getByRole('link', { name: 'Simulate a draft that allows it' }).click();

  const decision = page.getByRole('region', { name: 'Decision' });
  await decision.getByText('Allowed', { exact: true }).waitFor();
  await decision.getByText('statement New of the draft').waitFor();
  await assertAccessible(page);
  await page.reload();
  await decision.getByText('statement New of the draft').waitFor();
  await retype(page.getByRole('textbox', { name: 'Statements in JSON' }), '[{ "Effect": "Maybe" }]');
  await decision.getByRole('alert').waitFor();
  await retype(page.getByRole('textbox', { name: 'Statements in JSON' }), '"none"');
  await page.getByText('This must be a list of statements.').waitFor();
  await assertBecomes(async () => (await manage(org, 'GET', `/acl/decisions/${refused.decision_id}`)).status, 200);
});

test('a call of a user is simulated with a stored record and with a typed one', { skip }, async (context) => {
  const { viewer, order, page, open } = await shop(context);
  await open('/simulator');
  await page.getByText('Choose a user, or write a draft.').waitFor();
  await assertAccessible(page);
  await page.getByRole('combobox', { name: 'User' }).fill(viewer.email);
  await page.getByRole('option', { name: viewer.email }).click();
  await page.getByRole('combobox', { name: 'Entity' }).fill('order');
  const decision = page.getByRole('region', { name: 'Decision' });
  await decision.getByText('It depends', { exact: true }).waitFor();
  await decision.getByText('It depends on the record').waitFor();
  await page.getByText('Stored', { exact: true }).click();
  await page.getByRole('textbox', { name: 'Id of the record' }).fill(order.id);
  await decision.getByRole('list', { name: 'Condition that does not hold' }).getByText('Lamp').waitFor();
  await decision.getByText('Not granted', { exact: true }).waitFor();
  await assertAccessible(page);
  await page.getByText('As typed', { exact: true }).click();
  await retype(page.getByRole('textbox', { name: 'Fields of the record in JSON' }), JSON.stringify({ title: canary }));
  await decision.getByText('Allowed', { exact: true }).waitFor();
  await page.reload();
  await decision.getByText('Allowed', { exact: true }).waitFor();
  await page.getByText('Method and path').click();
  await page.getByRole('textbox', { name: 'Path below the app' }).fill('/nothing');
  await decision.getByRole('alert').waitFor();
  await page.getByRole('textbox', { name: 'Path below the app' }).fill('/list/order');
  await decision.getByText('statement List').first().waitFor();
  await assertAccessible(page);
});
