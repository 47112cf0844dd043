/** Calls of the operator, by the key that plans are given with. */
import assert from 'node:assert/strict';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import { type CallOptions, call, type Reply } from './call.ts';
import type { AppUser, Org } from './org.ts';
import { operatorKey } from './plans.ts';
import type { Gateways } from './platform.ts';

export function operate<Body>(
  { management }: Gateways,
  path: string,
  options: CallOptions & { readonly method?: string } = {},
): Promise<Reply<Body>> {
  const { method = 'GET', ...rest } = options;
  return call<Body>(method, `${management}/platform${path}`, { token: operatorKey, ...rest });
}

/** What the operator is shown. */
export async function shown<Body>(gateways: Gateways, path: string): Promise<Body> {
  const reply = await operate<Body>(gateways, path);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** A route of the operator is closed to every other caller, and takes no parameters and methods but its own. */
export async function assertForOperatorAlone(path: string, founded: { org: Org; founder: AppUser }): Promise<void> {
  const { org, founder } = founded;
  const url = `${org.management}/platform${path}`;
  assertProblem(await call('GET', url), 'token_missing');
  const wrong = [org.builder.token, founder.token, operatorKey.toLowerCase(), operatorKey.slice(1), `${operatorKey}x`];
  for (const token of wrong) assertProblem(await call('GET', url, { token }), 'token_invalid');
  for (const headers of [{ cookie: `freehold=${operatorKey}` }, { 'x-service-token': operatorKey }])
    assertRefusal(await call('GET', url, { headers }), [401]);
  assertProblem(await operate(org, `${path}${path.includes('?') ? '&' : '?'}constructor=1`), 'invalid_request');
  assertRefusal(await operate(org, path, { method: 'DELETE' }), [405]);
}
