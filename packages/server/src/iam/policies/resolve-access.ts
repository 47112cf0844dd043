import { type CompiledAccess, compilePolicies, countPatterns } from '../../access/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { everything } from '../founding/founding.ts';
import { adminPolicy, heldPolicies } from './held-policies.ts';

/** A person's policies as one decision function. */
export type Access = CompiledAccess;

/** More than anybody needs, and few enough for an ordinary request of the person to be decided in under a millisecond. */
const statementsPerPersonMax = 500;
/** Of their actions, resources, fields and values of conditions: about as many as one policy of the largest size can have. */
const patternsPerPersonMax = 2500;

/** The permissions of a person in a workspace. */
export interface ResolvedAccess {
  readonly access: Access;
  /** Why all is denied, where the person holds more than is evaluated: leaving one out could leave out a Deny. */
  readonly excess: string | undefined;
}

/**
 * Compiled from the policies that the person holds, unless they are too many, so that their holder does not slow down
 * others.
 */
export async function resolveAccess(workspace: Workspace, userId: string): Promise<ResolvedAccess> {
  const held = await heldPolicies(workspace, userId);
  const excess = describeExcess(countPatterns(held));
  return { access: excess === undefined ? compilePolicies(held) : compilePolicies([]), excess };
}

/** A sentence about a person who holds so much that everything is denied to him. */
export function describeExcess({
  statementCount,
  patternCount,
}: Pick<CompiledAccess, 'statementCount' | 'patternCount'>): string | undefined {
  if (statementCount > statementsPerPersonMax)
    return `the caller holds ${statementCount} statements, and at most ${statementsPerPersonMax} are evaluated`;
  if (patternCount > patternsPerPersonMax)
    return `the caller’s statements have ${patternCount} patterns and values, and at most ${patternsPerPersonMax} are evaluated`;
  return undefined;
}

/** The rights of a builder in a workspace of the test environment that he is no member of. */
export const builderPolicy = {
  policyId: 'builder',
  policyName: adminPolicy,
  via: { kind: 'direct' },
  statements: everything,
} as const;

export const builderAccess: Access = compilePolicies([builderPolicy]);

/** The access of a caller who holds no policy. */
export const noAccess: Access = compilePolicies([]);

/** Whether the claims are of a builder in his own name: he acts (RFC 8693, `act`) for himself only. Needs no grant. */
export function isBuilder({ env, sub, act }: Readonly<Record<string, unknown>>): boolean {
  return env === 'test' && typeof act === 'object' && act !== null && 'sub' in act && act.sub === sub;
}
