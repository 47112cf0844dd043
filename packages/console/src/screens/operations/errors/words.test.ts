import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causeSentence, errorSentence } from './words.ts';

const failed = {
  at: '2026-11-26T22:00:00.000Z',
  times: 1,
  first_at: '2026-11-26T22:00:00.000Z',
  kind: 'request',
  request_id: 'one',
  gateway: 'app',
  method: 'POST',
  route: '/app/:org/:entity',
  status: 500,
  problem: 'internal',
  org: 'acme',
  env: 'test',
  job: null,
  fault: { name: 'TypeError', code: null, message: null, place: 'records/record.ts:12' },
} as const;

test('a request that failed is told by its route and status, work in the background by its name', () => {
  assert.equal(errorSentence(failed), '`POST /app/:org/:entity` was answered 500');
  assert.equal(errorSentence({ ...failed, status: null }), '`POST /app/:org/:entity` ended before its reply');
  assert.equal(errorSentence({ ...failed, route: null }), '`POST`, which reached no route, was answered 500');
  assert.equal(errorSentence({ ...failed, kind: 'background', job: 'purge' }), 'the background work `purge` failed');
  assert.equal(errorSentence({ ...failed, kind: 'background' }), 'work in the background failed');
});

test('a cause is told by its class, code and sentence, or by the refusal of the platform', () => {
  assert.equal(causeSentence(failed), 'TypeError. The log of the node has its sentence.');
  const full = { name: 'SystemError', code: 'ENOSPC', message: 'no space left', place: null };
  assert.equal(causeSentence({ ...failed, fault: full }), 'SystemError ENOSPC: no space left');
  assert.equal(
    causeSentence({ ...failed, fault: null, problem: 'unavailable' }),
    'The platform refused it: unavailable.',
  );
  assert.equal(causeSentence({ ...failed, fault: null, problem: null }), 'The log of the node says more.');
});
