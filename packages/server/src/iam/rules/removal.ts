import { settingOf, systemConfig } from '../../config/port.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import {
  type Actor,
  type PlannedChange,
  planUpdate,
  type RecordData,
  type RecordWrite,
  systemData,
  unconditional,
} from '../../records/port.ts';
import { systemEntity } from '../../schema/port.ts';
import type { Change, Scope } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { auditEntriesOfWrite } from '../audited-changes.ts';
import { type NewRecord, unruled } from '../founding/founding.ts';
import { workspaceTemplates } from '../founding/templates-setting.ts';
import { groupLink, type LinkKind, linksTo, noLinkTo, policyLink, removeLinks } from '../members/links.ts';
import { isServicePrincipal } from '../members/member.ts';
import { groupIndexChanges, groupsWith, noGroupWith, policyIdsOf, readRecords } from '../policies/held-policies.ts';

/** Removes a policy or group from its holders in the commit that removes it. */

/** The names of a workspace's policies beside its records: other modules keep them. */
export interface PolicyNaming {
  /** The name of the policy that new members get. */
  readonly defaultAccess: (scope: Scope) => Promise<string | undefined>;
  /** Of each open invitation that grants the policy, the changes that withdraw it. */
  readonly invitations: (write: RecordWrite, policyId: string) => Promise<readonly (readonly Change[])[]>;
}

export interface PolicyRemovalDeps {
  readonly clock: Clock;
  readonly naming: PolicyNaming;
}

/** They go in one commit with what they hold. */
export const detachedMax = 100;

/**
 * Takes a policy from people, servers, groups and invitations where that is wanted by force. @throws Problem `in_use`
 * where it is held and not wanted, held by too many, or given to new members.
 */
export async function releasePolicy(
  { clock, naming }: PolicyRemovalDeps,
  write: RecordWrite,
  { id, name }: RecordData,
): Promise<readonly PlannedChange[]> {
  const { scope } = write.workspace;
  if ((await naming.defaultAccess(scope)) === name)
    throw new Problem('in_use', 'new members get the policy: give another one to `default_member_access` first');
  const { policies, groups } = templatesOf(write);
  if (policies.some((one) => one.name === name) || groups.some((one) => one.acl_policies.includes(String(name))))
    throw namedByTemplate('policy');
  const limit = detachedMax + 1;
  const [links, holding, invitations] = await Promise.all([
    linksOf(write, policyLink, id),
    groupsWith(scope, id, limit),
    naming.invitations(write, id),
  ]);
  refuseHeld(write, { ...links.held, groups: holding.length, invitations: invitations.length });
  const rewritten = holding.map((group) => {
    const data = systemData(group);
    const body = { acl_policies: policyIdsOf(data).filter((one) => one !== id) };
    return rewrittenRecord(clock, write, { entity: 'group', id: data.id, body });
  });
  return [
    ...links.removed,
    ...(await Promise.all(rewritten)).flat(),
    ...invitations.flat().map(unconditional),
    { change: noGroupWith(id), onConflict: 'replan' },
  ];
}

/** The same for the members of a group. @throws Problem `in_use`. */
export async function releaseGroup(write: RecordWrite, { id, name }: RecordData): Promise<readonly PlannedChange[]> {
  if (templatesOf(write).groups.some((one) => one.name === name)) throw namedByTemplate('group');
  const { held, removed } = await linksOf(write, groupLink, id);
  refuseHeld(write, held);
  return removed;
}

function templatesOf({ config, workspace }: RecordWrite) {
  return settingOf(config, workspace.env, workspaceTemplates);
}

function namedByTemplate(what: 'policy' | 'group'): Problem {
  return new Problem('in_use', `\`${workspaceTemplates.key}\` names the ${what}: take it out of the template first`);
}

/** The links to a policy or group, with what removes them, so that none is left that points nowhere. */
async function linksOf({ workspace }: RecordWrite, kind: LinkKind, id: string) {
  const found = await linksTo(workspace.scope, kind, { id, limit: detachedMax + 1 });
  const items = found.map(({ item }) => item);
  const holders = [...new Set(items.map((link) => String(systemData(link).user_id)))];
  const people = await readRecords(workspace, 'user', holders);
  const keys = people.filter((user) => isServicePrincipal(systemData(user))).length;
  const removed: readonly PlannedChange[] = [
    ...(await removeLinks(workspace.scope, kind, items)),
    { change: noLinkTo(kind, id), onConflict: 'replan' },
  ];
  return { held: { users: items.length - keys, keys }, removed };
}

const holders = {
  users: ['user', 'users'],
  keys: ['key', 'keys'],
  groups: ['group', 'groups'],
  invitations: ['open invitation', 'open invitations'],
} as const;

/** @throws Problem `in_use`. */
function refuseHeld({ force }: RecordWrite, held: Readonly<Partial<Record<keyof typeof holders, number>>>): void {
  const numbers = Object.values(held);
  const sum = numbers.reduce((all, one) => all + one, 0);
  if (sum === 0 || (force === true && sum <= detachedMax)) return;
  const named = Object.entries(holders).flatMap(([kind, [one, many]]) => {
    const number = held[kind as keyof typeof holders] ?? 0;
    return number === 0 ? [] : [`${number} ${number === 1 ? one : many}`];
  });
  const next =
    sum > detachedMax
      ? `\`force\` takes it from at most ${detachedMax} in one call: take it away from some first`
      : 'take it away first, or delete it with `force`';
  const isCut = numbers.some((number) => number > detachedMax);
  throw new Problem(
    'in_use',
    `${named.join(', ')}${isCut ? ' or more' : ''} ${sum === 1 ? 'holds' : 'hold'} it: ${next}`,
    { held_by: held },
  );
}

/** A record of access control that the platform itself changes, with its audit entry. */
export async function rewrittenRecord(
  clock: Clock,
  call: { readonly workspace: Workspace; readonly actor: Actor },
  { entity, id, body }: NewRecord,
): Promise<readonly PlannedChange[]> {
  const { workspace, actor } = call;
  const wanted = { workspace, actor, config: systemConfig, entity: systemEntity(entity) };
  const plan = await planUpdate({ clock, ...unruled }, wanted, { id, body });
  const [before, after] = [plan.before.data, plan.data];
  const index = groupIndexChanges({ id, key: plan.key }, policyIdsOf(before), policyIdsOf(after));
  return [
    ...plan.changes,
    ...auditEntriesOfWrite(clock, entity, { workspace, actor, before, after }),
    ...(entity === 'group' ? index : []),
  ];
}
