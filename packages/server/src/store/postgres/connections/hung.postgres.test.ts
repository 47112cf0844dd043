import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../lib/clock.ts';
import { OutcomeUnknown, type Scope, Unavailable } from '../../port.ts';
import { put } from '../../testing/conformance/bench.ts';
import { openPostgres } from '../open-postgres.ts';
import { eventually } from '../testing/eventually.ts';
import { serverProcess, signalAll } from '../testing/server-processes.ts';
import { startOwnServer, whyNotOwn } from '../testing/test-server.ts';

/** By its limit a read of this store ends after 25 s, and the listener cuts calls after 30 s. */
const answeredWithin = 15_000;

test('every call of a server that hangs is refused soon, however many wait, and it is served again when it goes on', {
  skip: whyNotOwn,
}, async (t) => {
  const server = await startOwnServer();
  const { store } = await openPostgres({ url: `${server.url}?read_timeout=25000`, space: 'hung', clock: systemClock });
  const process = await serverProcess(server.url);
  assert.ok(process !== undefined);
  t.after(async () => {
    signalAll(process, 'SIGCONT');
    await store.close();
    await server.stop();
  });
  const scopes = Array.from({ length: 200 }, (_, number) => store.scope(`s${number}`));
  for (const scope of scopes) await scope.commit([put('p', 'before')]);
  await Promise.all(scopes.map(read));
  signalAll(process, 'SIGSTOP');
  // Twice: before the store knows, and when it does.
  for (const round of ['first', 'second']) {
    const startedAt = performance.now();
    const outcomes = await Promise.allSettled(
      scopes.flatMap((scope) => [read(scope), scope.commit([put('p', round)])]),
    );
    const milliseconds = performance.now() - startedAt;
    // wall time: what is promised is that calls end before the listener cuts them, and nothing else ends them.
    assert.ok(milliseconds < answeredWithin, `${round}: ${milliseconds} ms`);
    for (const outcome of outcomes) {
      assert.equal(outcome.status, 'rejected');
      const { reason } = outcome;
      assert.ok(reason instanceof Unavailable || reason instanceof OutcomeUnknown, String(reason));
    }
  }
  assert.equal((await store.health()).ok, false);
  signalAll(process, 'SIGCONT');
  await eventually('the server', async () => (await store.health()).ok);
  await Promise.all(scopes.map((scope) => scope.commit([put('p', 'after')])));
  for (const scope of scopes) assert.ok((await read(scope))[0] !== undefined);
});

function read(scope: Scope) {
  return scope.get([{ pk: 'p', sk: 'before' }]);
}
