import { indexPrefix } from '../entities/order-encoding.ts';
import { systemEntity } from '../entities/system-entities.ts';
import type { Item, Scope } from '../store/port.ts';

/** What ties a person to policies: read through the links' own index on `user_id`, whatever the size of the workspace. */
export interface Links {
  readonly policyLinks: readonly Item[];
  readonly groupLinks: readonly Item[];
}

export const linksPerUserMax = 100;

/** @throws Error where a person has more links than are read: leaving one out could leave out a Deny. */
export async function linksOf(scope: Scope, userId: string): Promise<Links> {
  const [policyLinks, groupLinks] = await Promise.all([
    readLinks(scope, 'useraclpolicy', userId),
    readLinks(scope, 'usergroup', userId),
  ]);
  return { policyLinks, groupLinks };
}

async function readLinks(scope: Scope, entityName: string, userId: string): Promise<readonly Item[]> {
  const index = systemEntity(entityName).indexes.find(({ field }) => field === 'user_id');
  if (index === undefined) throw new TypeError(`${entityName} has no index on user_id`);
  const entries = await scope.follow(index.pk, { prefix: indexPrefix(userId), limit: linksPerUserMax + 1 });
  if (entries.length > linksPerUserMax) throw new Error('a user has more links than are read');
  return entries.map(({ item }) => item);
}
