/** The help desk in `examples/helpdesk`, started by its one command, as two people in two workspaces use it. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type App, createApp } from '@freehold/client';
import { createManagement } from '@freehold/client/management';
import { generateTypes } from '@freehold/client/types';
import type { Page } from 'playwright-core';
import { call } from '../../call.ts';
import { assertBecomes } from '../../eventually.ts';
import { temporaryDirectory } from '../../platform.ts';
import { assertAccessible } from '../accessibility.ts';
import { endWithFiles, openBrowser, skip } from '../browser.ts';

interface Example {
  /** Of the page. */
  readonly address: string;
  readonly appGateway: string;
  readonly management: string;
  readonly builder: { readonly email: string; readonly password: string };
  readonly org: string;
  readonly clientId: string;
  readonly password: string;
}

const startMilliseconds = 300_000;

async function startExample(): Promise<Example> {
  const dataDir = temporaryDirectory();
  const child: ChildProcess = spawn('npm', ['run', '--silent', 'example:helpdesk'], {
    cwd: join(import.meta.dirname, '../../../../..'),
    env: {
      ...process.env,
      FREEHOLD_DATA_DIR: dataDir,
      FREEHOLD_STORE: 'sqlite:',
      FREEHOLD_CONSOLE: 'off',
      FREEHOLD_APP_PORT: '0',
      FREEHOLD_MANAGEMENT_PORT: '0',
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  endWithFiles();
  after(async () => {
    const ended = once(child, 'exit');
    // The group: npm does not hand every signal on.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await ended;
  });
  const patience = AbortSignal.timeout(startMilliseconds);
  let printed = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  while (!printed.includes('Ctrl-C') && child.stdout !== null) await once(child.stdout, 'data', { signal: patience });
  const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
  const [, appGateway = '', management = ''] = /^ready app=(\S+) management=(\S+)/m.exec(printed) ?? [];
  const [, address = ''] = /help desk is at (\S+)/.exec(printed) ?? [];
  assert.ok(printed.includes(demo.password), printed);
  const { org, client_id: clientId, password, builder } = demo;
  return { address, appGateway, management, builder, org, clientId, password };
}

const example = skip === false ? await startExample() : nowhere();
const gateways = { app: example.appGateway, management: example.address };

function nowhere(): Example {
  const address = 'http://localhost/';
  const builder = { email: '', password: '' };
  return { address, appGateway: address, management: address, builder, org: '', clientId: '', password: '' };
}

async function appOf(name: string): Promise<App> {
  const { appGateway: url, org, clientId, password } = example;
  const app = createApp({ url, org, clientId });
  await app.signIn({ email: `${name}@demo.example`, password });
  return app;
}

async function signIn(page: Page, name: string): Promise<void> {
  await page.goto(example.address);
  await page.getByLabel('Email').fill(`${name}@demo.example`);
  await page.getByLabel('Password').fill(example.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Tickets' }).waitFor();
}

async function openTicket(page: Page, id: unknown): Promise<void> {
  await page.goto(`${example.address}#/tickets/${id}`);
  await page.getByRole('region', { name: 'Details' }).waitFor();
}

/** The first ticket of a list of the user. */
async function oneTicket(app: App, filter: string) {
  const { items } = await app.entity('ticket').list({ filter, sort: '-number', pageSize: 1 });
  assert.ok(items[0], filter);
  return items[0];
}

test('a refused sign-in is said, and the focus is at the password', { skip }, async (context) => {
  const page = await (await openBrowser(context, gateways)).newPage();
  await page.goto(example.address);
  await page.getByLabel('Email').waitFor();
  await assertAccessible(page);
  await page.getByLabel('Email').fill('bob@demo.example');
  await page.getByLabel('Password').fill('not his password');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('password is not right').waitFor();
  await page.locator('input[type=password]:focus').waitFor();
  await assertAccessible(page);
});

test('an agent finds tickets, takes one and comments; what the role may not do is not offered', {
  skip,
}, async (context) => {
  const bob = await appOf('bob');
  const page = await (await openBrowser(context, gateways)).newPage();
  await signIn(page, 'bob');
  await page
    .getByRole('status')
    .getByText(`${await bob.entity('ticket').count()} tickets`)
    .waitFor();
  await page.getByRole('banner').getByText('Lumen Lighting').waitFor();
  await assertBecomes(() => page.getByLabel('Workspace').count(), 0, 'a switch for one workspace');
  await assertAccessible(page);

  const rows = page.getByRole('row');
  await page.getByRole('button', { name: 'Show more' }).click();
  await rows.nth(50).waitFor();
  const free = await oneTicket(bob, 'status == "open" && team == "support" && !has(assignee_id)');
  await page.getByLabel('Status').selectOption('open');
  const open = await bob.entity('ticket').count({ where: { status: 'open' } });
  await page.getByRole('status').getByText(`${open} tickets`).waitFor();
  await page.getByLabel('Words of the subject').fill(String(free.subject));
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('status').getByText(`${open} tickets`).waitFor({ state: 'detached' });
  await rows
    .filter({ hasText: String(free.number) })
    .getByRole('link')
    .click();

  await page.getByRole('button', { name: 'Take' }).click();
  await page.getByText('you', { exact: true }).waitFor();
  await assertBecomes(() => page.getByRole('button', { name: 'Delete' }).count(), 0);
  await page.getByRole('button', { name: 'Edit' }).click();
  const form = page.getByRole('form', { name: 'Edit ticket' });
  await form.getByLabel('Status').and(page.locator(':enabled')).selectOption('waiting');
  await assertBecomes(() => form.getByLabel('Subject').isDisabled(), true);
  await assertBecomes(() => form.getByLabel('Priority').isDisabled(), true);
  await assertAccessible(page);
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('region', { name: 'Details' }).waitFor();
  await page.getByText('waiting', { exact: true }).waitFor();
  assert.equal((await bob.entity('ticket').get(free.id)).status, 'waiting');

  await page.getByLabel('Add a comment').fill('On my way.');
  await page.getByRole('button', { name: 'Comment' }).click();
  await page.getByRole('listitem').getByText('On my way.').waitFor();
  await assertAccessible(page);

  const others = await oneTicket(bob, `status != "closed" && has(assignee_id) && assignee_id != user.id`);
  const answered = page.waitForResponse((response) => response.url().endsWith('/evaluations'));
  await openTicket(page, others.id);
  await answered;
  await page.getByText('another agent').waitFor();
  for (const name of ['Edit', 'Take', 'Hand back', 'Delete'])
    await assertBecomes(() => page.getByRole('button', { name }).count(), 0, name);
});

test('a requester sees only own tickets and no comments, and reports another', { skip }, async (context) => {
  const zoe = await appOf('zoe');
  const page = await (await openBrowser(context, gateways)).newPage();
  await signIn(page, 'zoe');
  await page
    .getByRole('status')
    .getByText(`${await zoe.entity('ticket').count()} tickets`)
    .waitFor();
  await page.getByRole('link', { name: 'New ticket' }).click();
  await page.getByLabel('Subject').fill('The lamp in the hall is dark');
  await assertBecomes(() => page.getByLabel('Customer').count(), 0);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'The lamp in the hall is dark' }).waitFor();
  await page.getByRole('region', { name: 'Details' }).waitFor();
  await assertBecomes(() => page.getByRole('heading', { name: 'Comments' }).count(), 0);
  await assertBecomes(() => page.getByRole('button', { name: 'Edit' }).count(), 0);
});

test('of two tabs that edit one ticket, the second is shown what the first has changed, and chooses', {
  skip,
}, async (context) => {
  const lea = await appOf('lea');
  const ticket = await oneTicket(lea, 'status == "open" && priority == 3');
  const browser = await openBrowser(context, gateways);
  const [first, second] = [await browser.newPage(), await browser.newPage()];
  await signIn(first, 'lea');
  for (const page of [first, second]) {
    await openTicket(page, ticket.id);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Priority').and(page.locator(':enabled')).waitFor();
  }
  await first.getByLabel('Priority').selectOption('1');
  await first.getByRole('button', { name: 'Save' }).click();
  await first.getByRole('region', { name: 'Details' }).waitFor();

  await second.getByLabel('Subject').fill('Two lamps are dark');
  await second.getByLabel('Priority').selectOption('5');
  await second.getByRole('button', { name: 'Save' }).click();
  const conflict = second.getByRole('alert');
  await conflict.getByRole('heading', { name: 'This ticket has changed meanwhile' }).waitFor();
  await conflict.getByText('It was “3” when you opened the form.').waitFor();
  await assertBecomes(() => conflict.getByRole('radio', { name: 'Yours: Two lamps are dark' }).isChecked(), true);
  await conflict.getByRole('radio', { name: 'Saved: 1' }).check();
  await assertAccessible(second);
  await conflict.getByRole('button', { name: 'Save the choice' }).click();
  await second.getByRole('heading', { name: 'Two lamps are dark' }).waitFor();
  const { subject, priority } = await lea.entity('ticket').get(ticket.id);
  assert.deepEqual({ subject, priority }, { subject: 'Two lamps are dark', priority: 1 });
});

test('a member of two workspaces sees in each its own tickets, and after a sign-out the next user his own', {
  skip,
}, async (context) => {
  const lumen = await appOf('lea');
  const harbour = await lumen.inWorkspace('harbour');
  const there = await oneTicket(lumen, 'number > 0');
  const page = await (await openBrowser(context, gateways)).newPage();
  await signIn(page, 'lea');
  await page
    .getByRole('status')
    .getByText(`${await lumen.entity('ticket').count()} tickets`)
    .waitFor();
  await page.getByLabel('Workspace').selectOption({ label: 'Harbour Bikes' });
  await page
    .getByRole('status')
    .getByText(`${await harbour.entity('ticket').count()} tickets`)
    .waitFor();
  const { subject } = await oneTicket(harbour, 'number > 0');
  await page
    .getByRole('row')
    .nth(1)
    .getByRole('link', { name: String(subject) })
    .waitFor();

  await page.goto(`${example.address}#/tickets/${there.id}`);
  await page.getByRole('alert').getByText(/./).waitFor();
  await assertBecomes(() => page.getByRole('heading', { name: String(there.subject) }).count(), 0);

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await signIn(page, 'tom');
  const tom = await appOf('tom');
  await page
    .getByRole('status')
    .getByText(`${await tom.entity('ticket').count()} tickets`)
    .waitFor();
  await page.getByRole('banner').getByText('Harbour Bikes').waitFor();
});

test('the types of the example are those of the demo', { skip }, async () => {
  const { management: url, builder } = example;
  const { body } = await call<{ token: string }>('POST', `${url}/auth/login`, { body: builder });
  const management = createManagement({ url, token: body.token });
  const { items } = await management.call('listEntities', { query: { env: 'test' } });
  const entities = await Promise.all(
    items.map(({ name }) => management.call('readEntity', { query: { entityName: name } })),
  );
  const path = join(import.meta.dirname, '../../../../..', 'examples', 'helpdesk', 'src', 'freehold.d.ts');
  const isCurrent = readFileSync(path, 'utf8') === generateTypes({ entities });
  assert.ok(isCurrent, 'examples/helpdesk/make-types.ts makes them again');
});
