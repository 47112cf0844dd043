import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '../../lib/problem.ts';
import { beginTrace, type CallTrace } from '../call-trace.ts';
import { acquireSlice, withTimeSlice } from './time-slice.ts';

const here = { socket: { destroyed: false } } as IncomingMessage;
const gone = { socket: { destroyed: true } } as IncomingMessage;

function trace(): CallTrace {
  return beginTrace('request', { method: 'GET', traceparent: undefined });
}

/** A call that has taken far more than a share of the event loop, and failed. */
async function takeLong(org: string): Promise<void> {
  await nextTurn();
  const startedAt = { ...trace(), startedAt: performance.now() - 100 };
  const work = () => {
    throw new Problem('conflict', 'no');
  };
  await assert.rejects(withTimeSlice(here, startedAt, { shareKey: { org, workspace: '' }, work }), { message: 'no' });
}

test('after a call that took long the calls of its org wait, also where it failed', async () => {
  await takeLong('greedy');
  const turn = acquireSlice(here, trace(), { org: 'greedy', workspace: 'another' });
  assert.ok(turn instanceof Promise);
  await turn;
});

test('a call that waits is answered', async () => {
  await takeLong('busy');
  const work = () => 'done';
  assert.equal(await withTimeSlice(here, trace(), { shareKey: { org: 'busy', workspace: '' }, work }), 'done');
});

test('nothing is done for a caller who has left while it waited', async () => {
  await takeLong('left');
  let isDone = false;
  const work = () => {
    isDone = true;
  };
  const shareKey = { org: 'left', workspace: '' };
  await assert.rejects(withTimeSlice(gone, trace(), { shareKey, work }), { code: 'unavailable' });
  assert.equal(isDone, false);
});
