/** Accounts that a builder makes, with a password of the platform's. */
import { auditEntry } from '../../audit/audit-entry.ts';
import { settingOf } from '../../config/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { secretToken } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';
import { newAccountMail } from '../../mail/mail-texts.ts';
import type { Change } from '../../store/port.ts';
import { transact, tryCommit } from '../../store/transact.ts';
import type { Environment } from '../../tenancy/port.ts';
import { type AppClient, type AppClientDeps, appOf, type OrgCommand } from '../org-users/org-directory.ts';
import type { Parts } from '../parts.ts';
import { findByAddress } from '../realm/realm.ts';
import type { MailDeps } from '../realm/set-password.ts';
import { passwordLogin } from '../settings/plain-settings.ts';
import { type AppUser, appEmailKey, appRealm, appUsers, passwordIdentities, verifiedEmails } from './app-user.ts';

type NewAccountDeps = AppClientDeps &
  MailDeps &
  Pick<Parts, 'hasher' | 'newId'> & {
    /** Whether mails leave the platform, and do not lie in its inbox of development. */
    readonly sendsMail: boolean;
  };

export interface NewAccountCommand extends OrgCommand {
  readonly env: Environment;
  /** The address that the builder calls from. */
  readonly ip: string;
}

/** A request that was cut off before the account had joined may be sent again: it gets the account, with another password. */
export function createNewAccounts(deps: NewAccountDeps) {
  /** @throws Problem `not_found`, `conflict` where the app takes no passwords. */
  return async (command: NewAccountCommand, email: string) => {
    const app = await appOf(deps, { org: command.orgCode, env: command.env });
    const { enabled, min_length } = settingOf(app.config, app.env, passwordLogin);
    if (!enabled) throw new Problem('conflict', 'the app takes no passwords: its users sign in by a provider');
    const password = newPassword(min_length);
    return {
      config: app.config,
      /** @throws Problem `conflict` where the address has an account. */
      write: () => writeAccount(deps, app, { command, email, password }),
      /** From here on the account is like any other. @throws Problem `conflict`. */
      settle: (account: AppUser, along: readonly Change[]) => settleAccount(app, account, along),
      /** Mails the password; where no mail is sent it is given back. */
      handOver: (account: AppUser) => (mailPassword(deps, app, { email: account.email, password }) ? null : password),
    };
  };
}

/** Of at least 120 random bits. */
function newPassword(minLength: number): string {
  const letters = [secretToken(), secretToken(), secretToken()].join('');
  return letters.slice(0, Math.max(20, minLength));
}

async function writeAccount(
  deps: NewAccountDeps,
  app: AppClient,
  account: { readonly command: NewAccountCommand; readonly email: string; readonly password: string },
): Promise<AppUser> {
  const { command, email, password } = account;
  const { orgScope, env } = app;
  const realm = appRealm(app);
  const password_hash = await deps.hasher.hash(password, realm.attemptOf(email, command.ip));
  const names = { id: deps.newId(), email, email_verified: false, fn: '', ln: '' };
  const user: AppUser = { ...names, password_hash, created_at: timestamp(deps.clock.now()), is_joining: true };
  const target = { kind: 'app_user', id: user.id };
  const isMade = await tryCommit(orgScope, [
    ...passwordIdentities.insert(email, user.id),
    ...verifiedEmails.absent(email),
    appUsers.insert(user.id, user),
    auditEntry(command.auditContext, { action: 'app_user.created', target, env }),
  ]);
  if (isMade) return user;
  const known = await findByAddress(realm, email);
  const row = known?.is_joining === true ? await appUsers.read(orgScope, known.id) : undefined;
  if (row?.value.is_joining !== true) throw taken();
  const renewed = { ...row.value, password_hash };
  if (!(await tryCommit(orgScope, [appUsers.replace(row, renewed)]))) throw taken();
  return renewed;
}

async function settleAccount(
  { orgScope }: AppClient,
  { id, password_hash }: AppUser,
  along: readonly Change[],
): Promise<void> {
  await transact(orgScope, async () => {
    const row = await appUsers.read(orgScope, id);
    // Another request for the same address came in between: its password counts.
    if (row?.value.is_joining !== true || row.value.password_hash !== password_hash) throw taken();
    const { is_joining: _, ...joined } = row.value;
    return { changes: [appUsers.replace(row, joined), ...along] };
  });
}

function taken(): Problem {
  return new Problem('conflict', 'there is an account with this email');
}

/** Whether a mail is sent: an address that had too many lately gets none. */
function mailPassword(
  { mailer, mailThrottle, sendsMail }: NewAccountDeps,
  app: AppClient,
  { email, password }: { readonly email: string; readonly password: string },
): boolean {
  if (mailer === undefined || !sendsMail) return false;
  if (!mailThrottle.tryTake({ purpose: 'invitation', emailKey: appEmailKey(app, email) })) return false;
  mailer.send(newAccountMail({ to: email, name: app.org.name, password }));
  return true;
}
