import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginTrace } from '../gateway/call-trace.ts';
import { createTextCallLog } from './watch-calls.ts';

function lineOf(target: string, { status, problem }: { status?: number; problem?: 'not_found' } = {}): string {
  const lines: string[] = [];
  const trace = beginTrace('r', { method: 'POST', target, traceparent: undefined });
  const isWhole = status !== undefined;
  createTextCallLog((line) => lines.push(line))({ ...trace, problem }, { status, isWhole, milliseconds: 2.61 });
  return lines.join('');
}

test('a line for a person names the call, its status and its time, and the problem where there is one', () => {
  assert.equal(lineOf('/app/demo/create/ticket', { status: 201 }), 'POST /app/demo/create/ticket 201 2.6 ms\n');
  assert.equal(lineOf('/nowhere', { status: 404, problem: 'not_found' }), 'POST /nowhere 404 2.6 ms  not_found\n');
  assert.equal(lineOf('/app/demo/export/ticket'), 'POST /app/demo/export/ticket cut off 2.6 ms\n');
});

test('a line for a person holds no query and nothing that would steer a terminal', () => {
  assert.equal(lineOf('/list/user?email=a@b.example\n', { status: 200 }), 'POST /list/user 200 2.6 ms\n');
  assert.equal(lineOf('/\u001b[31mred\u009b', { status: 200 }), 'POST /?[31mred? 200 2.6 ms\n');
});
