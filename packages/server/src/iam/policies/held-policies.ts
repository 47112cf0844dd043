import type { AttachedPolicy } from '../../access/port.ts';
import { directKey, systemData } from '../../records/port.ts';
import { systemEntity } from '../../schema/port.ts';
import type { Item, Key } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { linksOf } from '../members/links.ts';
import { policyIdsOf } from './group-policies.ts';

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

/** What a person is linked to. */
export interface Holdings {
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
): Promise<readonly Omit<AttachedPolicy, 'via'>[]> {
  const items = await read(workspace, 'aclpolicy', ids);
  return items.map((item) => policyOf(systemData(item)));
}

/** A policy's record as what it grants. */
export function policyOf(record: Readonly<Record<string, unknown>>): Omit<AttachedPolicy, 'via'> {
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

/** Where the record of a system entity lies. */
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
