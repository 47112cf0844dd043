/** Secrets for other systems: set by org admins, by environment, and never shown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { call } from './call.ts';
import { download, newKey } from './deploy.ts';
import { documentedManagement } from './documented-gateway.ts';
import { act, allow, defineEntity, definition, foundedOrg, joinOrg, manage, type Org, random, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { deploy, provision, provisionedOrg, shownConfig } from './promotion.ts';

interface ShownSecret {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly updated_by: string;
}

const gateways = await platformForTests();

async function shown(org: Org, env = 'test'): Promise<readonly ShownSecret[]> {
  return (await manage<{ readonly items: readonly ShownSecret[] }>(org, 'GET', `/secrets?env=${env}`)).body.items;
}

function put(org: Org, name: string, body: object, env = 'test') {
  return manage<ShownSecret>(org, 'PUT', `/secrets/${name}?env=${env}`, { body });
}

test('a secret is set, changed and removed, each recorded in the audit log by its name, and no reply shows its value', async () => {
  const org = await signUp(gateways);
  const { send } = await documentedManagement(org);
  const { token } = org.builder;
  const values = [`first-${random()}${random()}`, `second-${random()}${random()}`] as const;
  const texts: string[] = [];
  const path = { name: 'stripe' };
  for (const [index, value] of values.entries()) {
    const hosts = [`*.h${index}.example.com`, 'api.stripe.com'];
    const set = await send<ShownSecret>('setSecret', { token, path, body: { value, hosts } });
    assert.equal(set.status, 200, set.text);
    assert.deepEqual([set.body.name, set.body.hosts], ['stripe', hosts]);
    const listed = await send<{ readonly items: readonly ShownSecret[] }>('listSecrets', { token });
    assert.deepEqual(listed.body.items, [set.body]);
    texts.push(set.text, listed.text);
  }
  assert.equal((await send('removeSecret', { token, path })).status, 204);
  assertProblem(await send('removeSecret', { token, path }), 'not_found');
  assert.deepEqual(await shown(org), []);
  const audit = await manage<{ readonly items: readonly object[] }>(org, 'GET', '/audit?action=secret.');
  texts.push(audit.text);
  const entries = audit.body.items.map((entry) => {
    const { action, target, env } = entry as { action: string; target: object; env: string };
    return { action, target, env };
  });
  const target = { kind: 'secret', id: 'stripe' };
  const of = (action: string) => ({ action, target, env: 'test' });
  assert.deepEqual(
    entries.filter(({ action }) => !action.endsWith('_refused')),
    [of('secret.removed'), of('secret.set'), of('secret.set')],
  );
  for (const text of texts) for (const value of values) assert.ok(!text.includes(value), text);
});

test('what is no secret is refused with a pointer, without its value, and changes nothing', async () => {
  const org = await signUp(gateways);
  const value = `canary-${random()}${random()}`;
  const hosts = ['api.example.com'];
  const wrong: readonly (readonly [body: object, pointer: string])[] = [
    [{ value }, '/hosts'],
    [{ hosts }, '/value'],
    [{ value: '', hosts }, '/value'],
    [{ value: 1, hosts }, '/value'],
    [{ value: `${value}\r\nx-other: 1`, hosts }, '/value'],
    [{ value: ` ${value}`, hosts }, '/value'],
    [{ value: `${value}ü`, hosts }, '/value'],
    [{ value: value.padEnd(4097, 'x'), hosts }, '/value'],
    [{ value, hosts: 'api.example.com' }, '/hosts'],
    [{ value, hosts: Array.from({ length: 21 }, (_, index) => `h${index}.example`) }, '/hosts'],
    ...[
      ...['https://api.example.com', 'api.example.com/x', 'api.example.com:443', 'API.example.com', 'a.example.com.'],
      ...[
        '*',
        '*.com',
        'a.*.com',
        '*example.com',
        'a@example.com',
        'münchen.example',
        '-a.example',
        '',
        'a..b',
        '[::1]',
      ],
    ].map((host) => [{ value, hosts: [...hosts, host] }, '/hosts/1'] as const),
  ];
  for (const [body, pointer] of wrong) {
    const refused = await put(org, 'stripe', body);
    assert.deepEqual(pointers(assertProblem(refused, 'validation_failed')), [pointer], JSON.stringify(body));
    assert.ok(!refused.text.includes(value), refused.text);
  }
  assertProblem(await put(org, 'stripe', { value, hosts, name: 'x' }), 'unknown_field');
  for (const name of ['1', 'a.b', '-a', 'a'.repeat(65)]) {
    const refused = await put(org, name, { value, hosts });
    assert.deepEqual(pointers(assertProblem(refused, 'validation_failed')), ['/name']);
  }
  assertProblem(await manage(org, 'GET', '/secrets?env=dev'), 'invalid_request');
  assert.deepEqual(await shown(org), []);
  const audit = await manage<{ readonly items: readonly { readonly action: string }[] }>(org, 'GET', '/audit');
  assert.ok(audit.body.items.some(({ action }) => action === 'secret.change_refused'));
  assert.ok(!audit.text.includes(value));
});

test('secrets are for org admins of the very org alone', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const { org: other } = await foundedOrg(gateways);
  const body = { value: 'x', hosts: [] };
  assert.equal((await put(org, 'stripe', body)).status, 200);
  const { token } = await joinOrg(org, 'developer');
  await provision(org);
  const pipeline = await newKey(org, 'activate');
  for (const [method, route] of [
    ['GET', '/secrets'],
    ['PUT', '/secrets/stripe'],
    ['DELETE', '/secrets/stripe'],
  ] as const) {
    const sent = method === 'PUT' ? { body } : {};
    const address = `${gateways.management}${route}`;
    assertProblem(await call(method, address, sent), 'token_missing');
    for (const bad of ['junk', founder.token, pipeline.key])
      assertProblem(await call(method, address, { ...sent, token: bad }), 'token_invalid');
    assertProblem(await call(method, address, { ...sent, token }), 'role_required');
    assertProblem(await act(founder, method, route, sent), 'not_found');
  }
  assertProblem(await manage(other, 'DELETE', '/secrets/stripe'), 'not_found');
  assert.deepEqual(await shown(other), []);
  assert.equal((await shown(org)).length, 1);
});

test('a secret stays in its environment: no promotion, export or difference has it', async () => {
  const alone = await signUp(gateways);
  const body = { value: `canary-${random()}${random()}`, hosts: ['api.example.com'] };
  for (const refused of [
    await put(alone, 'stripe', body, 'prod'),
    await manage(alone, 'DELETE', '/secrets/a?env=prod'),
  ])
    assertProblem(refused, 'conflict');
  const org = await provisionedOrg(gateways);
  await defineEntity(org, definition('note', [{ name: 'title' }]));
  const before = await download(org);
  assert.equal((await put(org, 'test_secret', body)).status, 200);
  assert.equal((await put(org, 'prod-secret', body, 'prod')).status, 200);
  await deploy(org);
  const names = async (env: string) => (await shown(org, env)).map(({ name }) => name);
  assert.deepEqual([await names('test'), await names('prod')], [['test_secret'], ['prod-secret']]);
  assert.ok((await download(org)).equals(before));
  for (const env of ['test', 'prod'] as const) {
    const config = JSON.stringify(await shownConfig(org, env));
    for (const text of [body.value, 'test_secret', 'prod-secret']) assert.ok(!config.includes(text));
  }
});

test('a list says which live logic blocks name a secret, if it is asked for', async () => {
  const { org } = await foundedOrg(gateways);
  for (const name of ['pay', 'idle'])
    assert.equal((await put(org, name, { value: 'x'.repeat(16), hosts: [] })).status, 200);
  const sent = { type: 'http', method: 'GET', url: 'https://a.example/', secret: { name: 'pay', header: 'X-Key' } };
  const loop = { id: 'each', type: 'loop', over: [1], max: 1, steps: [{ id: 'inner', ...sent }] };
  const hook = {
    run_as: 'app',
    policies: [allow('getorder')],
    hook: { signature: 'standard', secrets: ['pay', 'absent'] },
  };
  const blocks = { asks: { steps: [{ id: 'one', ...sent }, loop] }, paid: { ...hook, steps: [loop] } };
  for (const [name, content] of Object.entries(blocks)) {
    const body = { name, content: { name, ...content } };
    const made = await manage(org, 'POST', '/config/logicblock', { body });
    assert.equal(made.status, 201, made.text);
  }
  const { send } = await documentedManagement(org);
  const { token } = org.builder;
  interface Referred {
    readonly items: readonly { readonly name: string; readonly referenced_by?: readonly object[] }[];
  }
  const listed = await send<Referred>('listSecrets', { token, query: { references: 'true' } });
  const by = Object.fromEntries(listed.body.items.map(({ name, referenced_by }) => [name, referenced_by]));
  assert.deepEqual(by, {
    idle: [],
    pay: [
      { logicblock: 'asks', use: 'http' },
      { logicblock: 'paid', use: 'hook' },
      { logicblock: 'paid', use: 'http' },
    ],
  });
  const plain = await send<Referred>('listSecrets', { token });
  assert.ok(plain.body.items.every((item) => !('referenced_by' in item)));
  assertProblem(await manage(org, 'GET', '/secrets?references=maybe'), 'invalid_request');
});
