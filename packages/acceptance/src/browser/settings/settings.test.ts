import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { call } from '../../call.ts';
import { assertBecomes, eventually } from '../../eventually.ts';
import { appUrl, exchangeToken, joinOrg, manage, newEmail, type Org, password, signUp } from '../../org.ts';
import { annsEmail, startRealProvider } from '../../real-provider.ts';
import { assertAccessible } from '../accessibility.ts';
import { consolePlatform, isCall, openBrowser, skip } from '../browser.ts';
import { assertSeen, newOrgOn, signInAs } from '../console-pages.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };

interface Listed {
  readonly group: string;
  readonly name: string;
  readonly value: unknown;
  readonly prod_value?: unknown;
  readonly version: number;
}

async function settingsOf(org: Org): Promise<readonly Listed[]> {
  return (await manage<{ readonly items: readonly Listed[] }>(org, 'GET', '/org/settings')).body.items;
}

async function stored(org: Org, key: string): Promise<Listed | undefined> {
  return (await settingsOf(org)).find(({ group, name }) => `${group}.${name}` === key);
}

async function open(page: Page, org: Org, path: string, env = 'test'): Promise<void> {
  await page.goto(`/o/${org.code}/${env}/settings${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

test('the settings have every setting of the platform, with its default, its state and a page or JSON', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const org = await newOrgOn(page, platform);
  const calls: string[] = [];
  page.on('request', (request) => {
    if (isCall(request)) calls.push(new URL(request.url()).pathname);
  });
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  const table = page.getByRole('table', { name: 'All settings' });
  await table.waitFor();
  await assertBecomes(() => calls, ['/org/settings']);
  const keys = (await settingsOf(org)).map(({ group, name }) => `${group}.${name}`);
  const links = table.getByRole('row').locator('td:first-child a');
  await assertBecomes(async () => (await links.allTextContents()).toSorted(), keys.toSorted());
  await page.getByRole('row', { name: 'acl.cache_seconds' }).getByText('default', { exact: true }).waitFor();
  await assertAccessible(page);
  for (const key of keys) {
    await open(page, org, '');
    await table.getByRole('link', { name: key, exact: true }).click();
    // A page of the settings, or the item itself.
    await page.waitForURL(/\/settings\/[\w.-]+$/);
    await page.getByRole('heading', { level: 1, name: /^(?!Settings$)/ }).waitFor();
    await assertBecomes(() => page.getByText('There is nothing here').count(), 0, key);
    // Each has a form, so that no builder has to know its JSON.
    await assertBecomes(() => /\/config\//.test(new URL(page.url()).pathname), false);
  }
});

test('the tenancy of an app is set in forms, and whether decisions are recorded', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const org = await newOrgOn(page, platform);
  await open(page, org, '/tenancy');
  await assertAccessible(page);
  const form = (name: string) => page.getByRole('region', { name });
  const saved = (name: string) => form(name).getByRole('status').getByText('Saved').waitFor();
  const type = form('Workspaces of users');
  await type.getByRole('radio', { name: 'Users make workspaces and invite others' }).check();
  await type.getByRole('button', { name: 'Save tenancy.tenancy_type' }).click();
  await saved('Workspaces of users');
  const founder = form('Who founds the default workspace');
  await founder.getByRole('textbox', { name: 'Email of the founder' }).fill('no address');
  await founder.getByRole('button', { name: 'Save tenancy.founder_email' }).click();
  await founder.getByText('must be an email address').first().waitFor();
  await founder.getByRole('textbox', { name: 'Email of the founder' }).fill('ann@shop.example');
  await founder.getByRole('button', { name: 'Save tenancy.founder_email' }).click();
  await saved('Who founds the default workspace');
  await founder.getByRole('textbox', { name: 'Email of the founder' }).fill('');
  await founder.getByRole('button', { name: 'Save tenancy.founder_email' }).click();
  const access = form('What new members may do');
  await access.getByRole('combobox', { name: 'Policy of new members' }).fill('adminacl');
  await access.getByRole('button', { name: 'Save tenancy.default_member_access' }).click();
  await saved('What new members may do');
  await assertAccessible(page);
  const values = async () => [
    (await stored(org, 'tenancy.tenancy_type'))?.value,
    (await stored(org, 'tenancy.founder_email'))?.value,
    (await stored(org, 'tenancy.default_member_access'))?.value,
  ];
  await assertBecomes(() => values(), ['multi', null, 'adminacl']);
  await open(page, org, '/access');
  await page.getByRole('switch', { name: 'Samples of decisions are kept for seven days' }).setChecked(false);
  await page.getByRole('button', { name: 'Save acl.record_decisions' }).click();
  await page.getByRole('region', { name: 'Decisions are recorded' }).getByRole('status').getByText('Saved').waitFor();
  await assertBecomes(async () => (await stored(org, 'acl.record_decisions'))?.value, false);
});

test('an org admin sees who becomes the first admin of production, and names another', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const org = await newOrgOn(page, platform);
  assert.equal((await manage(org, 'POST', '/user/provision-prod')).status, 200);
  await open(page, org, '/tenancy');
  await assertBecomes(() => page.getByRole('region', { name: 'First admin of production' }).count(), 0);
  await open(page, org, '/tenancy', 'prod');
  const form = page.getByRole('region', { name: 'First admin of production' });
  const email = form.getByRole('textbox', { name: 'Email of the first admin' });
  const save = form.getByRole('button', { name: 'Save the first admin' });
  await form.getByText(`${org.builder.email} becomes the admin of the default workspace`).waitFor();
  await assertBecomes(() => save.getAttribute('aria-description'), 'The address has not changed.');
  await email.fill('no address');
  await save.click();
  await form.getByText('must be an email address').first().waitFor();
  await email.fill('founder@shop.example');
  await save.click();
  await form.getByText('founder@shop.example becomes the admin of the default workspace').waitFor();
  await assertAccessible(page);
});

test('a setting is set with a value of its own for production, kept against another builder, and reset', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const org = await newOrgOn(page, platform);
  await open(page, org, '/passwords');
  const save = page.getByRole('button', { name: 'Save auth.password_login' });
  await assertBecomes(() => save.getAttribute('aria-description'), 'Nothing is changed.');
  const enabled = page.getByRole('switch', { name: 'App users may sign in with a password' });
  await enabled.setChecked(false);
  await page.getByText('The app has no sign-in provider either, so no user can sign in.').waitFor();
  await assertAccessible(page);
  await enabled.setChecked(true);
  await page.getByRole('textbox', { name: 'Shortest new password' }).fill('12');
  await page.getByRole('switch', { name: 'Production has its own value' }).setChecked(true);
  await page.getByRole('group', { name: 'Production' }).getByRole('textbox').fill('7');
  await assertAccessible(page);
  await save.click();
  await page.getByText('must be a whole number from 8 to 128').first().waitFor();
  await page.getByRole('group', { name: 'Production' }).getByRole('textbox').fill('16');
  await save.click();
  await page.getByRole('status').getByText('Saved').waitFor();
  const { value, prod_value, version } = (await stored(org, 'auth.password_login')) ?? assert.fail();
  const open_ = { enabled: true, allow_signup: true };
  assert.deepEqual(
    [value, prod_value],
    [
      { ...open_, min_length: 12 },
      { ...open_, min_length: 16 },
    ],
  );
  await page.getByText(`set, version ${version}`).waitFor();
  await page.getByRole('group', { name: 'Test' }).getByRole('textbox').fill('14');
  const theirs = { group: 'auth', name: 'password_login', value: { min_length: 20 } };
  assert.equal((await manage(org, 'PUT', '/org/settings', { body: theirs })).status, 200);
  await save.click();
  const conflict = page.getByRole('alert').filter({ hasText: 'It was changed since you opened it' });
  await assertSeen(conflict);
  await conflict.getByText('"min_length": 20').waitFor();
  await assertAccessible(page);
  await conflict.getByRole('button', { name: 'Save mine in its place' }).click();
  await page.getByRole('status').getByText('Saved').waitFor();
  await assertBecomes(async () => (await stored(org, 'auth.password_login'))?.value, { ...open_, min_length: 14 });
  await page.getByRole('link', { name: 'Versions of auth.password_login' }).click();
  await page.getByText('live in test').waitFor();
  await page.goBack();
  const askReset = () => page.getByRole('button', { name: 'Reset to the default' }).click();
  const dialog = page.getByRole('dialog');
  await askReset();
  assert.equal((await manage(org, 'PUT', '/org/settings', { body: theirs })).status, 200);
  await dialog.getByRole('button', { name: 'Reset it' }).click();
  await dialog.getByRole('alert').getByText('It was changed since you opened it. Nothing is taken away.').waitFor();
  await assertAccessible(page);
  await assertBecomes(async () => (await stored(org, 'auth.password_login'))?.value, { ...open_, min_length: 20 });
  // Asking the same dialog again stays refused: what was meant is the value that was shown.
  await dialog.getByRole('button', { name: 'Reset it' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await assertBecomes(() => page.getByRole('textbox', { name: 'Shortest new password' }).inputValue(), '20');
  await askReset();
  await dialog.getByRole('button', { name: 'Reset it' }).click();
  await page.getByText('default', { exact: true }).waitFor();
  await assertBecomes(async () => (await stored(org, 'auth.password_login'))?.version, 0);
});

test('at the width of a phone no page of the settings is cut off', { skip }, async (context) => {
  const { newPage } = await openBrowser(context, platform, { viewport: { width: 390, height: 800 } });
  const page = await newPage();
  const org = await newOrgOn(page, platform);
  const origin = `https://${'long-name-'.repeat(6)}.example`;
  await call('GET', appUrl(org, '/providers'), { headers: { origin, client_id: org.clientId } });
  for (const path of [
    '',
    '/providers',
    '/origins',
    '/passwords',
    '/access',
    '/outgoing-calls',
    '/client-ids',
    '/alerts',
  ]) {
    await open(page, org, path);
    await page.waitForLoadState('networkidle');
    await assertBecomes(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  }
});

test('what is typed of a setting is not left behind unasked', { skip }, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const org = await newOrgOn(page, platform);
  await open(page, org, '/access');
  await page.getByRole('textbox', { name: 'Seconds' }).fill('5');
  await page.getByRole('link', { name: 'All settings' }).click();
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
  await dialog.getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('button', { name: 'Save acl.cache_seconds' }).click();
  await page.getByRole('status').getByText('Saved').waitFor();
  await assertBecomes(async () => (await stored(org, 'acl.cache_seconds'))?.value, 5);
  await page.getByRole('switch', { name: 'Callers may grant only permissions that they hold' }).setChecked(false);
  await page.getByRole('button', { name: 'Save acl.escalation_check' }).click();
  await page.getByRole('region', { name: 'Grants are held' }).getByText('Saved').waitFor();
  await assertBecomes(async () => (await stored(org, 'acl.escalation_check'))?.value, false);
  await assertAccessible(page);
});

test('an origin that was refused is allowed by one click, and hosts and origins are added and removed', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const org = await newOrgOn(page, platform);
  await open(page, org, '/origins');
  await page.getByText('None since the platform started').waitFor();
  for (const origin of ['https://shop.example', 'null'])
    await call('GET', appUrl(org, '/providers'), { headers: { origin, client_id: org.clientId } });
  await page.reload();
  const refused = page.getByRole('table', { name: 'Origins that were refused lately' });
  await refused.getByRole('row', { name: 'https://shop.example' }).getByText('once').waitFor();
  const nameless = refused.getByRole('button', { name: 'Allow in test: null' });
  await assertBecomes(() => nameless.getAttribute('aria-description'), /Only pages of http and https/);
  await assertAccessible(page);
  await refused.getByRole('button', { name: 'Allow in test: https://shop.example' }).click();
  await page.getByRole('status').getByText('Saved').waitFor();
  await assertBecomes(
    async () => (await stored(org, 'auth.allowed_domains'))?.value,
    ['http://localhost', 'https://shop.example'],
  );
  const origin = page.getByRole('textbox', { name: 'New origin' });
  await origin.fill('https://shop.example/path');
  await origin.press('Enter');
  const save = page.getByRole('button', { name: 'Save auth.allowed_domains' });
  await save.click();
  await page.getByText('must be an origin such as').first().waitFor();
  await page.getByRole('button', { name: 'Remove https://shop.example/path' }).click();
  await page.getByRole('button', { name: 'Remove http://localhost' }).click();
  await save.click();
  await page.getByRole('status').getByText('Saved').waitFor();
  await assertBecomes(async () => (await stored(org, 'auth.allowed_domains'))?.value, ['https://shop.example']);
  await page.getByRole('textbox', { name: 'Address of the page' }).fill('https://shop.example/start');
  await page.getByRole('button', { name: 'Save auth.app_url' }).click();
  await page.getByRole('region', { name: 'The page that links lead to' }).getByText('Saved').waitFor();
  await assertBecomes(async () => (await stored(org, 'auth.app_url'))?.value, 'https://shop.example/start');
  await open(page, org, '/outgoing-calls');
  await page.getByRole('textbox', { name: 'New host' }).fill('*.example.com');
  await page.getByRole('button', { name: 'Add host' }).click();
  await page.getByRole('button', { name: 'Save automation.http_hosts' }).click();
  await page.getByRole('status').getByText('Saved').waitFor();
  await assertBecomes(async () => (await stored(org, 'automation.http_hosts'))?.value, ['*.example.com']);
  await assertAccessible(page);
});

test('an environment gets a new client id after a typed confirmation, and the page says how long the old one holds', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const org = await newOrgOn(page, platform);
  await open(page, org, '/client-ids');
  const region = page.getByRole('region', { name: 'Test', exact: true });
  await region.getByText(org.clientId).waitFor();
  await page.getByText('The org has no production yet').waitFor();
  await region.getByRole('button', { name: 'Give test a new client id' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('24 hours').first().waitFor();
  await assertAccessible(page);
  const rotate = dialog.getByRole('button', { name: 'Give it a new client id' });
  await assertBecomes(() => rotate.getAttribute('aria-disabled'), 'true');
  await dialog.getByRole('textbox').fill(`${org.code} test`);
  await rotate.click();
  await region.getByText('The previous id').waitFor();
  await region.getByText(org.clientId).waitFor();
  const { body } = await manage<{ environments: { test: { client_id: string; previous: { client_id: string } } } }>(
    org,
    'GET',
    '/org',
  );
  const { client_id, previous } = body.environments.test;
  assert.notEqual(client_id, org.clientId);
  assert.equal(previous.client_id, org.clientId);
  await region.getByText(client_id).waitFor();
  await assertAccessible(page);
});

/** The outcome of a message after the one named. */
function nextDelivery(org: Org, before = ''): Promise<{ readonly id: string; readonly state: string }> {
  return eventually('the outcome of a message', async () => {
    const { body } = await manage<{ last_delivery: { id: string; state: string } | null }>(
      org,
      'GET',
      '/org/alerts/webhook',
    );
    return body.last_delivery !== null && body.last_delivery.id !== before && body.last_delivery;
  });
}

test('alerts get an address: its secret is shown once, a test message is sent, and the outcome is a sentence', {
  skip,
}, async (context) => {
  let status = 500;
  const receiver = createServer((_, reply) => void reply.writeHead(status).end());
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  context.after(() => receiver.close());
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const page = await (await openBrowser(context, platform)).newPage();
  const org = await newOrgOn(page, platform);
  await open(page, org, '/alerts');
  await page.getByText('has no limits').waitFor();
  const warned = page.getByRole('region', { name: 'When the platform warns' });
  const percents = warned.getByRole('textbox', { name: 'Percent of a limit' });
  await percents.fill('50, 90');
  await warned.getByText('100 stays among them', { exact: false }).first().waitFor();
  await assertAccessible(page);
  await percents.fill('50, 100');
  await warned.getByRole('button', { name: 'Save' }).click();
  await warned.getByText('Saved. It holds on every node', { exact: false }).waitFor();
  const shares = async () =>
    (await manage<{ alert_percents: readonly number[] }>(org, 'GET', '/observability')).body.alert_percents;
  await assertBecomes(shares, [50, 100]);
  const address = page.getByRole('textbox', { name: 'Address' });
  await address.fill('http://10.0.0.1/');
  await page.getByRole('button', { name: 'Send alerts there' }).click();
  await page
    .getByRole('region', { name: 'Alert webhook' })
    .getByText(/must be|not public|address/i)
    .first()
    .waitFor();
  await address.fill(url);
  await page.getByRole('button', { name: 'Send alerts there' }).click();
  await page.getByText('It is shown this once').waitFor();
  await page.getByText(/^whsec_/).waitFor();
  await page.getByText('No message was sent yet.').waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Send a test message' }).click();
  await page.getByText('is queued').waitFor();
  const look = page.getByRole('button', { name: 'Look for the outcome' });
  const first = await nextDelivery(org);
  assert.equal(first.state, 'failed');
  await look.click();
  await page.getByText('The last message did not arrive, and is not sent again.').waitFor();
  status = 200;
  await page.reload();
  await address.waitFor();
  await assertBecomes(() => page.getByText(/^whsec_/).count(), 0);
  await page.getByRole('button', { name: 'Send a test message' }).click();
  assert.equal((await nextDelivery(org, first.id)).state, 'delivered');
  await look.click();
  await page.getByText(/The last message \(webhook\.test\) arrived/).waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Remove the webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill(org.code);
  await dialog.getByRole('button', { name: 'Remove the webhook' }).click();
  await page.getByRole('button', { name: 'Send alerts there' }).waitFor();
  await assertBecomes(async () => (await manage(org, 'GET', '/org/alerts/webhook')).status, 404);
});

test('a developer sees the settings and is told who changes them; production says where they are changed', {
  skip,
}, async (context) => {
  const page = await (await openBrowser(context, platform)).newPage();
  const org = await signUp(platform);
  const email = newEmail('developer');
  await joinOrg(org, 'developer', email);
  await signInAs(page, { email }, password);
  await open(page, org, '');
  await page.getByText('Only an admin of the org changes them.').waitFor();
  await open(page, org, '/passwords');
  const save = page.getByRole('button', { name: 'Save auth.password_login' });
  await assertBecomes(() => save.getAttribute('aria-description'), 'Only an admin of the org may do this.');
  await assertBecomes(() => page.getByRole('textbox', { name: 'Shortest new password' }).getAttribute('readonly'), '');
  await open(page, org, '/client-ids');
  const rotate = page.getByRole('button', { name: 'Give test a new client id' });
  await assertBecomes(() => rotate.getAttribute('aria-description'), 'Only an admin of the org may do this.');
  await open(page, org, '/alerts');
  await page.getByText('Only an admin of the org sees and sets the address').waitFor();
  await open(page, org, '/providers');
  await assertBecomes(() => page.getByRole('region', { name: 'Add a provider' }).count(), 0);
  await assertAccessible(page);
  assert.equal((await manage(org, 'POST', '/user/provision-prod')).status, 200);
  await open(page, org, '/passwords', 'prod');
  await page.getByText('Settings are changed in test, and a deploy brings them here.').waitFor();
  await assertBecomes(() => page.getByRole('button', { name: /^Save/ }).count(), 0);
  await assertAccessible(page);
  await page.getByRole('link', { name: 'Change them in test' }).click();
  await page.waitForURL(/\/test\/settings\/passwords/);
});

test('a provider is looked up, added and tried out by a real sign-in, of which nothing is made', {
  skip,
}, async (context) => {
  const real = await startRealProvider(`${platform.management}/sign-in-test`);
  context.after(real.close);
  // The provider's own pages are visited; no page of the console calls it.
  const watched = await openBrowser(context, { ...platform, app: real.issuer });
  const page = await watched.newPage();
  const org = await newOrgOn(page, platform);
  await open(page, org, '/providers');
  await page.getByText('No provider yet').waitFor();
  await assertAccessible(page);
  const issuer = page.getByRole('textbox', { name: 'Issuer' });
  const lookUp = page.getByRole('button', { name: 'Look it up' });
  for (const [typed, sentence] of [
    ['id.example', /must be an http or https address/],
    ['http://10.0.0.1', /the address is not public/],
    [`${real.issuer}/nowhere`, /there is no discovery document at/i],
  ] as const) {
    await issuer.fill(typed);
    await lookUp.click();
    await page.getByText(sentence).first().waitFor();
  }
  const published = page.getByRole('table', { name: `What ${real.issuer} publishes` }).getByText('RS256');
  await issuer.fill(`${real.issuer}/`);
  await lookUp.click();
  await published.waitFor();
  await issuer.fill(`${real.issuer}/.well-known/openid-configuration`);
  await published.waitFor({ state: 'detached' });
  await issuer.press('Enter');
  await published.waitFor();
  const add = page.getByRole('button', { name: 'Add to the list' });
  await assertBecomes(() => add.getAttribute('aria-description'), 'It needs a client id first.');
  await page.getByRole('combobox', { name: 'Client ids' }).fill('another');
  await page.getByRole('combobox', { name: 'Client ids' }).press('Enter');
  await page.getByRole('combobox', { name: 'Client ids' }).fill(real.clientId);
  await page.getByRole('combobox', { name: 'Client ids' }).press('Enter');
  await page.getByRole('textbox', { name: 'Name' }).fill('<b>Our company</b>');
  await assertAccessible(page);
  await add.click();
  await page.getByRole('button', { name: 'Test sign-in by <b>Our company</b>' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`${platform.management}/sign-in-test`).waitFor();
  await dialog.getByRole('combobox', { name: 'Client id', exact: true }).click();
  await page.getByRole('option', { name: real.clientId }).click();
  await assertAccessible(page);
  const opened = watched.context.waitForEvent('page');
  await dialog.getByRole('link', { name: 'Sign in at <b>Our company</b>' }).click();
  const result = await opened;
  await result.getByText('The app would accept this token.').waitFor();
  await result.getByText(`It would make a new account for ${annsEmail}.`).waitFor();
  await result.getByRole('table', { name: 'Claims of the token' }).getByText('<b>Lee</b>').waitFor();
  await assertBecomes(() => result.url(), /\/settings\/providers\?test=result$/);
  await assertAccessible(result);
  await result.reload();
  await result.getByText('The result is shown once.').waitFor();
  // The address of the answer is good once, and in no browser that has not begun it.
  await result.goto('/sign-in-test?code=abc&state=forged');
  await result.getByText('This browser has begun no such sign-in').waitFor();
  await result.close();
  await assertBecomes(async () => (await stored(org, 'auth.issuers'))?.version, 0);
  const code = await real.signIn();
  const token = await tokenOf(real.issuer, code);
  await dialog.getByRole('tab', { name: 'Paste a token' }).click();
  await dialog.getByRole('textbox', { name: 'Identity token' }).fill(`${token}x`);
  await dialog.getByRole('button', { name: 'Test the token' }).click();
  await dialog.getByText('The app would refuse this token.').waitFor();
  await dialog.getByRole('textbox', { name: 'Identity token' }).fill(token);
  await dialog.getByRole('button', { name: 'Test the token' }).click();
  await dialog.getByText('The app would accept this token.').waitFor();
  await assertAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Save auth.issuers' }).click();
  await page.getByRole('status').getByText('Saved').waitFor();
  await assertBecomes(
    async () => (await stored(org, 'auth.issuers'))?.value,
    [{ issuer: real.issuer, audiences: ['another', real.clientId], name: '<b>Our company</b>' }],
  );
  assert.equal((await exchangeToken(org, token)).status, 200);
  real.refuse();
  // The provider knows the browser by its session, and asks no more.
  await watched.context.clearCookies({ name: /^_/ });
  await page.getByRole('button', { name: 'Test sign-in by <b>Our company</b>' }).click();
  const again = watched.context.waitForEvent('page');
  await dialog.getByRole('combobox', { name: 'Client id', exact: true }).click();
  await page.getByRole('option', { name: real.clientId }).click();
  await dialog.getByRole('link', { name: 'Sign in at <b>Our company</b>' }).click();
  await (await again).getByText('The provider gave no code.').waitFor();
});

async function tokenOf(
  issuer: string,
  code: {
    readonly value: string;
    readonly verifier: string;
    readonly redirect_uri: string;
    readonly client_id: string;
  },
): Promise<string> {
  const { value, verifier, redirect_uri, client_id } = code;
  const form = { grant_type: 'authorization_code', code: value, code_verifier: verifier, redirect_uri, client_id };
  const reply = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(form) });
  return String(((await reply.json()) as { readonly id_token: string }).id_token);
}
