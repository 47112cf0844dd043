import type { AttachedPolicy } from '../../access/port.ts';
import { directKey, followItems, type PlannedChange, type RecordData, systemData } from '../../records/port.ts';
import { fieldIndex, indexPrefix, indexSortKey, systemEntity } from '../../schema/port.ts';
import type { CheckEmpty, Item, Key, Scope } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { linksOf } from '../members/links.ts';

/**
 * The policies that a person holds: those linked to the person and those of the person's groups, each as often as it
 * is held. A bounded number of reads: the links, then the groups in one read, then the policies in one read. A link
 * to what is not there grants nothing.
 */
export async function heldPolicies(
  workspace: Workspace,
  userId: string,
  read: RecordReader = readRecords,
): Promise<readonly AttachedPolicy[]> {
  const { policyIds, groups } = await holdingsOf(workspace, userId, read);
  const sources: { readonly id: string; readonly via: AttachedPolicy['via'] }[] = [
    ...policyIds.map((id) => ({ id, via: { kind: 'direct' } as const })),
    ...groups.flatMap((group) => policyIdsOf(systemData(group)).map((id) => ({ id, via: viaGroup(group) }))),
  ];
  const policies = new Map(
    (await readPolicies(workspace, [...new Set(sources.map(({ id }) => id))], read)).map((one) => [one.policyId, one]),
  );
  return sources.flatMap(({ id, via }) => {
    const policy = policies.get(id);
    return policy === undefined ? [] : [{ ...policy, via }];
  });
}

/** The record or account that a person is linked to. */
interface Holdings {
  readonly policyIds: readonly string[];
  /** Those that are there. */
  readonly groups: readonly Item[];
}

export async function holdingsOf(
  workspace: Workspace,
  userId: string,
  read: RecordReader = readRecords,
): Promise<Holdings> {
  const { policyLinks, groupLinks } = await linksOf(workspace.scope, userId);
  const groupIds = groupLinks.map((item) => textOf(item, 'group_id'));
  return {
    policyIds: policyLinks.map((item) => textOf(item, 'acl_policy_id')),
    groups: await read(workspace, 'group', groupIds),
  };
}

/** Policies by their ids; missing ones are left out. */
export async function readPolicies(
  workspace: Workspace,
  ids: readonly string[],
  read: RecordReader = readRecords,
): Promise<readonly StoredPolicy[]> {
  const items = await read(workspace, 'aclpolicy', ids);
  return items.map((item) => policyOf(systemData(item)));
}

/** A policy apart from its holders. */
export type StoredPolicy = Omit<AttachedPolicy, 'via'>;

/** A policy's record as what it grants. */
export function policyOf(record: Readonly<Record<string, unknown>>): StoredPolicy {
  return { policyId: String(record.id), policyName: String(record.name), statements: record.statements };
}

/** Records of a system entity in one read; missing ones are left out. */
export async function readRecords(
  workspace: Workspace,
  entityName: string,
  ids: readonly string[],
): Promise<readonly Item[]> {
  if (ids.length === 0) return [];
  const keys = ids.map((id): Key => recordKey(workspace, entityName, id));
  return (await workspace.scope.get(keys)).filter((item) => item !== undefined);
}

export type RecordReader = typeof readRecords;

/** Reads each record of one workspace once, for an answer that needs the same ones repeatedly. */
export function rememberingReader(): RecordReader {
  const known = new Map<string, Item | undefined>();
  return async (workspace, entityName, ids) => {
    const missing = ids.filter((id) => !known.has(`${entityName} ${id}`));
    const found = await readRecords(workspace, entityName, missing);
    for (const id of missing) known.set(`${entityName} ${id}`, undefined);
    for (const item of found) known.set(`${entityName} ${systemData(item).id}`, item);
    return ids.map((id) => known.get(`${entityName} ${id}`)).filter((item) => item !== undefined);
  };
}

/** The key of the record of a system entity. */
export function recordKey(workspace: Workspace, entityName: string, id: string): Key {
  const key = directKey(systemEntity(entityName), workspace, id);
  if (key === undefined) throw new TypeError(`${entityName} is not keyed by id`);
  return key;
}

function viaGroup(group: Item): AttachedPolicy['via'] {
  return { kind: 'group', groupId: textOf(group, 'id'), groupName: textOf(group, 'name') };
}

function textOf(item: Item, member: string): string {
  return String(systemData(item)[member]);
}

/** Which groups hold a policy: an index that every write of a group keeps, since a policy must not go from under one. */
const indexPk = 'index#group;policy';

/** The ids in a group's `acl_policies`, as the group's record has them. */
export function policyIdsOf(group: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const ids = group?.acl_policies;
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

/** The index entries that a group's write makes and takes away. */
export function groupIndexChanges(
  group: { readonly id: string; readonly key: Key },
  before: readonly string[],
  after: readonly string[],
): readonly PlannedChange[] {
  const entry = (policyId: string): Key => entryOf(group.id, policyId);
  const [old, wanted] = [new Set(before), new Set(after)];
  return [
    ...[...old.difference(wanted)].map((id) => planned({ kind: 'remove', ...entry(id), if: 'any' })),
    ...[...wanted.difference(old)].map((id) => planned({ kind: 'put-index', ...entry(id), target: group.key })),
  ];
}

/** All index entries that a group has. */
export function groupEntries(group: { readonly id: string }): readonly Key[] {
  return [...new Set(policyIdsOf(group))].map((policyId) => entryOf(group.id, policyId));
}

function entryOf(groupId: string, policyId: string): Key {
  return { pk: indexPk, sk: indexSortKey(policyId, groupId) };
}

/** The groups that hold a policy, the first of them. */
export async function groupsWith(scope: Scope, policyId: string, limit: number): Promise<readonly Item[]> {
  const entries = await followItems(scope, indexPk, { prefix: indexPrefix(policyId), limit });
  return entries.map(({ item }) => item);
}

/** The number of groups that hold a policy, as far as they are counted. */
export function countGroupsWith(
  scope: Scope,
  { id, atMost }: { readonly id: string; readonly atMost: number },
): Promise<number> {
  return scope.count(indexPk, { prefix: indexPrefix(id) }, atMost);
}

export function noGroupWith(policyId: string): CheckEmpty {
  return { kind: 'check-empty', pk: indexPk, prefix: indexPrefix(policyId) };
}

function planned(change: PlannedChange['change']): PlannedChange {
  return { change, onConflict: 'replan' };
}

/** The policy that makes an admin: every workspace keeps it as it is, and at least one active holder of it. */
export const adminPolicy = 'adminacl';

/** The policy that a workspace gives to new members, unless it names another. */
export const viewerPolicy = 'vieweracl';

/** The initial content of every workspace, whatever an org adds. */
export const platformPolicies: readonly string[] = [adminPolicy, viewerPolicy];

export const adminGroup = 'default-admins';

export const platformGroups: readonly string[] = [adminGroup];

/** The id of the policy of a name, by the name's own index. */
export async function policyIdByName(scope: Scope, name: string): Promise<string | undefined> {
  return (await recordByName(scope, 'aclpolicy', name))?.id;
}

/** The policy or group of a name, by the name's own index. */
export async function recordByName(
  scope: Scope,
  entity: 'aclpolicy' | 'group',
  name: string,
): Promise<RecordData | undefined> {
  const index = fieldIndex(systemEntity(entity), 'name');
  if (index === undefined) throw new TypeError(`${entity} has no index on its name`);
  const [found] = await scope.follow(index.pk, { prefix: indexPrefix(index.order.encode(name)), limit: 1 });
  return found === undefined ? undefined : systemData(found);
}

/** The name of the policies of a logic block, which are no records of a workspace and have no id. */
export function blockPolicyName(block: string): string {
  return `logic block ${block}`;
}
