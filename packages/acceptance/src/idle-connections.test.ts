/** As many connections as the platform takes, all of them idle: others are served, and what is under way goes on. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { call } from './call.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const connections = 10_000;
const atOnce = 100;

test('10,000 idle connections keep no client out: the longest idle ones end', async (t) => {
  const { hostname, port } = new URL(gateways.app);
  const held = new Set<Socket>();
  t.after(() => {
    for (const socket of held) socket.destroy();
  });
  let answered = 0;
  const hold = async (): Promise<void> => {
    const socket = connect(Number(port), hostname);
    held.add(socket);
    socket.on('error', () => undefined).once('close', () => held.delete(socket));
    await once(socket, 'connect');
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = await once(socket, 'data');
    if (String(answer).startsWith('HTTP/1.1 200 ')) answered += 1;
  };
  for (let started = 0; started < connections; started += atOnce)
    await Promise.all(Array.from({ length: atOnce }, hold));
  assert.equal(answered, connections);
  const replies = await Promise.all(Array.from({ length: 50 }, () => call('GET', `${gateways.app}/healthz`)));
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
});
