/** Steps of logic blocks that call other systems and send mails. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { type Message, type Receiver, startReceiver } from './event-receiver.ts';
import { mailsTo } from './mails.ts';
import { act, defineEntity, definition, foundedOrg, manage, newEmail, type Org, random } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();

/** An org whose blocks may call this machine. */
async function callingOrg(hosts: readonly string[] = ['127.0.0.1']) {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('order', [{ name: 'title', index: true }]));
  await allowHosts(org, hosts);
  return {
    org,
    block: async (name: string, steps: readonly object[], more: object = {}) => {
      const content = { name, steps, ...more };
      const reply = await manage(org, 'POST', '/config/logicblock', { body: { name, content } });
      assert.equal(reply.status, 201, reply.text);
    },
    run: <T = unknown>(name: string, input: object = {}) =>
      act<T>(founder, 'POST', `/logicblocks/${name}`, { body: input }),
    founder,
  };
}

async function allowHosts(org: Org, value: readonly string[]): Promise<void> {
  const body = { group: 'automation', name: 'http_hosts', value };
  const { status, text } = await manage(org, 'PUT', '/org/settings', { body });
  assert.equal(status, 200, text);
}

async function setSecret(org: Org, name: string, value: string, hosts: readonly string[]): Promise<void> {
  const { status, text } = await manage(org, 'PUT', `/secrets/${name}`, { body: { value, hosts } });
  assert.equal(status, 200, text);
}

/** A receiver that answers with what it was sent. */
async function echo(t: TestContext): Promise<Receiver> {
  const receiver = await startReceiver(t);
  receiver.answer = (reply, { method, path, headers, body }) => {
    reply.setHeader('content-type', 'application/json');
    reply.end(JSON.stringify({ method, path, headers, body }));
  };
  return receiver;
}

test('a step calls another system, and its answer is a value for the steps after it', async (t) => {
  const { block, run } = await callingOrg();
  const receiver = await echo(t);
  receiver.answer = (reply, { method }) => {
    reply.writeHead(method === 'GET' ? 404 : 201, {
      'content-type': 'application/vnd.x+json',
      etag: '"1"',
      'x-other': 'a',
    });
    reply.end('{"id": 7, "list": [true]}');
  };
  const at = (path: string) => `${receiver.url}${path}`;
  const steps = [
    { id: 'read', type: 'http', method: 'GET', url: at('orders/{{ input.id }}?q={{ input.q }}') },
    {
      ...{
        id: 'post',
        type: 'http',
        method: 'POST',
        url: at('orders'),
        headers: { 'X-By': '{{ user.id }}', 'Freehold-Depth': '0' },
      },
      body: { id: '{{ input.id }}', status: '{{ steps.read.status }}' },
    },
    { id: 'text', type: 'http', method: 'PUT', url: at('text'), headers: { 'Content-Type': 'text/csv' }, body: 'a,b' },
  ];
  await block('sync', steps, { returns: { read: '{{ steps.read }}', id: '{{ steps.post.body.id }}' } });
  const { status, body, text } = await run('sync', { id: 'a/b?c', q: '1&x=2' });
  assert.equal(status, 200, text);
  const headers = { 'content-type': 'application/vnd.x+json', etag: '"1"' };
  assert.deepEqual(body, { read: { status: 404, headers, body: { id: 7, list: [true] } }, id: 7 });
  const [read, post, csv] = receiver.messages as readonly [Message, Message, Message];
  assert.deepEqual([read.method, read.path, read.body], ['GET', '/orders/a%2Fb%3Fc?q=1%26x%3D2', '']);
  assert.equal(read.headers['idempotency-key'], undefined);
  assert.deepEqual([post.path, JSON.parse(post.body)], ['/orders', { id: 'a/b?c', status: 404 }]);
  assert.equal(post.headers['content-type'], 'application/json');
  assert.match(String(post.headers['freehold-depth']), /^1\.\d+\.[\w-]{22}$/);
  assert.match(String(post.headers['idempotency-key']), /^[0-9a-f-]{36}\.0001$/);
  assert.deepEqual([csv.method, csv.body, csv.headers['content-type']], ['PUT', 'a,b', 'text/csv']);
});

test('K10: what is not allowed at the moment of the call is not called, whatever a value makes of the address', async (t) => {
  const { org, block, run } = await callingOrg([]);
  const receiver = await echo(t);
  const url = `${receiver.url}items/{{ input.id }}/x`;
  await block('get', [{ id: 'go', type: 'http', method: 'GET', url }]);
  const refused = async (input: object) => assertProblem(await run('get', input), 'block_failed').detail;
  assert.match(await refused({ id: 'a' }), /host/);
  await allowHosts(org, ['127.0.0.2', '*.0.0.1', 'localhost']);
  assert.match(await refused({ id: 'a' }), /host/);
  await allowHosts(org, ['127.0.0.1']);
  assert.equal((await run('get', { id: 'a' })).status, 200);
  for (const id of ['..', '.', '', '../../x', 'a/..', '%2e%2e', '..%2f', '@evil.example/', '\\..\\'])
    if (!['%2e%2e', '..%2f', '@evil.example/'].includes(id)) assert.match(await refused({ id }), /another path/, id);
    else assert.equal((await run('get', { id })).status, 200, id);
  assert.deepEqual(
    receiver.messages.map(({ path }) => path),
    ['/items/a/x', '/items/%252e%252e/x', '/items/..%252f/x', '/items/%40evil.example%2F/x'],
  );
  await allowHosts(org, []);
  assert.match(await refused({ id: 'a' }), /host/);
  const shown = await manage<{ items: readonly { name: string; value: unknown }[] }>(org, 'GET', '/org/settings');
  assert.deepEqual(shown.body.items.find(({ name }) => name === 'http_hosts')?.value, []);
  for (const [value, pointer] of [
    ['a.example', '/value'],
    [['A.example'], '/value/0'],
    [['https://a.example'], '/value/0'],
    [['a.example:443'], '/value/0'],
    [['*'], '/value/0'],
    [['*.example'], '/value/0'],
    [['a.*.example'], '/value/0'],
    [Array.from({ length: 51 }, (_, index) => `h${index}.example`), '/value'],
  ] as const) {
    const body = { group: 'automation', name: 'http_hosts', value };
    const reply = assertProblem(await manage(org, 'PUT', '/org/settings', { body }), 'validation_failed');
    assert.deepEqual(
      reply.errors?.map((one) => one.pointer),
      [pointer],
    );
  }
});

test('K10: no redirect is followed, and its answer is the value', async (t) => {
  const { org, block, run } = await callingOrg();
  const [receiver, evil] = [await echo(t), await echo(t)];
  await setSecret(org, 'shop', `canary-${random()}`, ['127.0.0.1']);
  receiver.answer = (reply) => void reply.writeHead(307, { location: evil.url }).end();
  const secret = { name: 'shop', header: 'x-api-key' };
  await block('go', [{ id: 'go', type: 'http', method: 'POST', url: receiver.url, secret }], {
    returns: '{{ steps.go }}',
  });
  const { body } = await run('go');
  assert.deepEqual(body, { status: 307, headers: { location: evil.url }, body: '' });
  assert.deepEqual([receiver.messages.length, evil.messages], [1, []]);
});

test('K08, K10: a secret goes to its own hosts alone, in its header alone, and comes back in nothing', async (t) => {
  const { org, founder, block, run } = await callingOrg();
  const receiver = await echo(t);
  const canary = `canary/${random()}+"${random()}`;
  await setSecret(org, 'shop', canary, ['127.0.0.1']);
  await setSecret(org, 'elsewhere', canary, ['*.example.com']);
  await setSecret(org, 'nowhere', canary, []);
  await setSecret(org, 'short', 'abc', ['127.0.0.1']);
  const bytes = Buffer.from(canary);
  const texts64 = [`x${canary}`, `Basic user:${canary}`, `{"key":"${canary}"}`].map((text) => Buffer.from(text));
  const encoded = [
    ...[canary, bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')],
    ...[encodeURIComponent(canary), JSON.stringify(canary).slice(1, -1)],
    [...canary].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  ];
  const echoed = [...encoded, ...texts64.map((text) => text.toString('base64'))];
  // Of what stands within a text in base64, the characters that the value alone decides.
  const within = texts64.map((text) => {
    const from = text.indexOf(canary);
    return text.toString('base64').slice(Math.ceil((from * 4) / 3), Math.floor(((from + bytes.length) * 4) / 3));
  });
  const forms = [...encoded, ...within];
  const call = { type: 'http', method: 'POST', url: `${receiver.url}x`, body: {} };
  const secret = { name: 'shop', header: 'Authorization', prefix: 'Bearer ' };
  const basic = { name: 'shop', header: 'authorization', basic: 'user' };
  const order = { type: 'create', entity: 'order', values: { title: '{{ string(steps.echo.body) }}' } };
  const script = 'return JSON.stringify(steps)';
  const steps = [
    { id: 'echo', ...call, secret },
    { id: 'basic', ...call, secret: basic },
    { id: 'copy', type: 'script', source: script },
    { id: 'keep', ...order, values: { title: '{{ steps.echo.headers.location }}' } },
  ];
  receiver.answer = (reply, { headers }) => {
    const { authorization = '' } = headers;
    const isJson = authorization.startsWith('Bearer');
    reply.writeHead(200, {
      'content-type': isJson ? 'application/json' : 'text/plain',
      location: `https://a.example/?${encodeURIComponent(canary)}`,
      etag: Buffer.from(authorization).toString('base64'),
    });
    const json = JSON.stringify({ headers, [canary]: [canary, { [`x${canary}x`]: echoed }] });
    const text = isJson ? json : `${JSON.stringify(headers)} ${echoed.join(' ')}`;
    // Each half comes alone.
    const half = text.indexOf(canary) + 5;
    reply.write(text.slice(0, half));
    setTimeout(() => reply.end(text.slice(half)), 20);
  };
  await block('echo', steps, { returns: '{{ steps }}' });
  await block('fails', [...steps, { id: 'wrong', type: 'get', entity: 'order', record: '{{ steps.copy }}' }]);
  const replies = [await run<object>('echo'), await run('fails')];
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 404],
  );
  assert.match(replies[0]?.text ?? '', /\*\*\*/);
  const sent = receiver.messages.map(({ headers, path, body }) => [headers.authorization, path, body]);
  const plain = [`Bearer ${canary}`, '/x', '{}'];
  const asPassword = [`Basic ${Buffer.from(`user:${canary}`).toString('base64')}`, '/x', '{}'];
  assert.deepEqual(sent, [plain, asPassword, plain, asPassword]);

  for (const name of ['elsewhere', 'nowhere', 'short', 'absent']) {
    await block(name, [{ id: 'go', ...call, secret: { name, header: 'x-key' } }]);
    const reply = assertProblem(await run(name), 'block_failed');
    assert.equal(reply.detail, 'the secret cannot be used for this address');
  }
  assert.equal(receiver.messages.length, 4);

  const { items } = (await manage<{ items: readonly { id: string }[] }>(org, 'GET', '/runs')).body;
  assert.ok(items.length > 2);
  const texts = [
    ...replies.map(({ text }) => text),
    ...(await Promise.all(items.map(async ({ id }) => (await manage(org, 'GET', `/runs/${id}`)).text))),
    (await manage(org, 'GET', '/runs')).text,
    (await manage(org, 'GET', '/events/deliveries')).text,
    (await manage(org, 'GET', '/audit')).text,
    (await manage(org, 'GET', '/secrets')).text,
    (await act(founder, 'GET', '/list/order')).text,
    (await act(founder, 'GET', '/export/order')).text,
  ];
  for (const text of texts) for (const form of forms) assert.ok(!text.includes(form), `${form} in ${text}`);
});

test('a call that fails after another one is sent again by a retry of its run, under the same key', async (t) => {
  const { org, block, run } = await callingOrg();
  const receiver = await echo(t);
  let isDown = true;
  const { answer } = receiver;
  receiver.answer = (reply, message) => {
    if (message.path === '/two' && isDown) reply.destroy();
    else answer(reply, message);
  };
  await block('two', [
    { id: 'one', type: 'http', method: 'POST', url: `${receiver.url}one` },
    { id: 'two', type: 'http', method: 'POST', url: `${receiver.url}two` },
  ]);
  const { body, ...failed } = await run<{ run: string }>('two');
  assert.match(assertProblem({ body, ...failed }, 'block_failed').detail, /no answer/);
  isDown = false;
  const retried = await manage<{ id: string }>(org, 'POST', `/runs/${body.run}/retry`, { body: {} });
  assert.equal(retried.status, 202, retried.text);
  const messages = await receiver.arrived(3);
  assert.deepEqual(
    messages.map(({ path }) => path),
    ['/one', '/two', '/two'],
  );
  const keys = messages.map(({ headers }) => headers['idempotency-key']);
  assert.deepEqual(keys, [`${body.run}.0000`, `${body.run}.0001`, `${body.run}.0001`]);
});

test('a mail step sends one mail to one address', async () => {
  const { block, run } = await callingOrg();
  const to = newEmail('customer');
  const mail = { id: 'mail', type: 'mail', to: '{{ input.to }}', subject: 'Hello {{ input.name }}', text: 'Welcome.' };
  await block('welcome', [mail], { returns: '{{ steps.mail }}' });
  assert.deepEqual((await run('welcome', { to, name: 'Ada\r\nBcc: evil@example.com' })).body, {});
  const [sent, ...others] = await mailsTo(gateways, to);
  assert.deepEqual([sent?.to, sent?.text, others], [to, 'Welcome.', []]);
  assert.doesNotMatch(sent?.subject ?? '\n', /[\r\n]/);
  for (const wrong of [`${to}, b@example.com`, `Ada <${to}>`, '', `${to}\nBcc: b@example.com`])
    assertProblem(await run('welcome', { to: wrong, name: 'Ada' }), 'block_failed');
  assert.equal((await mailsTo(gateways, to)).length, 1);
  assertProblem(await run('welcome', { to, name: 'x'.repeat(2000) }), 'block_failed');
});

test('a run makes at most 50 calls and sends at most 20 mails, also in blocks that it calls', async (t) => {
  const { block, run } = await callingOrg();
  const receiver = await echo(t);
  const to = newEmail('customer');
  await block('one', [{ id: 'go', type: 'http', method: 'GET', url: receiver.url }]);
  await block('mail', [{ id: 'mail', type: 'mail', to, subject: 'a', text: 'b' }]);
  for (const [name, most] of [
    ['one', 50],
    ['mail', 20],
  ] as const) {
    const over = Array.from({ length: most + 1 }, (_, index) => index);
    const steps = [{ id: 'call', type: 'call', logicblock: name }];
    await block(`many-${name}`, [{ id: 'each', type: 'loop', over: '{{ input.over }}', max: 100, steps }]);
    assert.match(
      assertProblem(await run(`many-${name}`, { over }), 'block_failed').detail,
      new RegExp(`at most ${most}`),
    );
  }
  assert.equal(receiver.messages.length, 50);
  assert.equal((await mailsTo(gateways, to)).length, 20);
});
