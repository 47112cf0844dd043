import { setImmediate as nextTurn } from 'node:timers/promises';
import { findMember } from '../../../iam/port.ts';
import { notFound } from '../../../lib/problem.ts';
import { mayBeId } from '../../../records/port.ts';
import { orgScopeName } from '../../../tenancy/port.ts';
import type { MembershipDeps } from '../../workspaces/memberships.ts';
import { readHead } from '../../workspaces/workspace-head.ts';
import { findAppUser, providerLinkPartition, providerLinks, providerLinksMax } from '../app-user.ts';
import { workspacesOf } from '../settle-accounts.ts';
import type { NamedAppUser, ShownAppUser } from './app-user-command.ts';
import { listed } from './list-users.ts';

/** Reads the workspaces that the org remembers the user in, at most 201, and changes nothing. @throws Problem `not_found`. */
export async function showUser(deps: MembershipDeps, { orgCode, env, id }: NamedAppUser): Promise<ShownAppUser> {
  const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
  const user = mayBeId(id) ? await findAppUser(orgScope, id) : undefined;
  if (user === undefined) throw notFound();
  const links = await providerLinks.range(orgScope, providerLinkPartition(id), { limit: providerLinksMax });
  const memberships: ShownAppUser['memberships'][number][] = [];
  for (const workspace of await workspacesOf({ deps, place: { env, orgCode }, orgScope }, id)) {
    const member = await findMember(workspace, id);
    // Reads need not wait for anything, and others want to be served too.
    await nextTurn();
    if (member === undefined) continue;
    const { role, status, created_at } = member.data;
    memberships.push({
      tenant_id: workspace.tenantId,
      tenant_code: workspace.tenantCode,
      name: (await readHead(workspace.scope))?.name ?? '',
      role: String(role ?? ''),
      status: String(status ?? ''),
      joined_at: created_at,
    });
  }
  return {
    ...listed(user),
    has_password: user.password_hash !== undefined,
    providers: links.map(({ value }) => value),
    tokens_revoked_at: user.tokens_revoked_at ?? null,
    disabled: user.disabled ?? null,
    proved_by: user.suspended_for ?? null,
    suspends: user.suspends ?? null,
    merged_into: user.merged_into ?? null,
    memberships,
  };
}
