/** Behind nginx with the settings of `deploy/nginx.conf`, over TLS; only ports and files are others. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { freePort } from './free-port.ts';
import { mailsTo } from './mails.ts';
import { runNginx, whyNoNginx } from './nginx.ts';
import { defineEntity, definition, newEmail, type Org, password, signIn, signUp } from './org.ts';
import { type Platform, temporaryDirectory } from './platform.ts';
import { platformOfFile } from './platform-for-tests.ts';

const deployed = readFileSync(join(import.meta.dirname, '..', '..', '..', 'deploy', 'nginx.conf'), 'utf8');
const [apps, builders] = ['api.example.com', 'manage.example.com'];
const noOpenssl = spawnSync('openssl', ['version']).status !== 0 && 'not run: openssl is not installed';
const skip = whyNoNginx || noOpenssl;

interface Site {
  readonly platform: Platform;
  readonly org: Org;
  readonly ports: { readonly secure: number; readonly plain: number };
  readonly ca: string;
  readonly output: () => string;
}

interface SiteOptions {
  readonly change?: (settings: string) => string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Call {
  readonly host: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The address that the caller calls from. */
  readonly from?: string;
}

let site: Site;
if (skip === false) site = await startSite();

test('apps sign in over TLS by `client_id` and `client-id`, and exchange an `oauthtoken`', { skip }, async () => {
  for (const name of ['client_id', 'client-id']) {
    const headers = { [name]: site.org.clientId };
    const login = await callOf(site, { ...logInOf(site, newEmail('user')), headers });
    assert.equal(login.status, 200, login.body);
    const oauthtoken = JSON.parse(login.body).token;
    const path = `/app/${site.org.code}/token`;
    const exchanged = await callOf(site, { host: apps, method: 'GET', path, headers: { ...headers, oauthtoken } });
    assert.equal(exchanged.status, 200, exchanged.body);
  }
});

test('without `underscores_in_headers` the sign-in is refused by a sentence that names it', { skip }, async () => {
  const without = await startSite({ change: (settings) => settings.replaceAll('underscores_in_headers on;', '') });
  const refused = await callOf(without, logInOf(without, newEmail('user')));
  assert.equal(refused.status, 401);
  assert.match(JSON.parse(refused.body).detail, /`underscores_in_headers on`/);
});

test('H05: failures count for the caller that nginx saw, whatever he claims; untrusted, for nginx', {
  skip,
}, async () => {
  const untrusting = await startSite({ env: { FREEHOLD_TRUSTED_PROXIES: '' } });
  for (const [at, ofOther] of [
    [site, 401],
    [untrusting, 429],
  ] as const) {
    const email = newEmail('victim');
    assert.equal((await callOf(at, logInOf(at, email))).status, 200);
    const wrong = (from: string, claimed: string) => {
      const call = logInOf(at, email, 'wrong password');
      return callOf(at, { ...call, from, headers: { ...call.headers, 'x-forwarded-for': claimed } });
    };
    for (let attempt = 0; attempt < 10; attempt++) await wrong('127.0.0.7', `192.0.2.${attempt}`);
    assert.equal((await wrong('127.0.0.7', '192.0.2.99')).status, 429);
    assert.equal((await wrong('127.0.0.8', '127.0.0.7')).status, ofOther);
  }
});

test('imports and exports of any size pass as they come, and nothing is put on disk on the way', { skip }, async () => {
  const org = await signUp(site.platform);
  await defineEntity(org, definition('note', [{ name: 'text' }]));
  const { token } = await signIn(org);
  const rows = Array.from({ length: 3000 }, (_, n) => `${JSON.stringify({ text: `${n}${'x'.repeat(1000)}` })}\n`);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' };
  const path = (what: string) => `/app/${org.code}/${what}/note`;
  const imported = await callOf(site, {
    host: apps,
    method: 'POST',
    path: path('import'),
    headers,
    body: rows.join(''),
  });
  assert.deepEqual([imported.status, JSON.parse(imported.body).created], [200, 3000], imported.body.slice(0, 300));
  const exported = await callOf(site, { host: apps, method: 'GET', path: path('export'), headers });
  assert.equal(exported.body.split('\n').filter((line) => line.includes('xxx')).length, 3000);
  assert.doesNotMatch(site.output(), /buffered to a temporary file/);
});

test('the console’s cookie goes over https alone, and a write by it comes from its own page', { skip }, async () => {
  const production = { FREEHOLD_MODE: 'production', FREEHOLD_HOST: '127.0.0.1', FREEHOLD_SIGNUP: 'open' };
  const live = await startSite({ env: production });
  const body = JSON.stringify({ email: live.org.builder.email, password });
  const json = { 'content-type': 'application/json' };
  const login = await callOf(live, {
    ...{ host: builders, method: 'POST', path: '/auth/login', body },
    headers: { ...json, 'x-session': 'cookie' },
  });
  const [cookie = ''] = String(login.headers['set-cookie']).split(';');
  assert.match(String(login.headers['set-cookie']), /^__Host-freehold=.*; Secure$/);
  for (const [origin, status] of [
    [`https://${builders}`, 200],
    ['https://stranger.example', 403],
  ] as const) {
    const change = JSON.stringify({ group: 'acl', name: 'cache_seconds', value: 5 });
    const headers = { ...json, cookie, origin };
    const changed = await callOf(live, { host: builders, method: 'PUT', path: '/org/settings', headers, body: change });
    assert.equal(changed.status, status, changed.body);
  }
});

test('links lead to the public address, whatever a caller claims; http leads to https', {
  skip,
}, async () => {
  const forgotten = await callOf(site, {
    ...{ host: builders, method: 'POST', path: '/auth/forgot-password' },
    headers: { 'content-type': 'application/json', 'x-forwarded-host': 'stranger.example' },
    body: JSON.stringify({ email: site.org.builder.email }),
  });
  assert.equal(forgotten.status, 202, forgotten.body);
  const [mail] = await mailsTo(site.platform, site.org.builder.email);
  assert.match(mail?.text ?? '', /https:\/\/manage\.example\.com\//);
  assert.doesNotMatch(mail?.text ?? '', /stranger/);
  const sent = plainRequest({
    host: '127.0.0.1',
    port: site.ports.plain,
    path: '/x?y=1',
    headers: { host: apps },
  }).end();
  const [status, location] = await new Promise<readonly unknown[]>((resolve, reject) => {
    sent.once('response', (reply) => resolve([reply.resume().statusCode, reply.headers.location]));
    sent.once('error', reject);
  });
  assert.deepEqual([status, location], [308, `https://${apps}/x?y=1`]);
});

/** A platform behind a nginx of its own. */
async function startSite({ change, env }: SiteOptions = {}): Promise<Site> {
  const platform = await platformOfFile({
    env: {
      FREEHOLD_TRUSTED_PROXIES: '127.0.0.1',
      FREEHOLD_PUBLIC_URL: `https://${apps}`,
      FREEHOLD_MANAGEMENT_URL: `https://${builders}`,
      ...env,
    },
  });
  const folder = temporaryDirectory();
  const certificate = makeCertificate(folder);
  const ports = { secure: await freePort(), plain: await freePort() };
  const settings = settingsFor(platform, folder, ports);
  const { output } = await runNginx(folder, change?.(settings) ?? settings);
  return { platform, org: await signUp(platform), ports, ca: readFileSync(certificate, 'utf8'), output };
}

/** Of both names, as `deploy/nginx.conf` calls its files. */
function makeCertificate(folder: string): string {
  const names = `subjectAltName=DNS:${apps},DNS:${builders}`;
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const words = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const made = spawnSync('openssl', [
    ...['req', ...words, '-subj', '/CN=freehold', '-addext', names],
    ...['-keyout', key, '-out', certificate],
  ]);
  assert.equal(made.status, 0, String(made.stderr));
  return certificate;
}

function settingsFor(platform: Platform, folder: string, ports: Site['ports']): string {
  const replaced: readonly (readonly [string, string])[] = [
    ['server 127.0.0.1:4000 ', `server ${new URL(platform.app).host} `],
    ['server 127.0.0.1:4001 ', `server ${new URL(platform.management).host} `],
    ['listen 443 ssl;', `listen 127.0.0.1:${ports.secure} ssl;`],
    ['listen 80;', `listen 127.0.0.1:${ports.plain};`],
    ['/etc/nginx/freehold', folder],
  ];
  return replaced.reduce((changed, [from, to]) => {
    assert.ok(changed.includes(from), from);
    return changed.replaceAll(from, to);
  }, deployed);
}

function logInOf({ org }: Site, email: string, secret = password): Call {
  const body = JSON.stringify({ email, password: secret });
  return { host: apps, method: 'POST', path: `/app/${org.code}/login`, headers: { client_id: org.clientId }, body };
}

async function callOf({ ports, ca }: Site, { host, method, path, headers, body, from }: Call) {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = request({
    ...{ host: '127.0.0.1', port: ports.secure, servername: host, ca, method, path },
    ...(from === undefined ? {} : { localAddress: from }),
    headers: { host, ...json, ...headers },
  });
  sent.end(body);
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
  return { status: reply.statusCode, headers: reply.headers, body: await text(reply) };
}
