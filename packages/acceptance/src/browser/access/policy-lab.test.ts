import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertBecomes, eventually } from '../../eventually.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  definition,
  deny,
  foundedOrg,
  list,
  manage,
  memberWith,
  type Org,
} from '../../org.ts';
import { prodFounder } from '../../promotion.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, isCall, openBrowser, skip } from '../browser.ts';
import { retype, signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };
const canary = '<img src=x onerror=alert(1)>';

const sell = { Sid: 'Sell', ...allow(['listorder', 'createorder', 'deleteorder', 'getorder', 'updateorder']) };

/** A member who holds a policy to sell, and has sold nothing yet. */
async function sellingOrg() {
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const member = await memberWith(founder, []);
  const policy = await create(founder, 'aclpolicy', { name: canary, statements: [sell] });
  await create(founder, 'useraclpolicy', { user_id: member.id, acl_policy_id: policy.id });
  return { org, founder, member, policy };
}

/** Creates and deletes two orders, lists, and is refused a count. Seven decisions allow it, of which two get what is deleted. */
async function sellTwo(member: AppUser): Promise<void> {
  for (const title of ['one', 'two']) {
    const { id } = await create(member, 'order', { title });
    assert.equal((await act(member, 'DELETE', `/delete/order/${id}`)).status, 204);
  }
  await list(member, 'order');
  await assertBecomes(async () => (await act(member, 'GET', '/count/order')).status, 403);
}

/** Until the calls of a member are recorded, which happens after their replies. */
async function recorded(org: Org, member: AppUser, decisions: number): Promise<void> {
  const query = `env=test&tenant_code=main&user_id=${member.id}`;
  await eventually(`${decisions} recorded decisions`, async () => {
    const reply = await manage<{ decisions: number }>(org, 'GET', `/acl/suggest?${query}`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.decisions >= decisions;
  });
}

const jsonOf = (page: Page) => page.getByRole('textbox', { name: 'Policy in JSON' });
const replay = (page: Page) => page.getByRole('button', { name: 'Replay the recorded calls' });

test('a draft is replayed on the calls that were made, stays while its author looks elsewhere, and is saved', {
  skip,
}, async (context) => {
  const { org, member } = await sellingOrg();
  await sellTwo(member);
  await recorded(org, member, 7);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.getByRole('link', { name: 'Policy lab' }).click();
  await page.getByRole('heading', { name: 'Choose a workspace' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: /^main/ }).click();
  await page.getByText('Choose a policy and edit its statements').waitFor();
  await page.getByRole('combobox', { name: 'Policy to change' }).fill('img');
  await page.getByRole('option', { name: canary }).click();
  await replay(page).click();
  await page.getByText('No recorded call that is allowed now would be denied.').waitFor();
  await page.getByText('No recorded call that is denied now would be allowed.').waitFor();
  await assertAccessible(page);

  const draft = [
    { ...sell, Action: ['listorder', 'createorder', 'countorder'] },
    { Sid: 'Keep', ...deny('createorder') },
  ];
  await retype(jsonOf(page), JSON.stringify({ name: canary, statements: draft }));
  await page.getByText('The draft has changed since').waitFor();
  await replay(page).click();
  const denied = page.getByRole('table', { name: 'Would be denied' });
  const created = denied.getByRole('row').filter({ hasText: 'createorder' });
  await created.getByText(member.email).waitFor();
  await created.getByRole('cell', { name: '2', exact: true }).waitFor();
  await denied.getByRole('row').filter({ hasText: 'deleteorder' }).waitFor();
  await page.getByRole('table', { name: 'Would be allowed' }).getByText('countorder', { exact: true }).waitFor();
  await page.getByText(/This rests on \d+ recorded decisions since/).waitFor();
  await assertAccessible(page);
  await created.getByRole('button', { name: 'Statement Keep of the draft' }).click();
  await page.getByRole('region', { name: 'Statement 2' }).and(page.locator('[aria-current=true]')).waitFor();

  await created.getByRole('link', { name: /^Simulate createorder/ }).click();
  await page.getByRole('heading', { name: 'Simulator', level: 1 }).waitFor();
  await page.goBack();
  await jsonOf(page).getByText('"Keep"').waitFor();
  await page.getByRole('button', { name: 'Save to the policy' }).click();
  await page.getByRole('button', { name: 'Save to the policy' }).waitFor({ state: 'detached' });
  assert.equal((await act(member, 'POST', '/create/order', { body: { title: 'three' } })).status, 403);
});

test('a suggestion stands beside what is held and not used, and goes on as a draft', { skip }, async (context) => {
  const { org, member, policy } = await sellingOrg();
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/policy-lab?w=main&tab=suggest&of=user&id=${member.id}`);
  await page.getByRole('heading', { name: 'No calls are recorded yet' }).waitFor();
  await page.getByRole('link', { name: 'See the calls of the API' }).waitFor();
  await assertAccessible(page);
  await sellTwo(member);
  await recorded(org, member, 7);
  await page.reload();
  const held = page.getByRole('region', { name: 'What they hold now' });
  await held.getByRole('button', { name: `Statements of ${canary}` }).click();
  await held.getByText('No recorded call used updateorder.').waitFor();
  const suggestion = page.getByRole('region', { name: 'Suggestion' });
  await suggestion.getByRole('region', { name: 'Suggested statements in JSON' }).getByText('createorder').waitFor();
  await assertBecomes(() => suggestion.getByText('updateorder').count(), 0);
  await assertAccessible(page);
  await page.setViewportSize({ width: 375, height: 800 });
  const beside = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  await assertBecomes(beside, 0, 'nothing lies beside a narrow screen');
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByText('Who holds a policy').click();
  await page.getByRole('combobox', { name: 'Policy', exact: true }).fill('img');
  await page.getByRole('option', { name: canary }).click();
  await held.getByText('partly not used').first().waitFor();
  await page.getByRole('button', { name: 'Use as draft' }).click();
  await page.getByRole('tab', { name: 'Replay', selected: true }).waitFor();
  await assertBecomes(() => page.url(), new RegExp(`policy=${policy.id}`));
  await jsonOf(page).getByText('createorder').waitFor();
  await replay(page).click();
  await page.getByText('No recorded call that is allowed now would be denied.').waitFor();

  await page.getByRole('button', { name: 'Start a new policy' }).click();
  await assertBecomes(() => replay(page).getAttribute('aria-description'), /members/);
  await page.getByRole('combobox', { name: 'Members who would hold it' }).fill(member.email);
  await page.getByRole('option', { name: member.email }).click();
  await page.keyboard.press('Escape');
  await retype(jsonOf(page), JSON.stringify({ name: 'counters', statements: [allow('countorder')] }));
  await replay(page).click();
  await page.getByRole('table', { name: 'Would be allowed' }).getByText('countorder', { exact: true }).waitFor();
  await assertAccessible(page);
});

test('a statement is only reported, then enforced once its effect is known', { skip }, async (context) => {
  const { org, founder, member, policy } = await sellingOrg();
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/policy-lab?w=main&tab=reported`);
  await page.getByRole('heading', { name: 'Nothing is reported yet' }).waitFor();
  await assertAccessible(page);
  const keep = { Sid: 'Keep', ...deny('deleteorder') };
  const body = { name: canary, statements: [sell, keep] };
  await page.goto(`/o/${org.code}/test/policies/${policy.id}?w=main`);
  await retype(jsonOf(page), JSON.stringify(body));
  const card = page.getByRole('region', { name: 'Statement 2' });
  await card.getByRole('button', { expanded: false }).click();
  await card.getByText('Only report', { exact: true }).click();
  await card.getByText('It changes no answer.').waitFor();
  await jsonOf(page).getByText('"report"').waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' });
  await sellTwo(member);
  await recorded(org, member, 7);

  await page.goto(`/o/${org.code}/test/policy-lab?w=main&tab=reported`);
  const row = page.getByRole('table', { name: 'Reported statements' }).getByRole('row').filter({ hasText: 'Keep' });
  await row.getByText('denied 2 calls that were allowed').waitFor();
  await row.getByText(canary).waitFor();
  await row.getByRole('link', { name: 'deleteorder' }).first().waitFor();
  await assertAccessible(page);
  await row.getByRole('button', { name: 'Enforce Keep' }).click();
  const dialog = page.getByRole('dialog', { name: /^Enforce Keep of/ });
  await dialog.getByText('It would have denied 2 calls that were allowed.').waitFor();
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'Enforce the statement' }).click();
  await dialog.waitFor({ state: 'detached' });
  const stored = async () => (await list(founder, 'aclpolicy', '?pagesize=200')).items;
  await assertBecomes(async () => (await stored()).find(({ id }) => id === policy.id)?.statements, body.statements);
  const { id } = await create(member, 'order', { title: 'three' });
  assert.equal((await act(member, 'DELETE', `/delete/order/${id}`)).status, 403);
  await row.getByRole('button', { name: 'Enforce Keep' }).click();
  await page.getByText('or it is enforced already').waitFor();
});

test('in production a draft is replayed and not saved', { skip }, async (context) => {
  const { org } = await foundedOrg(platform);
  const founder = await prodFounder(org);
  await create(founder, 'group', { name: 'sellers', acl_policies: [] });
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/prod/policy-lab?w=${founder.tenantCode}`);
  await page.getByRole('combobox', { name: 'Policy to change' }).fill('viewer');
  await page.getByRole('option', { name: 'vieweracl' }).click();
  await retype(jsonOf(page), JSON.stringify({ name: 'vieweracl', statements: [allow('getorder')] }));
  await page.getByRole('button', { name: 'Save to the policy' }).waitFor();
  const save = page.getByRole('button', { name: 'Save to the policy' });
  await assertBecomes(() => save.getAttribute('aria-description'), /by the app/);
  await replay(page).click();
  await page.getByText(/This rests on|No calls are recorded yet/).waitFor();
  await assertAccessible(page);
});

test('the screen makes three calls at most, also where its address holds a policy or a member', {
  skip,
}, async (context) => {
  const { org, member, policy } = await sellingOrg();
  await sellTwo(member);
  await recorded(org, member, 7);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  const calls: string[] = [];
  page.on('request', (request) => {
    if (isCall(request)) calls.push(new URL(request.url()).pathname);
  });
  const shown = async (search: string, what: ReturnType<Page['getByText']>): Promise<readonly string[]> => {
    calls.length = 0;
    await page.goto(`/o/${org.code}/test/policy-lab?w=main${search}`);
    await what.waitFor();
    await page.waitForLoadState('networkidle');
    return calls.toSorted();
  };
  assert.deepEqual(await shown(`&policy=${policy.id}`, jsonOf(page).getByText('"Sell"')), [
    '/acl/lint',
    `/acl/policies/${policy.id}`,
    '/auth/me',
  ]);
  for (const [search, what] of [
    ['', page.getByText('Choose a policy and edit its statements')],
    ['&policy=new', jsonOf(page)],
    ['&tab=reported', page.getByRole('heading', { name: 'Nothing is reported yet' })],
    [`&tab=suggest&of=user&id=${member.id}`, page.getByRole('region', { name: 'Suggestion' })],
    [`&tab=suggest&of=policy&id=${policy.id}`, page.getByRole('region', { name: 'Suggestion' })],
  ] as const) {
    const made = await shown(search, what);
    assert.ok(made.length <= 3, `${search}: ${made.join()}`);
  }
});

test('what a logic block’s own report-only statement would have done is shown with its block', {
  skip,
}, async (context) => {
  const { org, member, founder } = await sellingOrg();
  await create(founder, 'useraclpolicy', {
    user_id: member.id,
    acl_policy_id: (await create(founder, 'aclpolicy', { name: 'runs', statements: [allow('run*')] })).id,
  });
  const policies = [allow('listorder'), { Sid: 'Try', ...deny('listorder'), Mode: 'report' }];
  const steps = [{ id: 'find', type: 'list', entity: 'order' }];
  const body = { name: 'finds', content: { name: 'finds', steps, run_as: 'app', policies } };
  assert.equal((await manage(org, 'POST', '/config/logicblock', { body })).status, 201);
  assert.equal((await act(member, 'POST', '/logicblocks/finds', { body: {} })).status, 200);
  const page = await (await openBrowser(context, platform)).newPage();
  await signInAs(page, org.builder);
  await page.goto(`/o/${org.code}/test/policy-lab?w=main&tab=reported`);
  const row = page.getByRole('table', { name: 'Reported statements' }).getByRole('row').filter({ hasText: 'Try' });
  await row.getByText('denied 1 call that was allowed').waitFor();
  await row.getByText('Deny, of the logic block finds').waitFor();
  await assertBecomes(() => row.getByRole('button').count(), 0);
  await assertAccessible(page);
  await row.getByRole('link', { name: 'Try' }).click();
  await page.waitForURL(/\/logic-blocks\/finds/);
  await page.getByRole('heading', { name: 'finds' }).first().waitFor();
});
