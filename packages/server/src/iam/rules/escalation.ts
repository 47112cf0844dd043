import { whyNotGranted } from '../../access/port.ts';
import { type ConfigSet, type SettingType, settingOf } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import type { WriteContext } from '../../records/port.ts';
import type { Change, Scope } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { moveEpoch, sameEpoch } from '../policies/epochs.ts';
import { heldPolicies, policyIdByName, readPolicies } from '../policies/held-policies.ts';
import { isBuilder } from '../policies/resolve-access.ts';

/**
 * A caller may only grant what its own permissions cover, and may not lift a Deny that limits it. What the caller holds
 * is read after the policy epoch, so that it still holds it when the write commits.
 * @throws Problem `escalation_refused`.
 */
export async function refuseEscalation(
  context: WriteContext,
  change: Parameters<typeof whyNotGranted>[0],
): Promise<void> {
  if (isBuilder(context.actor.claims) || (change.before.length === 0 && change.after.length === 0)) return;
  if (!settingOf(context.config, context.workspace.env, escalationCheck)) return;
  const held = await heldPolicies(context.workspace, context.actor.userId);
  const reason = await whyNotGranted(change, held, () => renamedEntities(context.config));
  if (reason !== undefined) throw new Problem('escalation_refused', reason);
}

async function renamedEntities(config: ConfigSet) {
  const entities: { readonly name: string; readonly fields: readonly (readonly string[])[] }[] = [];
  for (const name of config.entityNames) {
    const naming = (await config.entity(name))?.naming;
    if (naming === undefined) continue;
    entities.push({ name, fields: [...new Set(naming.byName.values())].filter((names) => names.length > 1) });
  }
  return entities;
}

export const escalationCheck: SettingType<boolean> = {
  key: 'acl.escalation_check',
  description: 'Whether callers may grant only permissions that their own policies cover.',
  byDefault: true,
  schema: { type: 'boolean' },
  parse: (input) => {
    if (typeof input === 'boolean') return { value: input };
    return { errors: [{ pointer: '', code: 'wrong_type', message: 'must be `true` or `false`' }] };
  },
  widens: (_before, after) => (after ? [] : ['callers may grant permissions that they do not hold']),
};

/**
 * The step of a commit that promises a policy to a person who does not hold it yet. It makes the promise, so that a
 * policy removed at the same time is found to be promised, or keeps it when it hands on a promised policy.
 */
type PromiseStep = 'made' | 'kept';

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
