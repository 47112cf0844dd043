/** `freehold login`: the command itself, and a browser that allows and denies it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertBecomes } from '../eventually.ts';
import { manage, type Org, password, signUp } from '../org.ts';
import { temporaryDirectory } from '../platform.ts';
import { assertAccessible } from './accessibility.ts';
import { consolePlatform, openBrowser, skip } from './browser.ts';

const platform = skip === false ? await consolePlatform() : { app: '', management: '' };
const bin = join(import.meta.dirname, '..', '..', '..', 'server', 'bin', 'freehold.mjs');

interface Command {
  /** The address that it shows. */
  readonly address: Promise<string>;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  paste(code: string): void;
}

function freehold(folder: string, ...words: readonly string[]): Command {
  const env = { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder, BROWSER: 'true' };
  const child = spawn(process.execPath, [bin, ...words], { cwd: folder, env });
  const output = { stdout: '', stderr: '' };
  const { promise: address, resolve } = Promise.withResolvers<string>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
    const [found] = /^http\S+\/cli-login\S+$/m.exec(output.stderr) ?? [];
    if (found !== undefined) resolve(found);
  });
  const ended = once(child, 'close').then(([code]) => {
    // Nothing waits for an address that was never shown.
    resolve('');
    return { code, ...output };
  });
  return { address, ended, paste: (code) => void child.stdin.end(code) };
}

/** A browser that may go to the command's own port too. */
async function browserFor(context: TestContext, address: string): Promise<Page> {
  const port = new URL(address).searchParams.get('port') ?? '1';
  const opened = await openBrowser(context, { app: `http://127.0.0.1:${port}`, management: platform.management });
  return opened.newPage();
}

async function signInOn(page: Page, { builder }: Org): Promise<void> {
  await page.getByRole('textbox', { name: 'Email' }).fill(builder.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('a builder who signs in first sees machine, org and rights, and allows the command', { skip }, async (context) => {
  const [org, folder] = [await signUp(platform), temporaryDirectory()];
  const command = freehold(folder, 'login', '--browser', '--url', platform.management, '--org', org.code);
  const address = await command.address;
  const page = await browserFor(context, address);
  await page.goto(address);
  await signInOn(page, org);
  await page.getByRole('heading', { name: 'Sign in the command line' }).waitFor();
  for (const shown of [
    hostname().replace(/[^\w.-]/g, '-'),
    org.builder.email,
    org.code,
    'Admin of the org',
    '12 hours',
  ])
    await page.getByRole('cell', { name: shown }).first().waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('heading', { name: 'Allowed' }).waitFor();
  const { code, stdout, stderr } = await command.ended;
  assert.equal(code, 0, stderr);
  assert.match(stdout, new RegExp(`signed in to ${org.code}`));
  const who = await freehold(folder, 'whoami').ended;
  assert.deepEqual([who.code, who.stdout.includes(org.builder.email)], [0, true], who.stderr);
  const sessions = await manage<{ items: object[] }>(org, 'GET', '/auth/sessions');
  assert.equal(sessions.body.items.length, 3);
});

test('N07: a denial ends the command, and the address is good for nothing after it', { skip }, async (context) => {
  const [org, folder] = [await signUp(platform), temporaryDirectory()];
  const command = freehold(folder, 'login', '--browser', '--url', platform.management);
  const address = await command.address;
  const page = await browserFor(context, address);
  await page.goto(address);
  await signInOn(page, org);
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByRole('heading', { name: 'Denied' }).waitFor();
  const { code, stderr } = await command.ended;
  assert.equal(code, 2);
  assert.match(stderr, /denied \(sign_in_denied\)/);
  await page.goto(address);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('alert').getByText('this sign-in is decided').waitFor();
});

test('without a browser the code is shown, and pasted into the command', { skip }, async (context) => {
  const [org, folder] = [await signUp(platform), temporaryDirectory()];
  const command = freehold(folder, 'login', '--no-browser', '--url', platform.management);
  const address = await command.address;
  assert.equal(new URL(address).searchParams.get('port'), null);
  const page = await browserFor(context, address);
  await page.goto(address);
  await signInOn(page, org);
  await page.getByRole('button', { name: 'Allow' }).click();
  const code = await page.getByTestId('code').innerText();
  await assertAccessible(page);
  command.paste(`${code}\n`);
  const { code: exitCode, stdout, stderr } = await command.ended;
  assert.deepEqual([exitCode, stdout.includes(org.code)], [0, true], stderr);
});

test('N07: an answer goes to a port of this machine, and a changed address is refused', { skip }, async (context) => {
  const folder = temporaryDirectory();
  const command = freehold(folder, 'login', '--browser', '--url', platform.management);
  const address = new URL(await command.address);
  const org = await signUp(platform);
  const page = await browserFor(context, address.href);
  await page.goto('/sign-in');
  await signInOn(page, org);
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  for (const [name, value] of [
    ['port', '80'],
    ['port', 'stranger.example'],
    ['port', '1024@stranger.example'],
    ['challenge', 'plain'],
    ['state', ''],
  ] as const) {
    const changed = new URL(address);
    changed.searchParams.set(name, value);
    await page.goto(changed.href);
    await page.getByText('This address is not complete.').waitFor();
    await assertBecomes(() => page.getByRole('button', { name: 'Allow' }).count(), 0);
  }
  const callback = `http://127.0.0.1:${address.searchParams.get('port')}/callback`;
  const right = new URLSearchParams({ code: 'x', state: address.searchParams.get('state') ?? '' });
  assert.equal(await statusOf(`${callback}?code=x&state=wrong`), 404);
  assert.equal(await statusOf(`${callback}?code=x`), 404);
  assert.equal(await statusOf(`${callback}?${right}`, { host: 'stranger.example' }), 404);
  assert.equal(await statusOf(`${callback}?${right}`, {}, 'POST'), 404);
  assert.equal(await statusOf(`${callback}?${right}`), 200);
  const { code, stderr } = await command.ended;
  assert.equal(code, 2);
  assert.match(stderr, /the code is not valid for this command/);
});

async function statusOf(url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  const sent = request(url, { method, headers }).end();
  const [reply] = await once(sent, 'response');
  reply.resume();
  return reply.statusCode;
}
