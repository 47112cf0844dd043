import type { accessApi } from '@freehold/contract/management/access';
import type { QueryOf, ReplyOf } from '@freehold/contract/route';
import { type Cursors, type RecordData, systemData } from '../../records/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { groupLink, linksTo, policyLink } from '../members/links.ts';
import { readRecords } from '../policies/held-policies.ts';

export type HoldersQuery = QueryOf<typeof accessApi.listHolders>;
export type HoldersPage = ReplyOf<typeof accessApi.listHolders>;

/** A page of the members behind a policy or group, in the order of their links' ids. */
export async function listHolders(
  cursors: Cursors,
  workspace: Workspace,
  { env, policy_id, group_id, pagesize, nexttoken }: HoldersQuery,
): Promise<HoldersPage> {
  const kind = policy_id === undefined ? groupLink : policyLink;
  const id = policy_id ?? group_id ?? '';
  const binding = ['acl-holders', env, workspace.scope.name, kind.entity, id];
  const after = nexttoken === undefined ? {} : { after: cursors.open(nexttoken, binding) };
  const links = await linksTo(workspace.scope, kind, { id, limit: pagesize + 1, ...after });
  const shown = links.slice(0, pagesize);
  const linkOf = new Map(shown.map(({ item }) => [String(systemData(item).user_id), systemData(item).id]));
  const members = await readRecords(workspace, 'user', [...linkOf.keys()]);
  const items = members.map((member) => {
    const data = systemData(member);
    const { id: user_id, email, status } = data;
    const link_id = linkOf.get(user_id) ?? '';
    return { link_id, user_id, email: String(email), name: personName(data), status: String(status ?? '') };
  });
  const last = links.length > pagesize ? shown.at(-1) : undefined;
  return { items, nexttoken: last === undefined ? null : cursors.seal(last.sk, binding) };
}

/** First and last name; empty if the person has neither. */
export function personName({ fn, ln }: RecordData): string {
  return [fn, ln].filter((part) => typeof part === 'string' && part !== '').join(' ');
}
