import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock } from '../../../lib/clock.ts';
import type { Where } from '../../../lib/where.ts';
import type { Scope } from '../../port.ts';
import { fill, put } from '../../testing/conformance/bench.ts';
import { isLong } from '../../testing/quick.ts';
import { openSqlite } from '../open-sqlite.ts';
import { failOnFatal, temporaryDirectory } from '../testing/temporary-store.ts';

const questions = isLong ? 100_000 : 5_000;
/** So many of them, of many records, go to the threads of long reads. */
const isLongRead = (at: number): boolean => at % 40 === 0;
/** A question that is kept takes some 2,000 bytes. */
const leftMax = 100 * questions;

setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

async function usedHeap(): Promise<number> {
  assert.ok(typeof collectGarbage === 'function');
  collectGarbage();
  // What a collection has found is cleared in a later turn.
  await nextTurn();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** No two of them are one text of SQL. */
function question(at: number): Where {
  const text = { kind: 'contains', path: [`a${at}`], value: `v${at}` } as const;
  const number = { kind: 'compare', operator: 'gt', path: ['n', `b${at}`], type: 'number', value: at } as const;
  return { kind: 'or', parts: [text, number] };
}

async function ask(scope: Scope, at: number): Promise<void> {
  const pk = isLongRead(at) ? 'many' : 'few';
  // As a request has it, whose client may leave.
  const { signal } = new AbortController();
  const both = { where: question(at), rowsMax: 100_000, signal };
  const found = await scope.select(pk, { ...both, limit: 10 });
  const group = [{ path: [`g${at}`], type: 'text' }] as const;
  const figures = await scope.measure(pk, { ...both, group, measures: [{ kind: 'count' }], groupsMax: 10 });
  assert.deepEqual([found.entries.length, figures.groups.length], [0, 0]);
}

test(`${questions} questions that are all different leave the heap as it was`, {
  ...(isLong ? { timeout: 60 * 60_000 } : {}),
}, async (context) => {
  using directory = temporaryDirectory();
  const { store } = await openSqlite({ path: directory.storePath, clock: systemClock, onFatal: failOnFatal });
  const scope = store.scope('acme-1');
  const items = (pk: string, count: number) =>
    Array.from({ length: count }, (_, at) => put(pk, `k${at}`, { value: `{"n":${at}}` }));
  await fill(scope, [...items('few', 10), ...items('many', 4_500)]);
  for (let at = -500; at < 0; at++) await ask(scope, at);
  let left = Number.POSITIVE_INFINITY;
  // Code that is compiled leaves something once; a leak leaves it in each round.
  for (let round = 0; round < 3 && left >= leftMax; round++) {
    const before = await usedHeap();
    for (let at = 0; at < questions; at++) await ask(scope, round * questions + at);
    left = (await usedHeap()) - before;
    context.diagnostic(`${left} bytes are left`);
  }
  await store.close();
  assert.ok(left < leftMax, `${left} bytes are left`);
});
