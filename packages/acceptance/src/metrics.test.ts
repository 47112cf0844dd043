/** Which metrics a platform exposes to Prometheus, and to which callers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { act, appUrl, foundedOrg, random } from './org.ts';
import { runToEnd } from './platform.ts';
import { platformForTests, platformOf } from './platform-for-tests.ts';

const operatorKey = 'g7Vt2kQx9LmZp4RwYb6NsHc3JdFe8TuA';
const productionEnv = { FREEHOLD_MODE: 'production', FREEHOLD_HOST: '127.0.0.1' };
const series = /^[a-z_]+(?:\{[a-z_]+="[^"\\]*"(?:,[a-z_]+="[^"\\]*")*\})? [\d.e+-]+$/;

/** The value of a series by its whole name. */
function valueIn(text: string, name: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  assert.ok(line !== undefined, `${name} in\n${text}`);
  return Number(line.slice(name.length));
}

test('in development metrics need no key', async (t) => {
  const { app, management } = await platformForTests();
  for (const options of [{}, { token: operatorKey }])
    assert.equal((await call('GET', `${management}/metrics`, options)).status, 200);
  assertProblem(await call('GET', `${management}/metrics?org=acme`), 'invalid_request');
  assertProblem(await call('GET', `${app}/metrics`), 'not_found');
  const locked = await platformOf(t, { env: productionEnv });
  assertProblem(await call('GET', `${locked.management}/metrics`, { token: operatorKey }), 'not_found');
});

test('in production metrics are for the operator key alone, and never on the app gateway', async (t) => {
  const platform = await platformOf(t, { env: { ...productionEnv, FREEHOLD_OPERATOR_KEY: operatorKey } });
  const { org, founder } = await foundedOrg(platform);
  assertProblem(await call('GET', `${platform.app}/metrics`, { token: operatorKey }), 'not_found');
  assertProblem(await call('GET', `${platform.management}/metrics`), 'token_missing');
  for (const token of [org.builder.token, founder.token, `${operatorKey}A`])
    assertProblem(await call('GET', `${platform.management}/metrics`, { token }), 'token_invalid');
  const requested = await call('GET', `${platform.management}/metrics?org=${org.code}`, { token: operatorKey });
  assertProblem(requested, 'invalid_request');
});

test('metrics show calls, the store, caches, denials and the process, and no user', async (t) => {
  const platform = await platformOf(t, { env: { FREEHOLD_OPERATOR_KEY: operatorKey } });
  const { org, founder } = await foundedOrg(platform);
  const canary = `canary${random()}`;
  for (let count = 0; count < 3; count++) await act(founder, 'GET', `/list/user?email=${canary}`);
  await call('GET', appUrl(org, `/list/${canary}`), { token: canary });
  await call('GET', `${platform.app}/${canary}`);
  const reply = await call('GET', `${platform.management}/metrics`, { token: operatorKey });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const { text } = reply;
  for (const line of text.trimEnd().split('\n')) assert.match(line, line.startsWith('#') ? /^# (HELP|TYPE) / : series);
  const calls = (route: string, status: string) =>
    valueIn(text, `freehold_call_seconds_count{gateway="app",method="GET",route="${route}",status="${status}"}`);
  assert.deepEqual([calls('/app/:org/list/:entity', '2xx'), calls('/app/:org/list/:entity', '4xx')], [3, 1]);
  assert.equal(calls('none', '4xx'), 1);
  assert.ok(valueIn(text, 'freehold_store_seconds_count{space="test",call="commit"}') > 0);
  assert.ok(valueIn(text, 'freehold_cache_hits_total{cache="token"}') > 0);
  assert.ok(valueIn(text, 'process_resident_memory_bytes') > 1e6);
  valueIn(text, 'freehold_event_loop_lag_seconds{statistic="p99"}');
  const secrets = [canary, org.code, founder.id, founder.email, org.builder.email, founder.token, operatorKey];
  for (const secret of secrets) assert.ok(!text.includes(secret), secret);
});

test('an address of their own serves metrics without a key, and nothing else', async (t) => {
  const platform = await platformOf(t, { env: { FREEHOLD_METRICS_LISTEN: '127.0.0.1:0' } });
  const { founder } = await foundedOrg(platform);
  const reported = /metrics are served at (http:\/\/127\.0\.0\.1:\d+)\/metrics/.exec(platform.stderr())?.[1] ?? '';
  assert.match((await call('GET', `${reported}/metrics`)).text, /^freehold_call_seconds_count/m);
  for (const path of ['/healthz', '/readyz']) assert.equal((await call('GET', reported + path)).status, 200);
  for (const path of [`/app/${founder.org.code}/list/user`, '/auth/login', '/platform/keys', '/inbox'])
    assertProblem(await call('GET', reported + path, { token: founder.token }), 'not_found');
  assert.deepEqual(await platform.terminate(), { code: 0, signal: null });
});

test('an address for metrics that is none is a mistake', async () => {
  for (const address of ['9464', 'localhost:9464', '127.0.0.1', '127.0.0.1:99999', '::1:9464']) {
    const run = await runToEnd([], { env: { FREEHOLD_METRICS_LISTEN: address } });
    assert.equal(run.code, 2);
    assert.match(run.stderr, /FREEHOLD_METRICS_LISTEN must be an IP address and a port/);
  }
});
