/** A platform that has hardly a file descriptor left refuses connections aloud, and serves those that it has. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { call } from './call.ts';
import { eventually } from './eventually.ts';
import { launcher } from './launcher.ts';
import { startPlatform, temporaryDirectory, whyNoDataDir } from './platform.ts';

const limit = 160;
const whyNoLimit =
  spawnSync('prlimit', ['--version']).status !== 0 && 'not run: no `prlimit` (util-linux) sets the limit of a process';

const limited = (command: string) =>
  ['prlimit', `--nofile=${limit}:${limit}`, process.execPath, launcher, command] as const;

/** Connections to a gateway that send nothing; gives those that were not cut off. */
async function openConnections(t: TestContext, url: string, count: number): Promise<readonly Socket[]> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    t.after(() => socket.destroy());
    return socket;
  });
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
  return sockets;
}

test('connections beyond the file descriptors are refused with a log line and a count, and the others are served', {
  skip: whyNoDataDir || whyNoLimit,
}, async (t) => {
  const platform = await startPlatform({ byWords: limited('start') });
  t.after(() => platform.kill());
  const sockets = await openConnections(t, platform.app, 2 * limit);
  await eventually('refused connections', async () => sockets.some(({ destroyed }) => destroyed));
  const open = sockets.filter(({ destroyed }) => !destroyed);
  assert.ok(open.length > 0);
  for (const socket of open) socket.destroy();
  await eventually('room for another connection', async () =>
    call('GET', `${platform.management}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  const { text } = await call('GET', `${platform.management}/metrics`);
  assert.match(text, /^freehold_refused_connections_total\{gateway="app",code="no_descriptors"\} [1-9]/m);
  assert.match(text, /^process_open_fds [1-9]\d*$/m);
  assert.match(text, new RegExp(`^process_max_fds ${limit}$`, 'm'));
  assert.match(platform.stderr(), /connections are refused, as the process has hardly a file descriptor left/);
});

test('the doctor finds that the process may have few file descriptors', {
  skip: whyNoLimit,
}, () => {
  const env = { FREEHOLD_DATA_DIR: temporaryDirectory(), FREEHOLD_APP_PORT: '0', FREEHOLD_MANAGEMENT_PORT: '0' };
  const [program, ...words] = limited('doctor');
  const { status, stdout } = spawnSync(program, words, { env: { ...process.env, ...env }, encoding: 'utf8' });
  assert.equal(status, 1, stdout);
  assert.match(stdout, /^FAULT the process may have 160 file descriptors, which is enough for some 140 connections/m);
});
