import type { secondFactorsApi } from '@freehold/contract/management/account/second-factors';
import type { BodyOf } from '@freehold/contract/route';
import { type AuditContext, auditEntry, platformAuditEntry } from '../../audit/audit-entry.ts';
import { thenBump } from '../../iam/port.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { mayBeId } from '../../records/port.ts';
import { removeAsRead } from '../../store/table.ts';
import { transact } from '../../store/transact.ts';
import {
  memberships,
  membershipsOf,
  type OrgAccountsDeps,
  type OrgUserCommand,
  orgRealm,
  orgUsers,
  withNextEpoch,
} from '../org-users/account.ts';
import { orgs } from '../org-users/org-directory.ts';
import { memberIds } from '../org-users/org-members.ts';
import { type OrgCaller, otherSessionEnds, sessionsKeyOf } from '../sessions/org-sessions.ts';
import { isProtected, notify, storedFactors } from './stored-factors.ts';

export type OrgSecurity = BodyOf<typeof secondFactorsApi.changeOrgSecurity>;

/** @throws Problem `conflict` where an admin without a factor would require one. */
export async function changeOrgSecurity(
  deps: OrgAccountsDeps,
  { caller, auditContext }: { readonly caller: OrgCaller; readonly auditContext: AuditContext },
  security: OrgSecurity,
): Promise<OrgSecurity> {
  const { platform, revocations } = deps;
  const { code } = caller.org;
  const second_factor = security.second_factor === 'required' ? 'required' : undefined;
  if (second_factor !== undefined && !caller.hasSecondFactor)
    throw new Problem(
      'conflict',
      'add a second factor to your own account first: without one you could do nothing here',
    );
  await transact(platform, async () => {
    const row = await orgs.read(platform, code);
    if (row === undefined) throw notFound();
    if (row.value.second_factor === second_factor) return { changes: [] };
    const audited = { action: 'org_security.changed', target: { kind: 'org', id: code }, detail: { ...security } };
    const entry = platformAuditEntry(code, auditContext, audited);
    return { changes: [orgs.replace(row, { ...row.value, second_factor }), entry] };
  });
  // What they opened in the app ends at once too.
  for (const id of await memberIds(platform, code)) revocations.bump(sessionsKeyOf(id));
  return security;
}

/**
 * Takes all second factors from a member who has lost them. One who is in other orgs too is not for this org to weaken.
 * @throws Problem `not_found`, `conflict`.
 */
export async function resetFactors(deps: OrgAccountsDeps, command: OrgUserCommand): Promise<void> {
  const { platform, revocations, mailer } = deps;
  const { id, orgCode, auditContext } = command;
  if (!mayBeId(id)) throw notFound();
  if (id === auditContext.actor.id)
    throw new Problem('conflict', 'your own second factors are removed on your account, with a proof of one');
  const { planned } = await thenBump(revocations, sessionsKeyOf(id), () =>
    transact(platform, async () => {
      const [membership] = await memberships.readMany(platform, [[id, orgCode]]);
      const account = await orgUsers.read(platform, id);
      if (membership === undefined || account === undefined) throw notFound();
      if ((await membershipsOf(platform, id, 2)).length > 1)
        throw new Problem('conflict', 'the account is in other orgs too, so no org can reset its second factors');
      const row = await storedFactors.read(platform, id);
      if (row === undefined || !isProtected(row.value))
        throw new Problem('conflict', 'the member has no second factor');
      const audited = { action: 'second_factor.reset', target: { kind: 'org_user', id } };
      return {
        email: account.value.email,
        changes: [
          removeAsRead(row),
          orgUsers.replace(account, withNextEpoch(account.value)),
          ...(await otherSessionEnds(platform, id)),
          platformAuditEntry(orgCode, auditContext, audited),
        ],
      };
    }),
  );
  notify(
    mailer,
    planned.email,
    'an admin of your org removed all second factors of your account, and ended its sessions.',
  );
}

export interface OperatorReset {
  readonly email: string;
  readonly reason: string;
  readonly auditContext: AuditContext;
}

/**
 * The same by the operator, for an account that is in several orgs, by its address. Each of the orgs has it in its audit
 * log.
 * @throws Problem `not_found`, `conflict`.
 */
export async function resetFactorsByOperator(
  deps: OrgAccountsDeps,
  { email, reason, auditContext }: OperatorReset,
): Promise<{ readonly id: string; readonly orgs: readonly string[] }> {
  const { platform, revocations, mailer } = deps;
  const found = await orgRealm(platform).addresses.read(platform, email);
  if (found === undefined) throw new Problem('not_found', 'there is no account of this address');
  const id = found.value;
  const { planned } = await thenBump(revocations, sessionsKeyOf(id), () =>
    transact(platform, async () => {
      const account = await orgUsers.read(platform, id);
      if (account === undefined) throw notFound();
      const row = await storedFactors.read(platform, id);
      if (row === undefined || !isProtected(row.value))
        throw new Problem('conflict', 'the account has no second factor');
      const codes = (await membershipsOf(platform, id)).map(({ sk }) => sk);
      const audited = { action: 'second_factor.reset', target: { kind: 'org_user', id }, detail: { reason } };
      return {
        told: { to: account.value.email, orgs: codes },
        changes: [
          removeAsRead(row),
          orgUsers.replace(account, withNextEpoch(account.value)),
          ...(await otherSessionEnds(platform, id)),
          auditEntry(auditContext, audited),
          ...codes.map((code) => platformAuditEntry(code, auditContext, audited)),
        ],
      };
    }),
  );
  const { to, orgs: codes } = planned.told;
  notify(
    mailer,
    to,
    'the operator of the platform removed all second factors of your account, and ended its sessions.',
  );
  return { id, orgs: codes };
}
