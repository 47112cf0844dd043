import { Problem } from '../../lib/problem.ts';
import { resetPasswordMail } from '../../mail/mail-texts.ts';
import { requireMailer } from '../../mail/mailer.ts';
import { emailKey } from '../people/email.ts';
import { type CodeUse, issueCode, requireCode, spendCode } from '../people/mailed-codes.ts';
import { provePassword, wrongCurrentPassword } from '../people/prove-password.ts';
import { readEmail, readPasswordChange, readPasswordReset } from '../people/read-password-forms.ts';
import { keepSession, type OrgCaller, otherSessionEnds } from '../sessions/org-sessions.ts';
import {
  findByEmail,
  type OrgAccountsParts,
  passwordLengthMin,
  type StoredOrgUser,
  sessionEpoch,
  tryCommit,
  userKey,
} from './account.ts';

/** What a request without a session says of itself: who asks, and under what address this platform's pages are. */
export interface MailRequestSource {
  readonly ip: string;
  readonly siteUrl: string;
}

/**
 * Whoever has a session in hand must still know the password. Every other session of the person ends.
 * @throws Problem `validation_failed`, `unknown_field`, `credentials_invalid`, `rate_limited`, `conflict`.
 */
export async function changeOrgPassword(
  parts: OrgAccountsParts,
  caller: OrgCaller,
  { body, ip }: { readonly body: unknown; readonly ip: string },
): Promise<void> {
  const { platform } = parts;
  const { current_password, new_password } = readPasswordChange(body, passwordLengthMin);
  const key = userKey(caller.user.id);
  const [item] = await platform.get([key]);
  if (item === undefined) throw new Problem('token_invalid', 'the person behind the token is no more');
  const user = JSON.parse(item.value) as StoredOrgUser;
  const attempt = { emailKey: emailKey(user.email), ip };
  const proof = { attempt, password: current_password, hash: user.password_hash, refusal: wrongCurrentPassword };
  await provePassword(parts, proof);
  const changed = withNewPassword(user, await parts.hasher.hash(new_password, attempt));
  const conflict = await tryCommit(platform, [
    { kind: 'put', ...key, value: JSON.stringify(changed), if: { version: item.version } },
    ...(await keepSession(platform, caller, sessionEpoch(changed))),
    ...(await otherSessionEnds(platform, user.id, caller.sessionId)),
  ]);
  if (conflict !== undefined) throw new Problem('conflict', 'the password or the session has just been changed');
}

/**
 * Mails a code to whoever has an account with the address. The answer waits for no look-up and is the same for
 * everybody; nothing about the account changes.
 * @throws Problem `validation_failed`, `unknown_field`, `rate_limited`, `unavailable`.
 */
export function forgotOrgPassword(parts: OrgAccountsParts, body: unknown, { ip, siteUrl }: MailRequestSource): void {
  const { platform, clock, mailThrottle } = parts;
  const mailer = requireMailer(parts.mailer);
  const email = readEmail(body);
  mailThrottle.take({ purpose: 'reset-password', emailKey: emailKey(email), ip });
  mailer.send(async () => {
    const user = await findByEmail(platform, email);
    if (user === undefined) return undefined;
    const code = await issueCode({ scope: platform, clock }, 'reset-password', user);
    return resetPasswordMail({ to: user.email, name: 'Freehold', link: `${siteUrl}/reset-password#code=${code}` });
  });
}

/**
 * Sets a new password by a mailed code. Every session of the person ends.
 * @throws Problem `validation_failed`, `unknown_field`, `not_found`.
 */
export async function resetOrgPassword(
  { platform, hasher }: OrgAccountsParts,
  { body, ip }: { readonly body: unknown; readonly ip: string },
): Promise<void> {
  const { code, new_password } = readPasswordReset(body, passwordLengthMin);
  const use: CodeUse = { purpose: 'reset-password', code, keyOf: userKey };
  await requireCode(platform, use);
  const password_hash = await hasher.hash(new_password, { ip });
  await spendCode<StoredOrgUser>(platform, use, async (user) => ({
    holder: withNewPassword(user, password_hash),
    along: await otherSessionEnds(platform, user.id),
  }));
}

/** All sessions of the person are dead from the commit of this on, those that are just being made included. */
function withNewPassword(user: StoredOrgUser, password_hash: string): StoredOrgUser {
  return { ...user, password_hash, session_epoch: sessionEpoch(user) + 1 };
}
