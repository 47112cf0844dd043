import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reply } from '../../api/reply.ts';
import { readRaw } from '../../api/testing/raw-request.ts';
import { createConfigReader } from '../../config/config-reader.ts';
import { Problem } from '../../lib/problem.ts';
import { orgs } from '../../people/org-users/org-directory.ts';
import { createAppOrigins } from '../../people/settings/allowed-domains.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { beginTrace } from '../call-trace.ts';
import { createErrorReplies } from '../error-reply.ts';
import { createManagementOrigin, withCors } from './cors.ts';

const clock = { now: () => Date.parse('2026-01-31T12:00:00Z') };
const page = 'http://localhost:3000';
const stranger = 'https://stranger.example';

async function openPages() {
  const { store } = await openStore({ kind: 'memory', clock });
  const platform = store.scope('platform');
  await platform.commit([{ kind: 'put', ...orgs.key('acme'), value: JSON.stringify({ code: 'acme' }), if: 'absent' }]);
  const configs = createConfigReader({ store, clock });
  return {
    origins: createAppOrigins({ platform, configs: { test: configs, prod: configs }, clock }),
    managementOrigin: createManagementOrigin('https://admin.example.com'),
  };
}

const errors = createErrorReplies({
  baseUrl: () => 'https://api.example.com',
  explain: () => undefined,
  onFault: (error) => assert.fail(String(error)),
});

/** The reply that a page of the origin gets where a handler answers so. */
async function replyTo(origin: string, answer: () => Promise<Reply>): Promise<Reply> {
  const pages = await openPages();
  return readRaw(['GET /app/acme/list/order HTTP/1.1', `Origin: ${origin}`], (incoming) => {
    const trace = beginTrace('r1', { method: incoming.method, traceparent: undefined });
    return withCors(pages, { incoming, errors, trace }, answer);
  });
}

test('a reply to a page of an unlisted origin keeps all headers but those that let it in', async () => {
  const headers = { ETag: '"1"', Location: '/x', 'Access-Control-Expose-Headers': 'x-service-token' };
  const answer = async () => ({ status: 200, body: '{}', headers });
  assert.deepEqual(await replyTo(stranger, answer), {
    ...{ status: 200, body: '{}' },
    headers: { ETag: '"1"', Location: '/x' },
  });
  const { headers: letIn = {} } = await replyTo(page, answer);
  assert.deepEqual(letIn, { ...headers, 'Access-Control-Allow-Origin': page });
});

test('a refusal keeps its headers, and is read by pages of listed origins alone', async () => {
  const refuse = async () => Promise.reject(new Problem('rate_limited', 'wait', { retry_after_seconds: 3 }));
  const kept = await replyTo(stranger, refuse);
  assert.deepEqual([kept.status, kept.headers], [429, { 'Retry-After': '3' }]);
  const { status, headers = {} } = await replyTo(page, refuse);
  assert.deepEqual([status, headers['Retry-After'], headers['Access-Control-Allow-Origin']], [429, '3', page]);
  assert.ok(headers['Access-Control-Expose-Headers']?.split(', ').includes('Retry-After'));
});
