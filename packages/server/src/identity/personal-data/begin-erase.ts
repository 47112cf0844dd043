/** How an erasure begins: refused where it must not be, and else with the account closed. */
import { erasedMember } from '../../iam/port.ts';
import { emailKey } from '../../lib/formats/email-key.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import { type Row, removeAsRead } from '../../store/table.ts';
import { type AppUser, appUsers, passwordIdentities, verifiedEmails } from '../app-users/app-user.ts';
import { suspendedAccounts } from '../app-users/prove-email.ts';
import { workspacesOf } from '../app-users/settle-accounts.ts';
import { released } from '../app-users/suspended-accounts.ts';
import { tokensKeyOf, withNextEpoch } from '../sessions/ended-tokens.ts';
import { type AtOnce, beginJob, nothingAtOnce, type PersonalDataDeps, type PersonCommand } from './begin-job.ts';
import { noCounts, type RecordChoice, type ShownJob } from './person-job.ts';

export interface EraseChoice {
  readonly dryRun: boolean;
  readonly records: RecordChoice;
  /** The email address of the account, typed once more. */
  readonly confirm: string | undefined;
}

export async function beginErase(
  deps: PersonalDataDeps,
  command: PersonCommand,
  choice: EraseChoice,
): Promise<ShownJob> {
  const { env, orgCode, id } = command;
  const { dryRun: dry_run, records } = choice;
  const kind = { kind: 'erase', dry_run, records } as const;
  const job = await beginJob(deps, command, kind, async ({ orgScope, row }) => {
    if (dry_run) return nothingAtOnce;
    requireConfirmation(choice, row.value);
    await requireAdmins(deps, command, orgScope);
    return closingChanges(orgScope, row, command.auditContext.at);
  });
  if (!dry_run) deps.revocations.bump(tokensKeyOf({ env, org: orgCode, sub: id }));
  return job;
}

/** @throws Problem `validation_failed`. */
function requireConfirmation({ confirm }: EraseChoice, { email }: AppUser): void {
  if (confirm !== undefined && emailKey(confirm) === emailKey(email)) return;
  const message = '`confirm` must be the email address of the account';
  throw invalidBody([{ pointer: '/confirm', code: confirm === undefined ? 'required' : 'mismatch', message }]);
}

/** @throws Problem `last_admin` where a workspace with other members would have no admin who can sign in. */
async function requireAdmins(
  deps: PersonalDataDeps,
  { env, orgCode, id, auditContext }: PersonCommand,
  orgScope: Scope,
): Promise<void> {
  for (const workspace of await workspacesOf({ deps, place: { env, orgCode }, orgScope }, id))
    try {
      await erasedMember(deps, { workspace, userId: id, auditCaller: auditContext }, []);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'last_admin') throw error;
      const name = workspace.tenantCode;
      throw new Problem(
        'last_admin',
        `the account is the last admin of workspace \`${name}\`, which has other members`,
      );
    }
}

/** From their commit on nothing signs in to the account, and its address is free. */
async function closingChanges(orgScope: Scope, row: Row<AppUser>, at: string): Promise<AtOnce> {
  const { password_hash: _, suspended_for, ...user } = row.value;
  const password = await passwordIdentities.read(orgScope, user.email);
  const verified = await verifiedEmails.read(orgScope, user.email);
  const isOwn = (one: Row<string> | undefined): one is Row<string> => one?.value === user.id;
  const other = suspended_for === undefined ? undefined : await appUsers.read(orgScope, suspended_for);
  const changes = [
    appUsers.replace(row, { ...withNextEpoch(user, at), is_erasing: true }),
    ...[password, verified].filter(isOwn).map(removeAsRead),
    ...(suspended_for === undefined ? [] : [suspendedAccounts.remove(user.id, 'any')]),
    ...(other === undefined ? [] : [appUsers.replace(other, released(other.value))]),
  ];
  return { changes, job: { counts: { ...noCounts, identities: isOwn(password) ? 1 : 0 } } };
}
