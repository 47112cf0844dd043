import { type CompiledAccess, compilePolicies } from '../access/decide.ts';
import type { Workspace } from '../entities/workspace.ts';
import { heldPolicies } from './held-policies.ts';

/** A person's policies as one decision function. */
export type Access = CompiledAccess;

/** What a person may do in a workspace, compiled from the policies that the person holds. */
export async function resolveAccess(workspace: Workspace, userId: string): Promise<Access> {
  return compilePolicies(await heldPolicies(workspace, userId));
}
