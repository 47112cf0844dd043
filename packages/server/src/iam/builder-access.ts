import { compilePolicies } from '../access/port.ts';
import { everything } from './founding/founding.ts';
import { adminPolicy } from './policies/policy-names.ts';
import type { Access } from './policies/resolve-access.ts';

/** What a builder may do in a workspace of the test environment that he is no member of. */
export const builderPolicy = {
  policyId: 'builder',
  policyName: adminPolicy,
  via: { kind: 'direct' },
  statements: everything,
} as const;

export const builderAccess: Access = compilePolicies([builderPolicy]);

/** What a caller may do who holds no policy. */
export const noAccess: Access = compilePolicies([]);

/** Whether the claims are of a builder in his own name: he acts (RFC 8693, `act`) for himself only. Needs no grant. */
export function isBuilder({ env, sub, act }: Readonly<Record<string, unknown>>): boolean {
  return env === 'test' && typeof act === 'object' && act !== null && 'sub' in act && act.sub === sub;
}
