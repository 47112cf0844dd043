import type { WriteContext } from '../../records/port.ts';
import type { Change } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { refuseEscalation } from '../rules/escalation.ts';
import { readPolicies } from './held-policies.ts';
import { sameEpoch } from './policy-epoch.ts';
import { policyIdByName } from './policy-names.ts';

/**
 * What a commit must check if it promises a policy to a person who does not hold it yet. Undefined where there is no
 * such policy. @throws Problem `escalation_refused` where the caller may not grant it.
 */
export async function promisePolicy(
  context: WriteContext,
  policy: { readonly id: string } | { readonly name: string },
): Promise<readonly Change[] | undefined> {
  const { scope } = context.workspace;
  const unchanged = await sameEpoch(scope);
  const id = 'id' in policy ? policy.id : await policyIdByName(scope, policy.name);
  const after = id === undefined ? [] : await readPolicies(context.workspace, [id]);
  if (after.length === 0) return undefined;
  await refuseEscalation(context, { before: [], after });
  return [unchanged];
}

/** The same for a caller who may grant every policy of the workspace: an admin of its org. */
export async function knownPolicy(workspace: Workspace, id: string): Promise<readonly Change[] | undefined> {
  const unchanged = await sameEpoch(workspace.scope);
  return (await readPolicies(workspace, [id])).length === 0 ? undefined : [unchanged];
}
