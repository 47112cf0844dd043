/** What the platform tells one caller once, or takes and tells none, is in nothing that a command writes or shows. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CliProject, type CommandRun, fakePlatform, pulledProject, sessionOf } from './cli-run.ts';
import { download, newKey } from './deploy.ts';
import { makeEvent, startReceiver } from './event-receiver.ts';
import {
  act,
  allow,
  create,
  defineEntity,
  definition,
  logIn,
  manage,
  newEmail,
  type Org,
  signIn,
  signUp,
} from './org.ts';
import { platformOf } from './platform-for-tests.ts';
import { prodFounder, provision } from './promotion.ts';

const canary = 'canary4f1b9c-and-some-more';

/** The objects that a call created. */
async function made(org: Org, method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>> {
  const reply = await manage(org, method, path, body === undefined ? {} : { body });
  assert.ok(reply.status < 300, `${path}: ${reply.text}`);
  return reply.body;
}

/** An org with one secret of each kind in test and in production, by its kind. */
async function orgWithSecrets(org: Org, receiver: string) {
  await provision(org);
  await defineEntity(org, definition('note', [{ name: 'title' }]));
  const [inTest, inProd] = [await signIn(org, newEmail('founder')), await prodFounder(org)];
  await made(org, 'PUT', '/secrets/hook', { value: `${canary}-hook`, hosts: [] });
  await made(org, 'PUT', '/secrets/hook?env=prod', { value: `${canary}-hook-of-production`, hosts: [] });
  const content = {
    name: 'paid',
    run_as: 'app',
    policies: [allow('createnote')],
    hook: { signature: 'standard', secrets: ['hook'] },
    steps: [{ id: 'made', type: 'create', entity: 'note', values: { title: 'a' } }],
  };
  await made(org, 'POST', '/config/logicblock', { name: 'paid', content });
  await makeEvent(org, 'tell', receiver, { entity_name: 'note' });
  const issuers = [{ issuer: 'https://login.example.com', audiences: ['client-at-the-provider'] }];
  await made(org, 'PUT', '/org/settings', { group: 'auth', name: 'issuers', value: issuers });
  const serviceKey = async (env: string, tenant_code: string) =>
    (await made(org, 'POST', '/org/service-keys', { env, tenant_code, name: 'reader', policies: ['vieweracl'] })).key;
  const invited = await act<{ code: string }>(inTest, 'POST', '/user/invitations', {
    body: { email: newEmail('ivy') },
  });
  const secrets: Readonly<Record<string, unknown>> = {
    canary,
    'service key': await serviceKey('test', inTest.tenantCode),
    'service key of production': await serviceKey('prod', inProd.tenantCode),
    'signing secret of an event': (await made(org, 'POST', '/events/tell/secret')).secret,
    'the one after it': (await made(org, 'POST', '/events/tell/secret')).secret,
    'signing secret of the alerts': (await made(org, 'PUT', '/org/alerts/webhook', { url: receiver })).secret,
    'deploy key': (await newKey(org, 'publish')).key,
    'deploy key that activates': (await newKey(org, 'activate')).key,
    'token of an app': inTest.token,
    'token of an app in production': inProd.token,
    'token of a sign-in': (await logIn(org, inTest.email)).body.token,
    'token in the name of a user': (
      await made(org, 'POST', '/org/impersonate', { env: 'test', tenant_code: inTest.tenantCode })
    ).token,
    invitation: invited.body.code,
    session: org.builder.token,
    password: org.builder.password,
  };
  await create(inTest, 'note', { title: 'a' });
  return Object.entries(secrets).map(([kind, value]) => {
    assert.ok(typeof value === 'string' && value.length >= 16, kind);
    return { kind, value };
  });
}

/** The texts that none of them may be in: whole, or without the prefix by which its kind is known. */
function assertNone(secrets: readonly { readonly kind: string; readonly value: string }[], texts: readonly string[]) {
  for (const text of texts)
    for (const { kind, value } of secrets)
      for (const part of [value, value.replace(/^(whsec_|fhd_|fhk_(test|prod)_)/, '')])
        assert.ok(!text.includes(part), `${kind}: ${text}`);
}

test('Q05: keys of servers, secrets that sign, hooks, alerts and tokens get into no file, plan, list, export or message', async (context) => {
  const platform = await platformOf(context);
  const org = await signUp(platform);
  const receiver = await startReceiver(context);
  const secrets = await orgWithSecrets(org, receiver.url);
  const of = (kind: string) => secrets.find((one) => one.kind === kind)?.value ?? assert.fail(kind);
  const project = await pulledProject(org, of('deploy key'));
  const runs: CommandRun[] = [];
  const admin = { ...sessionOf(org), FREEHOLD_APP_URL: org.app };
  const run = async (code: number, words: readonly string[], env: Readonly<Record<string, string>> = admin) => {
    for (const more of [[], ['--json']]) runs.push(await project.ends(code, [...words, ...more], { env }));
  };
  const edit = (path: string, from: string, to: string) => project.write(path, project.read(path).replace(from, to));
  for (const [path, part] of [
    ['config/logicblock/paid.yaml', '- hook\n'],
    ['config/event/tell.yaml', receiver.url],
    ['config/settings/auth.issuers.yaml', 'client-at-the-provider'],
  ] as const)
    assert.ok(project.read(path).includes(part), project.read(path));
  edit('config/logicblock/paid.yaml', 'title: a', 'title: b');
  await run(1, ['diff']);
  await run(0, ['push', '--dry-run']);
  runs.push(await project.ends(0, ['push', '--yes', '--json'], { env: admin }));
  await run(0, ['deploy', '--dry-run']);
  await run(1, ['diff', '--prod']);
  runs.push(await project.ends(0, ['deploy', `--yes=${org.code}`, '--json'], { env: admin }));
  edit('config/logicblock/paid.yaml', 'title: b', 'title: c');
  runs.push(await project.ends(0, ['push', '--yes'], { env: admin }));
  runs.push(await project.ends(0, ['deploy', `--yes=${org.code}`], { env: admin }));
  await run(0, ['rollback', '--dry-run']);
  runs.push(await project.ends(0, ['rollback', `--yes=${org.code}`], { env: admin }));
  await run(0, ['pull', '--prod', '--yes']);
  await run(0, ['logs', '-n', '200']);
  await run(0, ['denials']);
  await run(0, ['types']);
  await run(0, ['records', 'list', 'note']);
  await run(0, ['whoami']);
  await run(0, ['profiles']);
  assert.match(runs.map(({ stdout }) => stdout).join(''), /event\.secret_made/);
  // Refused: a key where it does not belong, and one that is cut off.
  const keyed = { ...admin, FREEHOLD_TOKEN: of('service key') };
  await run(2, ['push', '--dry-run'], keyed);
  await run(2, ['diff', '--prod'], keyed);
  await run(2, ['records', 'list', 'none'], keyed);
  await run(2, ['rollback', `--yes=${org.code}`], { ...admin, FREEHOLD_TOKEN: of('service key of production') });
  await run(2, ['rollback', '--to', '1', `--yes=${org.code}`], { ...admin, FREEHOLD_TOKEN: of('deploy key') });
  await run(2, ['pull'], { ...admin, FREEHOLD_TOKEN: of('signing secret of an event') });
  // A crash, over a reply that repeats what was sent.
  const odd = await fakePlatform(({ headers }) => ({ body: { items: { headers } } }));
  const elsewhere = new CliProject();
  for (const kind of ['service key', 'token of an app', 'deploy key that activates']) {
    const env = { FREEHOLD_TOKEN: of(kind), FREEHOLD_URL: odd.url, FREEHOLD_ORG: 'acme' };
    for (const more of [[], ['--json']]) {
      const crash = await elsewhere.ends(2, ['entity', 'list', ...more], { env });
      assert.match(crash.output, /internal_error/);
      runs.push(crash);
    }
  }
  assert.ok(odd.requests.length > 0);
  const files = readdirSync(project.root, { recursive: true, encoding: 'utf8' })
    .map((name) => join(project.root, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'));
  const exports = [await download(org), await download(org, org.builder.token, '?env=prod')];
  const outputs = runs.map(({ output }) => output);
  // The one place for a credential, outside of the project: what is there is found.
  const profiles = readFileSync(join(project.settings, 'freehold', 'profiles.json'), 'utf8');
  assert.throws(() => assertNone(secrets, [profiles]), /^AssertionError.*: deploy key: /);
  assertNone(secrets, [...outputs, ...files, ...exports.map(String), platform.stderr(), platform.stdout()]);
});
