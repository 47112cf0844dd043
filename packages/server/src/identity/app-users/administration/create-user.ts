import { auditEntry } from '../../../audit/audit-entry.ts';
import { settingOf } from '../../../config/port.ts';
import { timestamp } from '../../../lib/clock.ts';
import { secretToken } from '../../../lib/ids.ts';
import { invalidInput, Problem } from '../../../lib/problem.ts';
import { newAccountMail } from '../../../mail/mail-texts.ts';
import { transact, tryCommit } from '../../../store/transact.ts';
import { defaultWorkspaceCode, workspaceSuspended } from '../../../tenancy/port.ts';
import type { PasswordHasher } from '../../people/passwords.ts';
import { findByAddress } from '../../people/realm.ts';
import type { MailDeps } from '../../people/set-password.ts';
import { founderEmail, passwordLogin } from '../../settings/plain-settings.ts';
import { findIntent } from '../../workspaces/founding.ts';
import { chooseChange } from '../../workspaces/membership-hints.ts';
import type { Membership, MembershipDeps } from '../../workspaces/memberships.ts';
import { enterWorkspace, isSingleTenancy } from '../../workspaces/resolve-workspace.ts';
import { type AppClient, type AppClientDeps, appOf } from '../app-client.ts';
import { type AppUser, appEmailKey, appRealm, appUsers, passwordIdentities, verifiedEmails } from '../app-user.ts';
import type { CreatedAppUser, CreateUserCommand } from './list-users.ts';

export interface CreateUserDeps extends AppClientDeps, MailDeps, MembershipDeps {
  readonly hasher: PasswordHasher;
  /** Whether mails leave the platform, and do not lie in its inbox of development. */
  readonly sendsMail: boolean;
}

export interface NewAppUser {
  readonly tenant_code: string;
  readonly email: string;
}

/**
 * Makes an account with a password of the platform's, and joins it as its first sign-in would. A request that was cut off before the
 * account had joined may be sent again: it gets the account, with another password.
 */
export async function createUser(
  deps: CreateUserDeps,
  command: CreateUserCommand,
  { email, tenant_code: code }: NewAppUser,
): Promise<CreatedAppUser> {
  const { env, orgCode, auditContext } = command;
  const context = { env, orgCode, requestId: auditContext.request_id };
  const app = await appOf(deps, { org: orgCode, env });
  const { enabled, min_length } = settingOf(app.config, env, passwordLogin);
  if (!enabled) throw new Problem('conflict', 'the app takes no passwords: its users sign in by a provider');
  await requireWorkspace(deps, app, code);
  const password = newPassword(min_length);
  const person = await writeAccount(deps, app, { command, email, password });
  const membership = await enterWorkspace(deps, context, { code, person, builder: auditContext });
  if (membership === undefined)
    throw new Problem('conflict', `the account cannot join the workspace \`${code}\`, which has just been changed`);
  await settleAccount(app, person, membership);
  const { tenantId: tenant_id, tenantCode: tenant_code } = membership.workspace;
  const isMailed = mailPassword(deps, app, { email: person.email, password });
  return { id: person.id, email: person.email, tenant_id, tenant_code, password: isMailed ? null : password };
}

/** @throws Problem `validation_failed`, `workspace_suspended`, `conflict`. */
async function requireWorkspace(deps: CreateUserDeps, app: AppClient, code: string): Promise<void> {
  const { orgScope, org, env, config } = app;
  const row = (await findIntent(orgScope, code))?.row;
  if (row?.suspended !== undefined) throw workspaceSuspended();
  if (row !== undefined && row.state !== 'removed') return;
  const isToFound = row === undefined && code === defaultWorkspaceCode;
  if (isToFound && (await isSingleTenancy(deps, { env, orgCode: org.code }))) {
    if (settingOf(config, env, founderEmail) === null) return;
    throw new Problem('conflict', `the workspace \`${code}\` is founded by the address in \`tenancy.founder_email\``);
  }
  const message = `there is no workspace \`${code}\` in \`${env}\``;
  throw invalidInput('validation_failed', [{ pointer: '/tenant_code', code: 'unknown_reference', message }]);
}

/** Of at least 120 random bits. */
function newPassword(minLength: number): string {
  const letters = [secretToken(), secretToken(), secretToken()].join('');
  return letters.slice(0, Math.max(20, minLength));
}

/** @throws Problem `conflict` where the address has an account. */
async function writeAccount(
  deps: CreateUserDeps,
  app: AppClient,
  account: { readonly command: CreateUserCommand; readonly email: string; readonly password: string },
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

/** From here on the account is like any other, and its next token is for the workspace. @throws Problem `conflict`. */
async function settleAccount(
  { orgScope }: AppClient,
  { id, password_hash }: AppUser,
  { workspace: { tenantId, tenantCode } }: Membership,
): Promise<void> {
  await transact(orgScope, async () => {
    const row = await appUsers.read(orgScope, id);
    // Another request for the same address came in between: its password is the one that counts.
    if (row?.value.is_joining !== true || row.value.password_hash !== password_hash) throw taken();
    const { is_joining: _, ...joined } = row.value;
    return { changes: [appUsers.replace(row, joined), chooseChange(id, { id: tenantId, code: tenantCode })] };
  });
}

function taken(): Problem {
  return new Problem('conflict', 'there is an account with this email');
}

/** Whether a mail is sent: an address that had too many lately gets none. */
function mailPassword(
  { mailer, mailThrottle, sendsMail }: CreateUserDeps,
  app: AppClient,
  { email, password }: { readonly email: string; readonly password: string },
): boolean {
  if (mailer === undefined || !sendsMail) return false;
  if (!mailThrottle.tryTake({ purpose: 'invitation', emailKey: appEmailKey(app, email) })) return false;
  mailer.send(newAccountMail({ to: email, name: app.org.name, password }));
  return true;
}
