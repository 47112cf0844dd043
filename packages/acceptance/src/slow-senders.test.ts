/** A thousand clients that go on sending slowly behind their refusals: the others are served, and no descriptor is left. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { call } from './call.ts';
import { type AppUser, act, foundedOrg } from './org.ts';
import { platformOfFile } from './platform-for-tests.ts';

const platform = await platformOfFile();
const { org, founder } = await foundedOrg(platform);
const senders = 1_000;
const atOnce = 50;

/** Sends a part of the body each second, until the platform ends the connection. */
async function startSlowly(context: TestContext): Promise<Socket> {
  const { hostname, port } = new URL(platform.app);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }).on('error', () => undefined);
  context.after(() => socket.destroy());
  const headers = ['Host: x', 'Content-Type: application/json', 'Content-Length: 10000000', '', ''];
  socket.write([`POST /app/${org.code}/create/note HTTP/1.1`, ...headers].join('\r\n'));
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 401 /);
  const ticks = setInterval(() => socket.write('{'), 1_000);
  socket.once('close', () => clearInterval(ticks));
  return socket;
}

async function descriptors(): Promise<number> {
  const { text } = await call('GET', `${platform.management}/metrics`);
  return Number(/^process_open_fds (\d+)$/m.exec(text)?.[1]);
}

/** In milliseconds, of calls one behind another. */
async function p99(user: AppUser): Promise<number> {
  const taken: number[] = [];
  for (let calls = 0; calls < 300; calls++) {
    const startedAt = performance.now();
    assert.equal((await act(user, 'GET', '/user/me')).status, 200);
    taken.push(performance.now() - startedAt);
  }
  return taken.sort((a, b) => a - b)[297] ?? 0;
}

test('a thousand slow senders are refused, the others are served, and 35 s later no descriptor is left of them', async (t) => {
  await p99(founder);
  const [alone, before] = [await p99(founder), await descriptors()];
  const sockets: Socket[] = [];
  for (let started = 0; started < senders; started += atOnce)
    sockets.push(...(await Promise.all(Array.from({ length: atOnce }, () => startSlowly(t)))));
  const last = performance.now();
  const lingering = (await descriptors()) - before;
  const beside = await p99(founder);
  t.diagnostic(`p99 alone ${alone.toFixed(1)} ms, beside them ${beside.toFixed(1)} ms; ${lingering} lingered`);
  assert.ok(lingering > 0 && lingering <= 256, `${lingering} linger`);
  // wall time: a connection lingers for 30 s, and its client goes on sending for ever.
  await pause(Math.max(0, last + 35_000 - performance.now()));
  assert.equal((await descriptors()) - before, 0);
  assert.deepEqual(
    sockets.filter(({ readableEnded, errored }) => !readableEnded && errored === null),
    [],
  );
});
