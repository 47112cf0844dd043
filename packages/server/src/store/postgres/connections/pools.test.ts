import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Connection } from './connection.ts';
import { CommitConnections } from './pools.ts';

test('who waits for a connection and leaves is not waited for, and the next one has it', async () => {
  const connections = new CommitConnections(1, async () => ({ isOpen: true }) as Connection);
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const done: string[] = [];
  const use = (name: string, signal?: AbortSignal) =>
    connections.use(async () => {
      await gate;
      done.push(name);
    }, signal);
  const reason = new Error('the caller left');
  const controller = new AbortController();
  const first = use('first', controller.signal);
  const leaving = use('leaving', controller.signal);
  const last = use('last');
  controller.abort(reason);
  await assert.rejects(leaving, reason);
  await assert.rejects(use('late', AbortSignal.abort(reason)), reason);
  open();
  await Promise.all([first, last]);
  assert.deepEqual(done, ['first', 'last']);
  await use('again', AbortSignal.abort(reason));
  assert.deepEqual(done, ['first', 'last', 'again']);
});
