import { findEscalation } from '../../access/port.ts';
import type { WorkspaceTemplates } from './workspace-templates.ts';

type Policy = WorkspaceTemplates['policies'][number];
type Group = WorkspaceTemplates['groups'][number];

/** Whose policies and groups a sentence is about: those of new workspaces, or of a workspace that exists. */
export type WidenedOf = 'new workspaces' | 'the workspace';

/** What people in new workspaces may do by their templates that they could not by those before, a sentence each. */
export function widenedTemplates(before: WorkspaceTemplates, after: WorkspaceTemplates): readonly string[] {
  return [
    ...after.policies.flatMap((policy) => widenedPolicy(named(before.policies, policy), policy)),
    ...after.groups.flatMap((group) => widenedGroup(before, named(before.groups, group), group)),
  ];
}

function named<One extends { readonly name: string }>(list: readonly One[], { name }: One): One | undefined {
  return list.find((one) => one.name === name);
}

/** Compared as if a holder of the old policy granted the new one. */
export function widenedPolicy(
  before: Policy | undefined,
  after: Policy,
  of: WidenedOf = 'new workspaces',
): readonly string[] {
  const { name } = after;
  if (before === undefined) {
    const gets = of === 'new workspaces' ? `${of} get` : `${of} gets`;
    return allows(after) ? [`${gets} the policy \`${name}\``] : [];
  }
  const [was, is] = [before, after].map(({ statements }) => ({ policyId: name, policyName: name, statements }));
  if (was === undefined || is === undefined) return [];
  const found = findEscalation({ before: [was], after: [is] }, [was]);
  if (found === undefined) return [];
  if (found.kind === 'too_much')
    return [`the policy \`${name}\` of ${of} may allow more: it is too large to be compared`];
  const reach = `\`${found.action}\` on \`${found.resource}\``;
  if (found.kind === 'lifted') return [`the policy \`${name}\` of ${of} no longer denies ${reach}`];
  return [`the policy \`${name}\` of ${of} allows ${reach}`];
}

function allows({ statements }: Policy): boolean {
  return statements.some(({ Effect, Mode }) => Effect === 'Allow' && Mode === undefined);
}

/**
 * Losing a policy that denies widens access, and so does gaining a policy that allows.
 * @param before has the policies that the group held.
 */
export function widenedGroup(
  before: Pick<WorkspaceTemplates, 'policies'>,
  was: Group | undefined,
  is: Group,
  of: WidenedOf = 'new workspaces',
): readonly string[] {
  const had = was?.acl_policies ?? [];
  const gained = is.acl_policies.filter((policy) => !had.includes(policy));
  const lost = had.filter((policy) => !is.acl_policies.includes(policy) && denies(before, policy));
  return [
    ...gained.map((policy) => `the group \`${is.name}\` of ${of} holds the policy \`${policy}\``),
    ...lost.map((policy) => `the group \`${is.name}\` of ${of} no longer holds the policy \`${policy}\`, which denies`),
  ];
}

function denies({ policies }: Pick<WorkspaceTemplates, 'policies'>, name: string): boolean {
  const policy = policies.find((one) => one.name === name);
  return policy?.statements.some(({ Effect, Mode }) => Effect === 'Deny' && Mode === undefined) === true;
}
