import { Problem } from '../../lib/problem.ts';
import type { PlannedChange } from '../../records/port.ts';
import type { Scope } from '../../store/port.ts';
import { type LinkKind, linksTo, noLinkTo, removeLinks } from '../members/links.ts';

/** They go in one commit with what they lead to. */
export const linksReleasedMax = 100;

/**
 * The links to a policy or group that is removed go in the same commit, so that none is left that points nowhere. Where
 * they are too many for one commit they are the caller's to remove. @throws Problem `in_use`.
 */
export async function releaseLinks(scope: Scope, kind: LinkKind, id: string): Promise<readonly PlannedChange[]> {
  const links = await linksTo(scope, kind, { id, limit: linksReleasedMax + 1 });
  if (links.length > linksReleasedMax)
    throw new Problem('in_use', `more than ${linksReleasedMax} \`${kind.entity}\` links lead here: remove them first`);
  const items = links.map(({ item }) => item);
  const removed = await removeLinks(scope, kind, items);
  return [...removed, { change: noLinkTo(kind, id), onConflict: 'replan' }];
}
