import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { always } from '../../lib/where.ts';
import type { Scope } from '../../store/port.ts';
import { openMemory } from '../../store/testing/open-memory.ts';
import { scopeUntilGone } from './until-gone.ts';

const select = { where: always, limit: 1, rowsMax: 1 } as const;
const measure = { where: always, group: [], measures: [], rowsMax: 1, groupsMax: 1 } as const;

/** Answers when its signal is raised alone. */
function endless(): Scope {
  const scope = openMemory({ clock: systemClock }).store.scope('acme-1');
  const wait = (_: string, { signal }: { readonly signal?: AbortSignal }) =>
    new Promise<never>((_resolve, reject) => {
      const end = (): void => reject(signal?.reason);
      if (signal?.aborted === true) end();
      signal?.addEventListener('abort', end);
    });
  return { ...scope, select: wait, measure: wait };
}

class Client extends EventEmitter {
  destroyed = false;
}

const hasLeft = (error: unknown): boolean => error instanceof Problem && error.code === 'unavailable';

test('a question to the engine ends when the client leaves, and is not waiting of one who has left', async () => {
  const client = new Client();
  const scope = scopeUntilGone(endless(), client);
  const waiting = [scope.select('p', select), scope.measure('p', measure)].map((one) => assert.rejects(one, hasLeft));
  client.destroyed = true;
  client.emit('close');
  await Promise.all(waiting);
  await assert.rejects(scope.select('p', select), hasLeft);
  assert.equal(client.listenerCount('close'), 0);
});

test('an answer leaves nothing at the connection, which has further requests', async () => {
  const client = new Client();
  const scope = scopeUntilGone(openMemory({ clock: systemClock }).store.scope('acme-1'), client);
  assert.deepEqual(await scope.select('p', select), { entries: [], rows: 0, next: undefined });
  assert.equal((await scope.measure('p', measure)).rows, 0);
  assert.equal(client.listenerCount('close'), 0);
});
