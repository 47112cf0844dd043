/** Clients that send slowly, without end, in great numbers or too often: the others are served all the same. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import { call } from './call.ts';
import { eventually } from './eventually.ts';
import { act, appUrl, defineEntity, definition, foundedOrg, manage, memberWith } from './org.ts';
import { runToEnd } from './platform.ts';
import { platformForTests, platformOf } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('doc', [{ name: 'title' }]));

async function openSocket(context: TestContext, baseUrl: string, text: string): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  context.after(() => socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

/** However the connection comes to its end: a reset is one too. */
function next(socket: Socket, event: 'close' | 'drain'): Promise<void> {
  return new Promise((resolve) => void socket.once(event, () => resolve()));
}

const slowSockets = 400;

test('I01: while hundreds of clients send their heads and bodies slowly, all others are answered', async (t) => {
  const head = `POST /app/${org.code}/create/doc HTTP/1.1\r\nHost: x\r\n`;
  const body = `${head}Authorization: Bearer ${founder.token}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`;
  const slow = await Promise.all(
    Array.from({ length: slowSockets }, (_, index) => openSocket(t, org.app, index % 2 === 0 ? head : body)),
  );
  const answers = await Promise.all(Array.from({ length: 50 }, () => act(founder, 'GET', '/list/doc')));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  for (const socket of slow) socket.destroy();
});

test('I02: a body of a gigabyte without a length is refused after a megabyte, and memory stays as it was', async (t) => {
  const platform = await platformOf(t, { env: { FREEHOLD_METRICS_LISTEN: '127.0.0.1:0' } });
  const reported = /metrics are served at (http[^"\s]+)/.exec(platform.stderr())?.[1] ?? '';
  const memory = async (): Promise<number> => {
    const { text } = await call('GET', reported);
    return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]);
  };
  const { founder: person, org: own } = await foundedOrg(platform);
  await defineEntity(own, definition('doc', [{ name: 'title' }]));
  const before = await memory();
  const lines = [`POST /app/${own.code}/create/doc HTTP/1.1`, 'Host: x', `Authorization: Bearer ${person.token}`];
  const framing = ['Content-Type: application/json', 'Transfer-Encoding: chunked', '', ''];
  const socket = await openSocket(t, platform.app, [...lines, ...framing].join('\r\n'));
  let answer = '';
  socket.on('data', (data) => {
    answer += String(data);
  });
  const closed = next(socket, 'close');
  const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
  let sent = 0;
  for (; sent < 0x40000000 && !socket.destroyed; sent += chunk.length)
    if (!socket.write(chunk)) await Promise.race([next(socket, 'drain'), closed]);
  await closed;
  assert.match(answer, /^HTTP\/1\.1 413 /);
  assert.ok(sent < 0x8000000, `${sent} bytes were taken`);
  const grown = (await memory()) - before;
  assert.ok(grown < 0x6000000, `${before} grew by ${grown} for ${sent} bytes`);
});

for (const [what, query] of [
  ['ten thousand parameters', `?${'a=1&'.repeat(10_000)}`],
  ['a parameter twice', '?title=a&title=b'],
  ['parameters in brackets', '?title[a][b]=c'],
  ['a list in brackets', '?title[]=c'],
] as const)
  test(`I07: a query with ${what} is refused`, async () => {
    assertRefusal(await act(founder, 'GET', `/list/doc${query}`), [400, 431]);
  });

test('a caller over its rate limit learns when to go on, and others are served', async (t) => {
  const env = { FREEHOLD_RATE_LIMIT_PRINCIPAL: '40/3600', FREEHOLD_RATE_LIMIT_ORG: '100000/3600' };
  const platform = await platformOf(t, { env });
  const { org: own, founder: person } = await foundedOrg(platform);
  const other = await memberWith(person, []);
  const ask = () => act(person, 'GET', '/user/me');
  const first = await ask();
  assert.equal(first.status, 200, first.text);
  assert.equal(first.headers.get('ratelimit-policy'), '"principal";q=40;w=3600, "org";q=100000;w=3600');
  assert.match(first.headers.get('ratelimit') ?? '', /^"principal";r=\d+;t=\d+, "org";r=\d+;t=\d+$/);
  const replies = await Promise.all(Array.from({ length: 45 }, ask));
  const refused = replies.filter(({ status }) => status === 429);
  assert.ok(refused.length >= 6 && refused.length < 45);
  for (const reply of refused) {
    assertProblem(reply, 'rate_limited');
    assert.match(reply.headers.get('ratelimit') ?? '', /^"principal";r=0;t=\d+, /);
    const seconds = Number(reply.headers.get('retry-after'));
    assert.ok(seconds > 0 && seconds <= 3600);
  }
  assert.equal((await act(other, 'GET', '/user/me')).status, 200);
  assert.equal((await manage(own, 'GET', '/org')).status, 200);
  const bad = await call('GET', appUrl(own, '/user/me'), { token: 'absent' });
  assert.deepEqual([bad.status, bad.headers.get('ratelimit')], [401, null]);
});

test('a builder who acts for a person uses up his own limit and not the person’s', async (t) => {
  const platform = await platformOf(t, { env: { FREEHOLD_RATE_LIMIT_PRINCIPAL: '20/3600' } });
  const { org: own, founder: person } = await foundedOrg(platform);
  const body = { env: 'test', tenant_code: 'main', user_id: person.id };
  const { token } = (await manage<{ token: string }>(own, 'POST', '/org/impersonate', { body })).body;
  const replies = await Promise.all(Array.from({ length: 21 }, () => act({ ...person, token }, 'GET', '/user/me')));
  assert.equal(replies.filter(({ status }) => status === 429).length, 1);
  assert.equal((await act(person, 'GET', '/user/me')).status, 200);
});

test('builders have a limit too', async (t) => {
  const platform = await platformOf(t, { env: { FREEHOLD_RATE_LIMIT_PRINCIPAL: '40/3600' } });
  const { org: own } = await foundedOrg(platform);
  const replies = await Promise.all(Array.from({ length: 41 }, () => manage(own, 'GET', '/org')));
  const refused = replies.find(({ status }) => status === 429);
  assertProblem(refused ?? assert.fail('none was refused'), 'rate_limited');
});

test('an address has no more connections than it may, and its idle ones keep it out of none', async (t) => {
  const platform = await platformOf(t, { env: { FREEHOLD_CONNECTIONS_PER_ADDRESS: '3' } });
  const get = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
  const held: Socket[] = [];
  const hold = async (): Promise<string> => {
    const socket = await openSocket(t, platform.app, get);
    held.push(socket);
    return new Promise((resolve) => {
      socket.once('data', (answer) => resolve(String(answer))).once('close', () => resolve('no answer'));
    });
  };
  for (let count = 0; count < 200; count++) assert.match(await hold(), /^HTTP\/1\.1 200 /);
  await eventually('the end of all but three', () => held.filter(({ destroyed }) => !destroyed).length === 3);
  const headers = ['Host: x', 'Content-Type: application/json', 'Content-Length: 2', 'Expect: 100-continue', '', ''];
  const busy: Socket[] = [];
  for (let count = 0; count < 3; count++) {
    const socket = await openSocket(t, platform.management, ['POST /auth/login HTTP/1.1', ...headers].join('\r\n'));
    busy.push(socket);
    const [started] = await once(socket, 'data');
    assert.equal(String(started), 'HTTP/1.1 100 Continue\r\n\r\n');
  }
  const beyond = await openSocket(t, platform.management, get);
  let answer = '';
  beyond.on('data', (data) => {
    answer += String(data);
  });
  await next(beyond, 'close');
  assert.equal(answer, '');
  for (const socket of busy) socket.destroy();
  await eventually('room for another connection', () =>
    call('GET', `${platform.management}/healthz`).then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
});

test('limits that are none are mistakes', async () => {
  const env = {
    FREEHOLD_RATE_LIMIT_PRINCIPAL: '600',
    FREEHOLD_RATE_LIMIT_ORG: '0/60',
    FREEHOLD_CONNECTIONS_PER_ADDRESS: 'many',
  };
  const run = await runToEnd([], { env });
  assert.equal(run.code, 2);
  for (const name of Object.keys(env)) assert.match(run.stderr, new RegExp(`${name} must be`));
});
