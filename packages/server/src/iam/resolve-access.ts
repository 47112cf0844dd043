import { type CompiledAccess, compilePolicies } from '../access/decide.ts';
import type { Workspace } from '../entities/workspace.ts';
import { Problem } from '../lib/problem.ts';
import { heldPolicies } from './held-policies.ts';

/** A person's policies as one decision function. */
export type Access = CompiledAccess;

/** More than anybody needs, and few enough for every request of the person to be decided in well under a millisecond. */
const statementsPerPersonMax = 500;

/**
 * What a person may do in a workspace, compiled from the policies that the person holds.
 * @throws Problem `access_denied` where they are more than are evaluated: leaving one out could leave out a Deny.
 */
export async function resolveAccess(workspace: Workspace, userId: string): Promise<Access> {
  const access = compilePolicies(await heldPolicies(workspace, userId));
  const excess = describeExcess(access);
  if (excess !== undefined) throw new Problem('access_denied', excess, { reason: 'implicit_deny' });
  return access;
}

/** A sentence about a person who holds so much that everything is denied to him. */
export function describeExcess({ statementCount }: Access): string | undefined {
  if (statementCount <= statementsPerPersonMax) return undefined;
  return `the caller holds ${statementCount} statements, and at most ${statementsPerPersonMax} are evaluated`;
}
