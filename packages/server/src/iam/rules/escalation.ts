import {
  type Escalation,
  type Excess,
  findEscalation,
  type GrantChange,
  haveExceptions,
  type RenamedEntity,
} from '../../access/port.ts';
import { type ConfigSet, settingOf } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import type { WriteContext } from '../../records/port.ts';
import { isBuilder } from '../builder-access.ts';
import { escalationCheck } from '../policies/escalation-check.ts';
import { heldPolicies } from '../policies/held-policies.ts';

/**
 * A caller may only grant what its own permissions cover, and may not lift a Deny that limits it. What the caller holds
 * is read after the policy epoch, so that it still holds it when the write commits.
 * @throws Problem `escalation_refused`.
 */
export async function refuseEscalation(context: WriteContext, change: GrantChange): Promise<void> {
  if (isBuilder(context.actor.claims) || (change.before.length === 0 && change.after.length === 0)) return;
  if (!settingOf(context.config, context.workspace.env, escalationCheck)) return;
  const held = await heldPolicies(context.workspace, context.actor.userId);
  const hasExceptions = [held, change.before, change.after].some(haveExceptions);
  const renamed = hasExceptions ? await renamedEntities(context.config) : undefined;
  const found = findEscalation(change, held, { renamed });
  if (found !== undefined) throw new Problem('escalation_refused', sentenceOf(found));
}

async function renamedEntities(config: ConfigSet): Promise<readonly RenamedEntity[]> {
  const entities: RenamedEntity[] = [];
  for (const name of config.entityNames) {
    const naming = (await config.entity(name))?.naming;
    if (naming === undefined) continue;
    entities.push({ name, fields: [...new Set(naming.byName.values())].filter((names) => names.length > 1) });
  }
  return entities;
}

function sentenceOf(escalation: Escalation): string {
  switch (escalation.kind) {
    case 'uncovered':
      return `${startOf(escalation, 'allows')}, which the caller's own policies do not cover`;
    case 'denied':
      return `${startOf(escalation, 'allows')}, of which the caller's own policies deny a part`;
    case 'lifted':
      return `${startOf(escalation, 'denies')} to the caller as well, who may not lift it`;
    case 'too_much':
      return 'the policies concerned have too many patterns to tell whether the caller may grant them';
  }
}

function startOf(excess: Excess, verb: 'allows' | 'denies'): string {
  const { policyName, position, Sid, action, resource } = excess;
  const label = Sid === undefined || Sid === '' ? String(position + 1) : `\`${shown(Sid)}\``;
  return `statement ${label} of policy \`${shown(policyName)}\` ${verb} \`${shown(action)}\` on \`${shown(resource)}\``;
}

function shown(input: string): string {
  return (input.length > 64 ? `${input.slice(0, 64)}…` : input).toWellFormed();
}
