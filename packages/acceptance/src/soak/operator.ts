/** The operator of the platform: who scrapes its metrics and changes its keys. */
import { randomBytes } from 'node:crypto';
import { type CallOptions, call, type Reply } from '../call.ts';
import type { Gateways } from '../platform.ts';

const operatorKey = randomBytes(32).toString('hex');

export const operatorEnv = { FREEHOLD_OPERATOR_KEY: operatorKey };

export function operate<Body = Readonly<Record<string, unknown>>>(
  { management }: Gateways,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Reply<Body>> {
  return call<Body>(method, management + path, { token: operatorKey, ...options });
}
