import { type AttachedPolicy, type CompiledAccess, compilePolicies } from '../access/decide.ts';
import { directKey } from '../entities/record-keys.ts';
import { systemEntity } from '../entities/system-entities.ts';
import type { Workspace } from '../entities/workspace.ts';
import type { Item, Key } from '../store/port.ts';
import { linksOf } from './links.ts';

/** A person's policies as one decision function. */
export type Access = CompiledAccess;

/**
 * What a person may do in a workspace, compiled: policies linked to the person and those of the person's groups. A
 * bounded number of reads: the links, then the groups in one read, then the policies in one read. A link to what is
 * not there grants nothing.
 */
export async function resolveAccess(workspace: Workspace, userId: string): Promise<Access> {
  const { policyLinks, groupLinks } = await linksOf(workspace.scope, userId);
  const groups = await readAll(
    workspace,
    'group',
    groupLinks.map((item) => textOf(item, 'group_id')),
  );
  const sources: { readonly id: string; readonly via: AttachedPolicy['via'] }[] = [
    ...policyLinks.map((item) => ({ id: textOf(item, 'acl_policy_id'), via: { kind: 'direct' } as const })),
    ...groups.flatMap((group) => policiesOf(group).map((id) => ({ id, via: viaGroup(group) }))),
  ];
  const ids = [...new Set(sources.map(({ id }) => id))];
  const policies = new Map((await readAll(workspace, 'aclpolicy', ids)).map((item) => [textOf(item, 'id'), item]));
  return compilePolicies(
    sources.flatMap(({ id, via }) => {
      const item = policies.get(id);
      return item === undefined ? [] : [{ policyId: id, policyName: textOf(item, 'name'), via, ...statementsOf(item) }];
    }),
  );
}

async function readAll(workspace: Workspace, entityName: string, ids: readonly string[]): Promise<readonly Item[]> {
  if (ids.length === 0) return [];
  const keys = ids.map((id): Key => {
    const key = directKey(systemEntity(entityName), workspace, id);
    if (key === undefined) throw new TypeError(`${entityName} is not keyed by id`);
    return key;
  });
  return (await workspace.scope.get(keys)).filter((item) => item !== undefined);
}

function viaGroup(group: Item): AttachedPolicy['via'] {
  return { kind: 'group', groupId: textOf(group, 'id'), groupName: textOf(group, 'name') };
}

function policiesOf(group: Item): readonly string[] {
  const { acl_policies } = JSON.parse(group.value) as { readonly acl_policies?: readonly string[] };
  return acl_policies ?? [];
}

function statementsOf(policy: Item): { readonly statements: unknown } {
  const { statements } = JSON.parse(policy.value) as { readonly statements: unknown };
  return { statements };
}

function textOf(item: Item, member: string): string {
  return String((JSON.parse(item.value) as Readonly<Record<string, unknown>>)[member]);
}
