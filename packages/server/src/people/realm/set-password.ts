import type { passwordsApi } from '@freehold/contract/management/passwords';
import type { BodyOf } from '@freehold/contract/route';
import { Problem } from '../../lib/problem.ts';
import { type Draft, requireMailer } from '../../mail/mailer.ts';
import { transact } from '../../store/transact.ts';
import type { Parts } from '../parts.ts';
import { type CodeUse, issueCode, requireCode, spendCode } from './mailed-codes.ts';
import { type PasswordHasher, requirePassword } from './passwords.ts';
import {
  type Account,
  findByAddress,
  type LoginThrottle,
  type PasswordRealm,
  personGone,
  type SignInAttempt,
} from './realm.ts';

interface PasswordRequest<Body> {
  readonly body: Body;
  readonly ip: string;
}

export type PasswordChange = PasswordRequest<BodyOf<typeof passwordsApi.changePassword>>;
export type Forgotten = PasswordRequest<BodyOf<typeof passwordsApi.forgotPassword>>;
export type PasswordReset = PasswordRequest<BodyOf<typeof passwordsApi.resetPassword>>;

export type MailDeps = Pick<Parts, 'clock' | 'mailer' | 'mailThrottle'>;

/**
 * A caller with a session in hand must still know the password, and guesses count as those of a log-in do.
 * @throws Problem `validation_failed`, `credentials_invalid`, `rate_limited`, `conflict`.
 */
export async function changePassword<A extends Account>(
  deps: { readonly hasher: PasswordHasher; readonly loginThrottle: LoginThrottle },
  realm: PasswordRealm<A>,
  { id, body, ip }: PasswordChange & { readonly id: string },
): Promise<A> {
  const { scope, accounts, overtaken } = realm;
  const { current_password, new_password } = body;
  requirePassword(current_password, { member: 'current_password' });
  requirePassword(new_password, { member: 'new_password', minLength: realm.passwordLengthMin });
  const account = (await accounts.read(scope, id))?.value;
  if (account?.password_hash === undefined) throw realm.noPassword();
  const attempt = realm.attemptOf(account.email, ip);
  const proof = { attempt, password: current_password, hash: account.password_hash, refusal: wrongCurrentPassword };
  await provePassword(deps, proof);
  const password_hash = await deps.hasher.hash(new_password, attempt);
  return realm.revoking(id, async () => {
    const { planned } = await transact(scope, async () => {
      const row = await accounts.read(scope, id);
      if (row === undefined) throw personGone();
      if (row.value.password_hash !== account.password_hash) throw new Problem('conflict', overtaken.message);
      const { holder, along } = await realm.changed({ ...row.value, password_hash });
      const refused = (): void => {
        if (overtaken.isFinal) throw new Problem('conflict', overtaken.message);
      };
      return { holder, changes: [accounts.replace(row, holder), ...along], refused };
    });
    return planned.holder;
  });
}

/**
 * Mails a code to the owner of the password under the address. The answer waits for no look-up and is the same for every
 * address; nothing about the account changes.
 * @throws Problem `credentials_invalid`, `rate_limited`, `unavailable`.
 */
export function forgotPassword<A extends Account>(
  { clock, mailer: set, mailThrottle }: MailDeps,
  realm: PasswordRealm<A>,
  { body: { email }, ip }: Forgotten,
): void {
  const mailer = requireMailer(set);
  realm.requirePasswords();
  const mailTo = realm.resetMail();
  mailThrottle.take({ purpose: 'reset-password', ...realm.attemptOf(email, ip) });
  mailer.send(async () => {
    const account = await findByAddress(realm, email);
    if (account?.password_hash === undefined && account?.suspended_for === undefined) return undefined;
    return mailTo(account, await issueCode({ scope: realm.scope, clock }, 'reset-password', account));
  });
}

/**
 * Sets a new password by a mailed code. Every session of the person ends.
 * @throws Problem `validation_failed`, `credentials_invalid`, `not_found`.
 */
export async function resetPassword<A extends Account>(
  { hasher }: { readonly hasher: PasswordHasher },
  realm: PasswordRealm<A>,
  { body: { code, new_password }, ip }: PasswordReset,
): Promise<void> {
  realm.requirePasswords();
  requirePassword(new_password, { member: 'new_password', minLength: realm.passwordLengthMin });
  const use: CodeUse<A> = { purpose: 'reset-password', code, accounts: realm.accounts };
  const { id, email } = await requireCode(realm.scope, use);
  const password_hash = await hasher.hash(new_password, realm.attemptOf(email, ip));
  await realm.revoking(id, async () => {
    const renewed = await spendCode(realm.scope, use, (account) => realm.reset({ ...account, password_hash }));
    return renewed.holder;
  });
}

export const wrongCurrentPassword = 'the current password is not right';

export interface PasswordProof {
  readonly attempt: SignInAttempt;
  readonly password: string;
  readonly hash: string;
  /** The message for a wrong password. */
  readonly refusal: string;
}

/**
 * Checks the current password: failed guesses count like those of a sign-in.
 * @throws Problem `credentials_invalid`, `rate_limited`.
 */
export async function provePassword(
  { hasher, loginThrottle }: { readonly hasher: PasswordHasher; readonly loginThrottle: LoginThrottle },
  { attempt, password, hash, refusal }: PasswordProof,
): Promise<void> {
  loginThrottle.check(attempt);
  if (!(await hasher.verify(password, hash, attempt))) {
    loginThrottle.recordFailure(attempt);
    throw new Problem('credentials_invalid', refusal);
  }
  loginThrottle.recordSuccess(attempt);
}

/** The time that every invitation is good. */
export const invitationMilliseconds = 7 * 24 * 60 * 60 * 1000;

/**
 * Mails an invitation, where mail is set up and the address has not had too many: the sender has the link too.
 * @param emailKey the address as its throttle knows it. @param draft gives none where what it invites to is no more.
 */
export function mailInvitation(
  { mailer, mailThrottle }: Pick<MailDeps, 'mailer' | 'mailThrottle'>,
  emailKey: string,
  draft: Draft,
): void {
  if (mailer !== undefined && mailThrottle.tryTake({ purpose: 'invitation', emailKey })) mailer.send(draft);
}
