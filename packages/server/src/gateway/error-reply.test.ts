import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProblemBody, type ProblemCode, problemStatus } from '@freehold/contract/problem';
import { Problem } from '../lib/problem.ts';
import { createErrorReplies } from './error-reply.ts';

const faults: unknown[] = [];
const known = new Error('known to the store');
const replies = createErrorReplies({
  baseUrl: () => 'http://localhost:4000',
  explain: (error) => (error === known ? new Problem('unavailable', 'the store cannot serve this now') : undefined),
  onFault: (error) => faults.push(error),
});

const bodyOf = (error: unknown): ProblemBody => JSON.parse(replies.reply(error, 'r-1').body ?? '') as ProblemBody;

test('every code has its status, a title and a page of its own', () => {
  for (const [code, status] of Object.entries(problemStatus)) {
    const body = bodyOf(new Problem(code as ProblemCode, 'a sentence', { errors: [] }));
    assert.deepEqual([body.status, body.code, body.detail, body.request_id], [status, code, 'a sentence', 'r-1']);
    assert.equal(body.type, `http://localhost:4000/problems/${code}`);
    assert.ok(body.title.length > 0);
  }
});

test('an internal error reveals nothing to the caller and is written to the log', () => {
  faults.length = 0;
  const secret = Object.assign(new Error('select * from /var/lib/secret'), { detail: 'key' });
  for (const error of [secret, 'text', undefined, { code: 'not_found' }]) {
    const reply = replies.reply(error, 'r-2');
    assert.equal(reply.status, 500);
    assert.ok(!/secret|text|select|key/.test(JSON.stringify(reply)));
  }
  assert.equal(faults.length, 4);
});

test('a failure that the store explains is answered as what it is, and logged as well', () => {
  faults.length = 0;
  const { status, headers } = replies.reply(known, 'r-3');
  assert.deepEqual([status, headers?.['Retry-After'], faults], [503, '1', [known]]);
});

test('a refusal is no fault', () => {
  faults.length = 0;
  replies.reply(new Problem('not_found', 'there is nothing here'), 'r-4');
  assert.deepEqual(faults, []);
});

test('a 401 says how to come in, a 405 what is allowed, a 429 when to come back', () => {
  const headersOf = (problem: Problem) => replies.reply(problem, 'r-5').headers;
  assert.deepEqual(headersOf(new Problem('token_missing', '')), { 'WWW-Authenticate': 'Bearer' });
  assert.match(headersOf(new Problem('token_expired', ''))?.['WWW-Authenticate'] ?? '', /invalid_token/);
  assert.deepEqual(headersOf(new Problem('method_not_allowed', '', { allow: 'GET' })), { Allow: 'GET, OPTIONS' });
  const limited = new Problem('rate_limited', '', { retry_after_seconds: 7 });
  assert.deepEqual(headersOf(limited), { 'Retry-After': '7' });
  assert.equal('retry_after_seconds' in bodyOf(limited), false);
});
