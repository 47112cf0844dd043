/** Logic blocks are started by signed messages of other systems, and work without a user. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call, type Reply } from './call.ts';
import { eventually } from './eventually.ts';
import { allow, create, defineEntity, definition, foundedOrg, joinOrg, list, manage, random } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { signMessage } from './standard-webhook.ts';
import { founderOf, multiOrg } from './workspaces.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const other = await foundedOrg(gateways);
await defineEntity(org, definition('order', [{ name: 'title', index: true }, { name: 'note' }]));
const appUserId = '00000000-0000-7000-8000-000000000000';
const secret = `whsec_${Buffer.from('the key of this hook').toString('base64')}`;

async function setSecret(name: string, value: string): Promise<void> {
  const { status } = await manage(org, 'PUT', `/secrets/${name}`, { body: { value, hosts: [] } });
  assert.equal(status, 200);
}
await setSecret('pay', secret);

const made = {
  id: 'made',
  type: 'create',
  entity: 'order',
  values: { title: '{{ event.id }}', note: '{{ input.note }}' },
};
const mayMake = [allow('createorder')];

async function block(name: string, content: object): Promise<void> {
  const body = { name, content: { name, ...content } };
  const reply = await manage(org, 'POST', '/config/logicblock', { body });
  assert.equal(reply.status, 201, reply.text);
}

function hooked(steps: readonly object[], policies: readonly object[] = mayMake, hook: object = {}): object {
  return { run_as: 'app', policies, hook: { signature: 'standard', secrets: ['pay'], ...hook }, steps };
}
await block('paid', hooked([made]));

type Headers = Readonly<Record<string, string>>;

function signed(id: string, body: string, by = secret, at = new Date()): Headers {
  return signMessage(by, id, body, at);
}

interface StartedRun {
  readonly run: string;
}

function post(name: string, body: string, headers: Headers, env = '?env=test'): Promise<Reply<StartedRun>> {
  return call<StartedRun>('POST', `${org.app}/app/${org.code}/hooks/${name}${env}`, { body, headers });
}

function send(name: string, input: unknown, id = random()): Promise<Reply<StartedRun>> {
  const body = JSON.stringify(input);
  return post(name, body, signed(id, body));
}

interface ShownRun {
  readonly state: string;
  readonly input: unknown;
  readonly user: unknown;
  readonly tenant_code: string;
  readonly trigger: unknown;
  readonly depth: number;
  readonly error?: { readonly code: string; readonly step?: string };
}

async function ended({ status, body, text }: Reply<StartedRun>): Promise<ShownRun> {
  assert.equal(status, 202, text);
  return eventually('the end of the run', async () => {
    const shown = await manage<ShownRun>(org, 'GET', `/runs/${body.run}`);
    return shown.status === 200 && shown.body.state !== 'running' && shown.body;
  });
}

async function ordersOf(title: string): Promise<readonly unknown[]> {
  return (await list(founder, 'order', `?title=${title}`)).items;
}

test('a message starts a block by its policies and without a user, and its run says what began it', async () => {
  const id = random();
  const run = await ended(await send('paid', { note: 'a' }, id));
  assert.deepEqual(
    [run.state, run.input, run.user, run.tenant_code, run.trigger, run.depth],
    ['done', { note: 'a' }, { id: appUserId, kind: 'app' }, 'main', { kind: 'hook', id, name: 'paid' }, 0],
  );
  const [order] = (await list(founder, 'order', `?title=${id}`)).items;
  assert.deepEqual([order?.note, order?.created_by], ['a', appUserId]);
});

test('K02 a message without the signature of its bytes starts nothing, and is answered as if there was no hook', async () => {
  const id = random();
  const body = '{"note":"b",  "z": 1}';
  const headers = signed(id, body);
  const nowhere = `${org.app}/app/${other.org.code}/hooks/paid?env=test`;
  const noOrg = `${org.app}/app/absent${random()}/hooks/paid?env=test`;
  const scopeOf = `${org.app}/app/${org.code}-main/hooks/paid?env=test`;
  await block('unset', hooked([made], mayMake, { secrets: ['unset'] }));
  await setSecret('short', 'fifteen letters');
  await block('guessable', hooked([made], mayMake, { secrets: ['short'] }));
  const { hook: _, ...unhooked } = hooked([made]) as { readonly hook: object };
  await block('unhooked', unhooked);
  const refused = [
    post('paid', body, {}),
    post('paid', body, { ...headers, 'webhook-signature': '' }),
    post('paid', body, { ...headers, 'webhook-signature': 'v1,' }),
    post('paid', body, signed(id, '{}')),
    post('paid', body, signed(id, body, `whsec_${Buffer.from('the key of another hook').toString('base64')}`)),
    post('paid', body, signed(id, body, secret, new Date(Date.now() - 360_000))),
    post('paid', '{"z": 1, "note":"b"}', headers),
    post('paid', '{"note":"b","z":1}', headers),
    post('paid', body, headers, '?env=prod'),
    post('paid', body, headers, ''),
    post('none', body, headers),
    post('unset', body, headers),
    post('guessable', body, headers),
    post('unhooked', body, headers),
    ...[nowhere, noOrg, scopeOf].map((url) => call('POST', url, { body, headers })),
    call('POST', `${org.app}/app/${org.code}/hooks/paid?env=test`, { body, token: founder.token }),
  ];
  const bodies = new Set<string>();
  for (const reply of await Promise.all(refused)) {
    const { request_id: _id, ...problem } = assertProblem(reply, 'signature_invalid');
    bodies.add(JSON.stringify(problem));
  }
  assert.equal(bodies.size, 1);
  assert.deepEqual(await ordersOf(id), []);
});

test('K02 a message that comes again has its first run, and either of two secrets signs', async () => {
  const id = random();
  const replies = await Promise.all(Array.from({ length: 20 }, () => send('paid', { note: 'c' }, id)));
  assert.equal(new Set(replies.map(({ body }) => body.run)).size, 1);
  // Repeated by its sender with another time, and with other contents under the same id.
  assert.equal((await send('paid', { note: 'd' }, id)).body.run, replies[0]?.body.run);
  await ended(replies[0] ?? assert.fail());
  assert.equal((await ordersOf(id)).length, 1);
  await setSecret('old', 'the old secret of it');
  await block('turning', hooked([made], mayMake, { secrets: ['pay', 'old'] }));
  for (const by of [secret, `whsec_${Buffer.from('the old secret of it').toString('base64')}`]) {
    const body = '{}';
    assert.equal((await post('turning', body, signed(random(), body, by))).status, 202);
  }
});

test('K02 a message is signed by HMAC as its sender does, and a copy under another id begins nothing', async () => {
  await setSecret('hub', 'the secret of the hub');
  const hmac = { signature: 'hmac', header: 'X-Hub-Signature-256', prefix: 'sha256=', id_header: 'X-Hub-Delivery' };
  await block('hub', hooked([made], mayMake, { ...hmac, secrets: ['hub'] }));
  const body = JSON.stringify({ note: random() });
  const digest = createHmac('sha256', 'the secret of the hub').update(body).digest('hex');
  const from = (id: string, signature = `sha256=${digest}`) =>
    post('hub', body, { 'x-hub-signature-256': signature, 'x-hub-delivery': id });
  assertProblem(await from('one', digest), 'signature_invalid');
  const first = await from('one');
  assert.equal(first.status, 202, first.text);
  assert.equal((await from('two')).body.run, first.body.run);
  assertProblem(await post('hub', body, signed(random(), body)), 'signature_invalid');
});

test('K02 a message of Stripe has one run, however often it is sent and signed again', async () => {
  await setSecret('stripe', secret);
  await block('stripe', hooked([made], mayMake, { signature: 'stripe', secrets: ['stripe'] }));
  const event = `evt_${random()}`;
  const sendAgo = (seconds: number, body: string) => {
    // wall time: the platform holds the time of a message to its clock.
    const time = Math.floor(Date.now() / 1000) - seconds;
    const digest = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
    return post('stripe', body, { 'stripe-signature': `t=${time},v1=${digest},v0=old` });
  };
  const first = await sendAgo(0, JSON.stringify({ id: event, note: 'paid' }));
  const run = await ended(first);
  assert.deepEqual([run.state, run.input], ['done', { id: event, note: 'paid' }]);
  const again = await sendAgo(60, JSON.stringify({ id: event, note: 'paid', pending_webhooks: 0 }));
  assert.equal(again.body.run, first.body.run);
  assert.equal((await ordersOf(event)).length, 1);
  assertProblem(await sendAgo(360, JSON.stringify({ id: event })), 'signature_invalid');
  const shown = await manage<Record<string, unknown>>(org, 'GET', '/hooks/stripe');
  assert.deepEqual(
    [shown.body.signature, shown.body.header, shown.body.id_field],
    ['stripe', 'Stripe-Signature', 'id'],
  );
});

test('K02 a form of Slack is the input as an object, by the signature of its bytes', async () => {
  const signing = '8f742231b10e8888abcd99yyyzzz85a5';
  await setSecret('slack', signing);
  await block('slack', hooked([made], mayMake, { signature: 'slack', secrets: ['slack'] }));
  // wall time: the platform holds the time of a message to its clock.
  const time = String(Math.floor(Date.now() / 1000));
  const body = 'command=%2Fweather&note=94070+is+near';
  const digest = createHmac('sha256', signing).update(`v0:${time}:${body}`).digest('hex');
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-slack-request-timestamp': time };
  assertProblem(await post('slack', body, { ...headers, 'x-slack-signature': digest }), 'signature_invalid');
  const run = await ended(await post('slack', body, { ...headers, 'x-slack-signature': `v0=${digest}` }));
  assert.deepEqual([run.state, run.input], ['done', { command: '/weather', note: '94070 is near' }]);
});

test('integers that no number holds arrive as texts, and on no other route', async () => {
  const body = '{"note":"n","id":9007199254740993,"all":[-9223372036854775808,7]}';
  const run = await ended(await post('paid', body, signed(random(), body)));
  assert.deepEqual(run.input, { note: 'n', id: '9007199254740993', all: ['-9223372036854775808', 7] });
  const order = {
    token: founder.token,
    headers: { 'content-type': 'application/json' },
    body: '{"title":9007199254740993}',
  };
  assertProblem(await call('POST', `${org.app}/app/${org.code}/create/order`, order), 'invalid_request');
});

test('a CloudEvent is the same input in its structured and its binary mode', async () => {
  const event = { specversion: '1.0', id: '7', source: '/shop', type: 'order.paid' };
  const body = JSON.stringify({ ...event, data: { note: 'c' } });
  const whole = { ...signed(random(), body), 'content-type': 'application/cloudevents+json; charset=utf-8' };
  assert.deepEqual((await ended(await post('paid', body, whole))).input, { ...event, data: { note: 'c' } });
  const ce = { 'ce-specversion': '1.0', 'ce-id': '7', 'ce-source': '/shop', 'ce-type': 'order.paid' };
  const data = '{"note":"c"}';
  const run = await ended(await post('paid', data, { ...signed(random(), data), ...ce }));
  assert.deepEqual(run.input, { ...event, datacontenttype: 'application/json', data: { note: 'c' } });
  const { 'ce-type': _, ...less } = ce;
  assertProblem(await post('paid', data, { ...signed(random(), data), ...less }), 'validation_failed');
});

test('K01 a hook takes JSON and forms in a body alone, and nothing in it is a file', async () => {
  const id = random();
  const types = [
    ...['multipart/form-data; boundary=x', 'text/plain', 'text/xml', '', 'application/cloudevents-batch+json'],
    ...['application/octet-stream', 'application/json; charset=utf-16', 'application/jsonp'],
  ];
  for (const name of ['files', 'file', 'filepath', 'path', '$file']) {
    const body = JSON.stringify({ [name]: { filepath: '/etc/passwd', path: '/etc/passwd', $file: '/etc/passwd' } });
    for (const type of types)
      assertProblem(await post('paid', body, { ...signed(id, body), 'content-type': type }), 'unsupported_media_type');
    const run = await ended(await send('paid', JSON.parse(body)));
    assert.deepEqual(run.input, JSON.parse(body));
  }
  const coded = { ...signed(id, '{}'), 'content-encoding': 'gzip' };
  assertProblem(await post('paid', '{}', coded), 'unsupported_media_type');
  const large = JSON.stringify('x'.repeat(300_000));
  assertProblem(await post('paid', large, signed(id, large)), 'body_too_large');
  for (const [text, code] of [
    ['{', 'invalid_request'],
    ['{"a":1,"a":2}', 'invalid_request'],
    ['[]', 'validation_failed'],
    ['null', 'validation_failed'],
  ] as const)
    assertProblem(await post('paid', text, signed(random(), text)), code);
});

test('K04 what a message says of org, workspace, environment, user and rights is input and nothing else', async () => {
  const canary = await create(founder, 'order', { title: 'canary', note: 'of a member' });
  const members = {
    ...{ org: other.org.code, tenant_id: 'x', tenant_code: 'x', env: 'prod', user: { id: founder.id, kind: 'person' } },
    ...{ run_as: 'caller', policies: [allow('*')], timeout: 1e9, depth: 99, chain: ['a'], record: canary },
  };
  for (const input of [members, { metadata: members, job: { ...members } }]) {
    const id = random();
    const run = await ended(await send('paid', input, id));
    assert.deepEqual(
      [run.state, run.tenant_code, run.depth, run.user],
      ['done', 'main', 0, { id: appUserId, kind: 'app' }],
    );
    assert.deepEqual(run.input, input);
    assert.equal((await ordersOf(id)).length, 1);
  }
});

test('a run without a user may do what its block declares, and neither reads, writes nor grants anything else', async () => {
  const one = await create(founder, 'order', { title: 'not for the app' });
  const read = { id: 'read', type: 'get', entity: 'order', record: one.id };
  const denials: readonly (readonly [object, string, string])[] = [
    [read, 'read', 'access_denied'],
    [{ id: 'all', type: 'list', entity: 'order' }, 'all', 'access_denied'],
    [{ id: 'off', type: 'delete', entity: 'order', record: one.id }, 'off', 'access_denied'],
    [{ id: 'people', type: 'list', entity: 'user' }, 'people', 'access_denied'],
  ];
  for (const [step, id, code] of denials) {
    const name = `d${random()}`;
    await block(name, hooked([made, step]));
    const run = await ended(await send(name, {}));
    assert.deepEqual([run.state, run.error?.code, run.error?.step], ['failed', code, id]);
  }
  const values = { name: `all-${random()}`, statements: [allow('*')] };
  const policy = { id: 'policy', type: 'create', entity: 'aclpolicy', values };
  await block('grants', hooked([policy], [allow(['createaclpolicy', 'createorder'])]));
  assert.equal((await ended(await send('grants', {}))).error?.code, 'escalation_refused');
  // A block that it calls is decided by the same policies, and its own ones end with it.
  await block('plain', { steps: [read] });
  await block('lends', hooked([{ id: 'called', type: 'call', logicblock: 'plain' }], [allow('getorder')]));
  assert.equal((await ended(await send('lends', {}))).state, 'done');
  await block('poor', hooked([{ id: 'called', type: 'call', logicblock: 'plain' }]));
  assert.equal((await ended(await send('poor', {}))).error?.code, 'access_denied');
});

test('what a run without a user writes is in the audit log by the name of its block', async () => {
  const name = `g${random()}`;
  await block(
    'named',
    hooked([{ id: 'group', type: 'create', entity: 'group', values: { name } }], [allow('creategroup')]),
  );
  const run = await ended(await send('named', {}));
  assert.equal(run.state, 'done', JSON.stringify(run.error));
  interface Entry {
    readonly action: string;
    readonly actor: { readonly kind: string; readonly id: string };
  }
  const audit = await manage<{ readonly items: readonly Entry[] }>(org, 'GET', '/audit?tenant_code=main&pagesize=200');
  const ofApp = audit.body.items.filter(({ actor }) => actor.kind === 'automation');
  assert.deepEqual(
    ofApp.map(({ action, actor }) => [action, actor.id]),
    [['group.created', 'named']],
  );
});

test('a hook is listed and paused by admins of the org, by environment', async () => {
  interface Hook {
    readonly name: string;
    readonly tenant_code: string;
    readonly paused: boolean;
    readonly ready: boolean;
    readonly reason?: string;
    readonly url_path: string;
  }
  const hooks = async () => {
    const { items } = (await manage<{ readonly items: readonly Hook[] }>(org, 'GET', '/hooks')).body;
    return new Map(items.map((item) => [item.name, item]));
  };
  await block('moved', hooked([made]));
  const before = await hooks();
  assert.deepEqual(before.get('moved'), {
    ...{ name: 'moved', signature: 'standard', url_path: `/app/${org.code}/hooks/moved?env=test` },
    ...{ tenant_code: 'main', paused: false, ready: true },
  });
  assert.deepEqual([before.get('unset')?.reason, before.get('guessable')?.reason], ['no_secret', 'short_secret']);
  const put = (body: object, name = 'moved', of = org) => manage(of, 'PUT', `/hooks/${name}`, { body });
  assert.equal((await put({ paused: true })).body.reason, 'paused');
  assertProblem(await send('moved', {}), 'signature_invalid');
  assert.equal((await put({ paused: false })).body.ready, true);
  assertProblem(await put({ tenant_code: 'nowhere' }), 'validation_failed');
  assertProblem(await put({ at: 1 }), 'unknown_field');
  assertProblem(await put({}, 'none'), 'not_found');
  assertProblem(await put({}, 'moved', other.org), 'not_found');
  assertProblem(await manage(org, 'PUT', '/hooks/moved?env=prod', { body: {} }), 'conflict');
  const asDeveloper = await joinOrg(org, 'developer');
  assert.equal((await call('GET', `${org.management}/hooks`, { token: asDeveloper.token })).status, 200);
  assertProblem(
    await call('PUT', `${org.management}/hooks/moved`, { token: asDeveloper.token, body: {} }),
    'role_required',
  );
  const audit = await manage<{ readonly items: readonly { readonly action: string }[] }>(
    org,
    'GET',
    '/audit?pagesize=200',
  );
  assert.equal(audit.body.items.filter(({ action }) => action === 'hook.changed').length, 2);
});

test('the runs of a hook begin in the workspace that the environment says, and nowhere else', async () => {
  const many = await multiOrg(gateways);
  await defineEntity(many, definition('order', [{ name: 'title', index: true }, { name: 'note' }]));
  const first = await founderOf(many);
  const second = await founderOf(many);
  const content = { name: 'paid', ...hooked([made]) };
  await manage(many, 'PUT', '/secrets/pay', { body: { value: secret, hosts: [] } });
  assert.equal((await manage(many, 'POST', '/config/logicblock', { body: { name: 'paid', content } })).status, 201);
  const to = async (id: string) => {
    const body = JSON.stringify({ tenant_code: first.tenantCode, note: id });
    const headers = signed(id, body);
    return call<StartedRun>('POST', `${many.app}/app/${many.code}/hooks/paid?env=test`, { body, headers });
  };
  // There is no workspace `main`.
  assertProblem(await to(random()), 'not_found');
  const moved = { body: { tenant_code: second.tenantCode } };
  const { body } = await manage<{ readonly ready: boolean }>(many, 'PUT', '/hooks/paid', moved);
  assert.equal(body.ready, true);
  const id = random();
  const { status, body: started } = await to(id);
  assert.equal(status, 202);
  await eventually('an order of the run', async () => (await list(second, 'order', `?title=${id}`)).items.length > 0);
  assert.deepEqual((await list(first, 'order')).items, []);
  const run = await manage<ShownRun>(many, 'GET', `/runs/${started.run}`);
  assert.equal(run.body.tenant_code, second.tenantCode);
});

test('a hook is of a block with policies of its own, and says how it is signed', async () => {
  const pointersOf = async (content: object): Promise<readonly unknown[]> => {
    const name = `w${random()}`;
    const reply = await manage(org, 'POST', '/config/logicblock', { body: { name, content: { name, ...content } } });
    return assertProblem(reply, 'validation_failed').errors?.map(({ pointer }) => pointer) ?? [];
  };
  const hook = { signature: 'standard', secrets: ['pay'] };
  assert.deepEqual(await pointersOf({ steps: [made], hook }), ['/content/hook']);
  for (const [wrong, pointer] of [
    [{ signature: 'hmac' }, '/header'],
    [{ header: 'X-Signature' }, '/header'],
    [{ signature: 'stripe', id_header: 'X-Id' }, '/id_header'],
    [{ signature: 'slack', signed: '{body}' }, '/signed'],
    [{ signature: 'hmac', header: 'X-S', timestamp_key: 't' }, '/timestamp_key'],
    [
      { signature: 'hmac', header: 'X-S', signature_key: 'v1', timestamp_key: 't', timestamp_header: 'X-T' },
      '/timestamp_header',
    ],
    [{ signature: 'hmac', header: 'X-S', timestamp_header: 'X-T', signed: '{body}' }, '/signed'],
    [{ signature: 'hmac', header: 'X-S', signed: '{time}.{body}' }, '/signed'],
    [{ signature: 'hmac', header: 'X-S', signed: '{body}.{time}' }, '/signed'],
    [{ signature: 'hmac', header: 'X-S', id_header: 'X-Id', id_field: 'id' }, '/id_field'],
    [{ signature: 'hmac', header: 'X-S', tolerance_seconds: 60 }, '/tolerance_seconds'],
    [{ tolerance_seconds: 0 }, '/tolerance_seconds'],
    [{ tolerance_seconds: 3601 }, '/tolerance_seconds'],
    [{ secrets: ['pay', 'pay'] }, '/secrets/1'],
    [{ secrets: [] }, '/secrets'],
    [{ secrets: ['a', 'b', 'c'] }, '/secrets'],
  ] as const)
    assert.deepEqual(await pointersOf(hooked([made], mayMake, wrong)), [`/content/hook${pointer}`]);
});
