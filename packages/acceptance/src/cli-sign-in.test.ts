/** The frame of `freehold` for builders: help, sign-in by key, profiles, and that no command takes another target. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { call } from './call.ts';
import { CliProject, fakePlatform, sessionOf } from './cli-run.ts';
import { commandNames, saying } from './commands.ts';
import { newKey } from './deploy.ts';
import { eventually } from './eventually.ts';
import { manage, newEmail, password, signIn, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const org = await signUp(gateways);
const { key } = await newKey(org, 'publish');

test('`freehold --help` lists the commands of builders and of operators in two groups', async () => {
  const { stdout, stderr } = await new CliProject().ends(0, ['--help']);
  assert.equal(stderr, '');
  const [builders = '', operators = ''] = stdout.split('For operators');
  for (const name of ['login', 'init', 'pull', 'push', 'diff', 'deploy', 'rollback', 'completion'])
    assert.match(builders, new RegExp(`^ {2}freehold ${name} `, 'm'));
  for (const name of commandNames) assert.match(operators, new RegExp(`^ {2}freehold ${name} `, 'm'));
  const help = await new CliProject().ends(0, ['help', 'doctor']);
  assert.equal(help.stdout, (await new CliProject().ends(0, ['doctor', '--help'])).stdout);
});

test('an older Node hands a command of builders over as it does one of operators', async () => {
  const nodeFlags = saying('20.19.5');
  const { stdout } = await new CliProject().ends(0, ['deploy', '--help'], { nodeFlags });
  assert.match(stdout, /--publish-only/);
  const { stderr } = await new CliProject().ends(2, ['whoami'], { nodeFlags });
  assert.match(stderr, /^you are not signed in \(no_profile\)\n→ run `freehold login/);
});

test('a key signs in; the credential lies outside of the project, for this user alone, and is shown nowhere', async () => {
  const project = new CliProject();
  await project.ends(0, ['init', '--url', org.management, '--org', org.code]);
  const login = await project.ends(0, ['login', '--key-stdin'], { input: `${key}\n` });
  const path = join(project.settings, 'freehold', 'profiles.json');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(statSync(join(project.settings, 'freehold')).mode & 0o777, 0o700);
  assert.ok(readFileSync(path, 'utf8').includes(key));
  const who = await project.ends(0, ['whoami']);
  assert.equal(who.stdout, `a deploy key of ${org.code} at ${org.management} (profile \`${org.code}\`)\n`);
  const list = await project.ends(0, ['profiles', '--json']);
  assert.deepEqual(JSON.parse(list.stdout), {
    path,
    profiles: [{ profile: org.code, url: org.management, org: org.code, kind: 'deploy key' }],
  });
  const out = await project.ends(0, ['logout']);
  for (const run of [login, who, list, out]) assert.ok(!run.output.includes(key));
  assert.deepEqual(await project.json(['profiles']), { path, profiles: [] });
  assert.ok(!existsSync(join(project.root, 'config', 'profiles.json')));
});

test('a service key signs in at the app gateway, and is held to its environment', async () => {
  const { tenantCode } = await signIn(org, newEmail('founder'));
  const body = { env: 'test', tenant_code: tenantCode, name: 'reader' };
  const made = await manage<{ readonly key: string }>(org, 'POST', '/org/service-keys', { body });
  const project = new CliProject();
  const words = ['login', '--key-stdin', '--url', org.management, '--org', org.code];
  await project.ends(2, words, { input: made.body.key });
  await project.ends(0, [...words, '--app-url', org.app], { input: made.body.key });
  const who = await project.json<{ readonly kind: string; readonly environment: string }>(['whoami']);
  assert.deepEqual([who.kind, who.environment], ['service key', 'test']);
});

test('a session that a command uses is known as one of the command line', async () => {
  const body = { email: org.builder.email, password };
  const { token } = (await call<{ token: string }>('POST', `${org.management}/auth/login`, { body })).body;
  await new CliProject().ends(0, ['whoami'], { env: sessionOf(org, token) });
  // It is written behind the answer.
  await eventually('the client of the session', async () => {
    const reply = await manage<{ items: readonly { client?: string }[] }>(org, 'GET', '/auth/sessions');
    return reply.body.items.some(({ client }) => client === 'command line');
  });
});

test('a wrong key, a key of another org, and what is no key are refused, and nothing is kept', async () => {
  const other = await signUp(gateways);
  const project = new CliProject();
  const at = (code: string) => ['login', '--key-stdin', '--url', org.management, '--org', code];
  for (const [words, input, reason] of [
    [at(org.code), `fhd_${'x'.repeat(43)}`, /token_invalid, request \S+\)\n→ run `freehold login`/],
    [at(other.code), key, /org_mismatch/],
    [at(org.code), 'password', /is no key/],
    [['login', '--key-stdin', '--url', org.management], key, /--org CODE/],
  ] as const) {
    const { stderr } = await project.ends(2, words, { input });
    assert.match(stderr, reason);
    assert.ok(!stderr.includes(input));
  }
  assert.deepEqual((await project.json<{ readonly profiles: unknown[] }>(['profiles'])).profiles, []);
});

test('a password is asked for at a terminal only', async () => {
  const { stderr } = await new CliProject().ends(3, ['login', '--password', '--url', org.management]);
  assert.match(stderr, /no terminal/);
});

test('credentials that others can read, in the project, or behind a link are refused', async () => {
  const project = new CliProject();
  await project.ends(0, ['init', '--url', org.management, '--org', org.code]);
  const inside = join(project.root, 'settings');
  const { stderr } = await project.ends(2, ['login', '--key-stdin'], { input: key, env: { XDG_CONFIG_HOME: inside } });
  assert.match(stderr, /lies inside of the project/);
  assert.ok(!existsSync(inside));
  await project.ends(0, ['login', '--key-stdin'], { input: key });
  const path = join(project.settings, 'freehold', 'profiles.json');
  chmodSync(path, 0o644);
  assert.match((await project.ends(2, ['whoami'])).stderr, /other users can read .*\n→ run `chmod 600/);
  const linked = new CliProject();
  await linked.ends(0, ['login', '--key-stdin', '--url', org.management, '--org', org.code], { input: key });
  const file = join(linked.settings, 'freehold', 'profiles.json');
  writeFileSync(`${file}.real`, readFileSync(file), { mode: 0o600 });
  await linked.ends(0, ['logout']);
  unlinkSync(file);
  symlinkSync(`${file}.real`, file);
  assert.match((await linked.ends(2, ['whoami'])).stderr, /cannot be read \(ELOOP\)/);
});

test('Q06: what is named and missing is an error, and no command takes another target', async () => {
  const fake = await fakePlatform(() => ({ body: { items: [] } }));
  const project = new CliProject();
  project.write(
    'freehold.yaml',
    `url: ${fake.url}\norg: acme\nprofile: gone\ntargets:\n  staging: {url: ${fake.url}, org: staging}\n`,
  );
  project.write('config/entity/note.yaml', 'definition: {}\n');
  const verbs = [['push', '--yes'], ['deploy', '--yes=acme'], ['rollback', '--yes=acme'], ['pull'], ['diff']];
  const key43 = 'x'.repeat(43);
  const profiles = {
    acme: { url: fake.url, org: 'acme', kind: 'deploy key', token: `fhd_${key43}` },
    elsewhere: { url: 'http://127.0.0.1:9', org: 'acme', kind: 'deploy key', token: `fhd_${key43}` },
  };
  mkdirSync(join(project.settings, 'freehold'), { mode: 0o700 });
  const path = join(project.settings, 'freehold', 'profiles.json');
  writeFileSync(path, JSON.stringify({ format: 1, profiles }), { mode: 0o600 });
  for (const words of verbs)
    for (const [more, env, reason] of [
      [[], {}, /there is no profile `gone`/],
      [['--profile', 'missing'], {}, /there is no profile `missing`/],
      [[], { FREEHOLD_PROFILE: 'missing' }, /there is no profile `missing`/],
      [['--profile', 'elsewhere'], {}, /profile `elsewhere` is for acme at http:\/\/127\.0\.0\.1:9/],
      [['--target', 'production'], {}, /has no target `production`/],
      [[], { FREEHOLD_TARGET: 'production' }, /has no target `production`/],
      [['--target', 'staging'], {}, /not signed in to staging/],
      [['--profile', 'acme'], { FREEHOLD_TOKEN: `fhd_${key43}` }, /two credentials/],
      [['--profile', 'acme', '--target', 'staging'], {}, /profile `acme` is for acme/],
    ] as const) {
      const { stderr } = await project.ends(2, [...words, ...more], { env });
      assert.match(stderr, reason, [...words, ...more].join(' '));
    }
  assert.deepEqual(fake.requests, []);
});

test('a project file with mistakes names all of them; without one, a command says how to make it', async () => {
  const project = new CliProject();
  assert.match(
    (await project.ends(2, ['pull'], { env: sessionOf(org) })).stderr,
    /no freehold\.yaml .*\n→ run `freehold init`/,
  );
  project.write('freehold.yaml', 'url: ftp://x\nconfig: ../elsewhere\ntokens: x\ntargets: {a: {url: http://x}}\n');
  const { stderr } = await project.ends(2, ['pull'], { env: sessionOf(org) });
  for (const part of [
    '`url` is no address',
    '`org` is missing',
    '`config` is no folder',
    '`tokens` is unknown',
    '`targets.a.org` is missing',
  ])
    assert.ok(stderr.includes(part), `${part}\n${stderr}`);
});

test('a platform that is not there, is none, or leads elsewhere is named, and gets no credential', async () => {
  const project = new CliProject();
  const at = (url: string) => ({ env: { FREEHOLD_TOKEN: key, FREEHOLD_URL: url, FREEHOLD_ORG: 'acme' } });
  assert.match(
    (await project.ends(2, ['diff', '--prod'], at('http://127.0.0.1:9'))).stderr,
    /no platform can be reached at http:\/\/127\.0\.0\.1:9/,
  );
  const odd = await fakePlatform(() => ({ status: 502, body: { oops: true } }));
  assert.match((await project.ends(2, ['diff', '--prod'], at(odd.url))).stderr, /status 502/);
  const behind = await fakePlatform(() => ({ body: { items: [] } }));
  const redirecting = createServer((_, response) => response.writeHead(307, { location: behind.url }).end());
  await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
  const { port } = redirecting.address() as { readonly port: number };
  const { stderr } = await project.ends(2, ['diff', '--prod'], at(`http://127.0.0.1:${port}`));
  redirecting.close();
  assert.match(stderr, /redirects to another address/);
  assert.deepEqual(behind.requests, []);
});

test('with `--json` an error is one document, with its code, request and next step', async () => {
  const project = new CliProject();
  const env = { ...sessionOf(org), FREEHOLD_TOKEN: `fhd_${'y'.repeat(43)}` };
  const { stdout, stderr } = await project.ends(2, ['diff', '--prod', '--json'], { env });
  assert.equal(stderr, '');
  const { error } = JSON.parse(stdout) as { readonly error: Readonly<Record<string, unknown>> };
  assert.deepEqual([error.code, error.status, typeof error.request_id], ['token_invalid', 401, 'string']);
  assert.match(String(error.next), /freehold login/);
});
