/** The log has one line for each call, by which an operator finds it again, and which tells nothing of what was sent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CallOptions, call, type Reply } from './call.ts';
import { act, appUrl, foundedOrg, manage, random } from './org.ts';
import type { Platform } from './platform.ts';
import { platformOf } from './platform-for-tests.ts';

type Line = Readonly<Record<string, unknown>>;

/** The log of calls, read after the platform has ended. */
async function linesOf(platform: Platform): Promise<readonly Line[]> {
  await platform.terminate();
  const lines = platform.stderr().split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === 'call');
}

function lineOf(lines: readonly Line[], reply: Reply<unknown>): Line {
  const found = lines.filter(({ request_id }) => request_id === reply.headers.get('x-request-id'));
  assert.equal(found.length, 1, JSON.stringify(found));
  const { level, time, ms, msg, request_id, ...reported } = found[0] ?? {};
  assert.ok(level === 30 && Number(time) > 0 && Number(ms) > 0, JSON.stringify(found));
  return reported;
}

test('J04: each call has one line with its route, its status and its caller, and nothing of what was sent', async (t) => {
  const platform = await platformOf(t);
  const { org, founder } = await foundedOrg(platform);
  const canary = `canary-${random()}`;
  const headers = { 'user-agent': canary, referer: `https://${canary}.example`, 'x-request-id': canary };
  const listed = await act(founder, 'GET', `/list/user?email=${canary}`, { headers });
  const missing = await act(founder, 'GET', `/item/user/${canary}`, { headers });
  const refused = await call('GET', `${appUrl(org, '/list/user')}?q=${canary}`, { token: canary, headers });
  const nowhere = await call('GET', `${platform.app}/${canary}`, { headers });
  const settings = await manage(org, 'GET', '/org/settings', { headers });
  const wrong = await call('POST', `${platform.management}/auth/login`, {
    body: { email: `${canary}@example.com`, password: canary },
    headers,
  });
  const lines = await linesOf(platform);
  const caller = { org: org.code, env: 'test', principal: founder.id };
  const ofApp = { gateway: 'app', method: 'GET' };
  const list = { ...ofApp, route: '/app/:org/list/:entity' };
  assert.deepEqual(lineOf(lines, listed), { ...list, status: listed.status, ...caller });
  assert.deepEqual(lineOf(lines, missing), {
    ...ofApp,
    route: '/app/:org/item/:entity/:id',
    status: missing.status,
    problem: 'not_found',
    ...caller,
  });
  assert.deepEqual(lineOf(lines, refused), { ...list, status: 401, problem: 'token_invalid' });
  assert.deepEqual(lineOf(lines, nowhere), { ...ofApp, status: 404, problem: 'not_found' });
  const { principal, ...ofSettings } = lineOf(lines, settings);
  assert.deepEqual(ofSettings, {
    gateway: 'management',
    method: 'GET',
    route: '/org/settings',
    status: 200,
    org: org.code,
  });
  assert.match(String(principal), /^[0-9a-f-]{36}$/);
  const problem = 'credentials_invalid';
  const login = { gateway: 'management', method: 'POST', route: '/auth/login', status: 401, problem };
  assert.deepEqual(lineOf(lines, wrong), login);
  assert.ok(!platform.stderr().includes(canary));
});

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';

test('the line of a call tells the trace that it is part of, where `traceparent` is one', async (t) => {
  const platform = await platformOf(t);
  const traced = (traceparent: string): CallOptions => ({ headers: { traceparent } });
  const ask = (options: CallOptions) => call('GET', `${platform.app}/nowhere`, options);
  const good = await Promise.all(
    [`00-${traceId}-${parentId}-01`, `01-${traceId}-${parentId}-00-more`].map((text) => ask(traced(text))),
  );
  const bad = await Promise.all(
    [
      `ff-${traceId}-${parentId}-01`,
      `00-${'0'.repeat(32)}-${parentId}-01`,
      `00-${traceId}-${'0'.repeat(16)}-01`,
      `00-${traceId}-${parentId}-01-more`,
      `00-${traceId.toUpperCase()}-${parentId}-01`,
      `${traceId}","msg":"forged`,
    ].map((text) => ask(traced(text))),
  );
  const lines = await linesOf(platform);
  for (const reply of good) assert.equal(lineOf(lines, reply).trace_id, traceId);
  for (const reply of bad) assert.equal(lineOf(lines, reply).trace_id, undefined);
});

test('probes have no line, and above `info` no call has one', async (t) => {
  const platform = await platformOf(t);
  for (const path of ['/healthz', '/readyz']) await call('GET', platform.app + path);
  const seen = await call('GET', `${platform.app}/nowhere`);
  const lines = await linesOf(platform);
  assert.deepEqual(
    lines.map(({ request_id }) => request_id),
    [seen.headers.get('x-request-id')],
  );
  const quiet = await platformOf(t, { env: { FREEHOLD_LOG_LEVEL: 'warn' } });
  await call('GET', `${quiet.app}/nowhere`);
  await quiet.terminate();
  assert.equal(quiet.stderr(), '');
});
