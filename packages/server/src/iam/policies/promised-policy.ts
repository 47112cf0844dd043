import type { WriteContext } from '../../records/port.ts';
import type { Change, Scope } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { refuseEscalation } from '../rules/escalation.ts';
import { readPolicies } from './held-policies.ts';
import { moveEpoch, sameEpoch } from './policy-epoch.ts';
import { policyIdByName } from './policy-names.ts';

/**
 * What a commit must have that promises a policy to a person who does not hold it yet. A promise is made, so that a
 * policy which is removed at the same time is found to be promised, or kept by one that hands on what was promised.
 */
export type PromiseStep = 'made' | 'kept';

/** Undefined where there is no such policy. @throws Problem `escalation_refused` where the caller may not grant it. */
export async function promisePolicy(
  context: WriteContext,
  policy: { readonly id: string } | { readonly name: string },
  step: PromiseStep,
): Promise<readonly Change[] | undefined> {
  const { scope } = context.workspace;
  const unchanged = await epochOf(scope, step);
  const id = 'id' in policy ? policy.id : await policyIdByName(scope, policy.name);
  const after = id === undefined ? [] : await readPolicies(context.workspace, [id]);
  if (after.length === 0) return undefined;
  await refuseEscalation(context, { before: [], after });
  return [unchanged];
}

/** The same for a caller who may grant every policy of the workspace: an admin of its org. */
export async function knownPolicy(
  workspace: Workspace,
  id: string,
  step: PromiseStep,
): Promise<readonly Change[] | undefined> {
  const unchanged = await epochOf(workspace.scope, step);
  return (await readPolicies(workspace, [id])).length === 0 ? undefined : [unchanged];
}

async function epochOf(scope: Scope, step: PromiseStep): Promise<Change> {
  return step === 'made' ? (await moveEpoch(scope)).change : sameEpoch(scope);
}
