/** Which groups hold a policy: an index that every write of a group keeps, since a policy must not go from under one. */

import type { PlannedChange } from '../../records/port.ts';
import { followItems } from '../../records/port.ts';
import { indexPrefix, indexSortKey } from '../../schema/port.ts';
import type { CheckEmpty, Item, Key, Scope } from '../../store/port.ts';

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

/** How many groups hold a policy, as far as they are counted. */
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
