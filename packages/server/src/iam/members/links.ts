import { followItems, mergeChanges, type PlannedChange, readRecord, removeRecords } from '../../records/port.ts';
import { fieldIndex, indexPrefix, systemEntity } from '../../schema/port.ts';
import type { CheckEmpty, Item, Scope } from '../../store/port.ts';

/** A person's links to policies: read through the links' own index on `user_id`, whatever the workspace's size. */
interface Links {
  readonly policyLinks: readonly Item[];
  readonly groupLinks: readonly Item[];
}

/** A sort of link: its entity, the entity that it ties a person to, and the field with the id of that. */
export interface LinkKind {
  readonly entity: 'useraclpolicy' | 'usergroup';
  readonly to: 'aclpolicy' | 'group';
  readonly by: 'acl_policy_id' | 'group_id';
}

export const policyLink: LinkKind = { entity: 'useraclpolicy', to: 'aclpolicy', by: 'acl_policy_id' };
export const groupLink: LinkKind = { entity: 'usergroup', to: 'group', by: 'group_id' };

/** Of each kind: they are read whenever what a person may do is resolved, and go in one commit with a removed member. */
export const linksPerUserMax = 90;

export async function linksOf(scope: Scope, userId: string): Promise<Links> {
  const [policyLinks, groupLinks] = await Promise.all([
    linksFrom(scope, policyLink, userId),
    linksFrom(scope, groupLink, userId),
  ]);
  return { policyLinks, groupLinks };
}

/** @throws Error where a person has more links than are read: leaving one out could leave out a Deny. */
export async function linksFrom(scope: Scope, kind: LinkKind, userId: string): Promise<readonly Item[]> {
  const range = { prefix: indexPrefix(userId), limit: linksPerUserMax + 1 };
  const entries = await followItems(scope, linkIndex(kind, 'user_id'), range);
  if (entries.length > linksPerUserMax) throw new Error('a user has more links than are read');
  return entries.map(({ item }) => item);
}

/** The first links to a policy or group, and those after a place among them. */
export async function linksTo(
  scope: Scope,
  kind: LinkKind,
  to: { readonly id: string; readonly limit: number; readonly after?: string },
): Promise<readonly { readonly sk: string; readonly item: Item }[]> {
  const { id, limit, after } = to;
  return followItems(scope, linkIndex(kind, kind.by), {
    prefix: indexPrefix(id),
    limit,
    ...(after === undefined ? {} : { after }),
  });
}

/** The number of links that lead to a policy or group, as far as they are counted. */
export function countLinks(
  scope: Scope,
  kind: LinkKind,
  { id, atMost }: { readonly id: string; readonly atMost: number },
): Promise<number> {
  return scope.count(linkIndex(kind, kind.by), { prefix: indexPrefix(id) }, atMost);
}

/** Holds once there is no link to the policy or group: also none of a writer that does not move the policy epoch. */
export function noLinkTo(kind: LinkKind, id: string): CheckEmpty {
  return { kind: 'check-empty', pk: linkIndex(kind, kind.by), prefix: indexPrefix(id) };
}

/** Takes links out, with everything that was written for them. */
export async function removeLinks(
  scope: Scope,
  kind: LinkKind,
  links: readonly Item[],
): Promise<readonly PlannedChange[]> {
  const entity = systemEntity(kind.entity);
  const records = links.map((link) => readRecord(entity, link));
  return mergeChanges(await removeRecords(scope, entity, records));
}

function linkIndex(kind: LinkKind, fieldName: 'user_id' | LinkKind['by']): string {
  const index = fieldIndex(systemEntity(kind.entity), fieldName);
  if (index === undefined) throw new TypeError(`${kind.entity} has no index on ${fieldName}`);
  return index.pk;
}
