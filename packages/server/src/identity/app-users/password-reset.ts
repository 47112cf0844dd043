import { settingOf } from '../../config/port.ts';
import { type AccessEpochs, personAsking, thenBump } from '../../iam/port.ts';
import { resetPasswordMail, resetSuspendedMail } from '../../mail/mail-texts.ts';
import { type Mailer, requireMailer } from '../../mail/mailer.ts';
import type { MailThrottle } from '../people/mail-throttle.ts';
import { type CodeUse, issueCode, requireCode, spendCode } from '../people/mailed-codes.ts';
import { readEmail, readPasswordReset } from '../people/read-password-forms.ts';
import { tokensKeyOf, withNextEpoch } from '../sessions/ended-tokens.ts';
import { type PasswordLogin, passwordLogin } from '../settings/plain-settings.ts';
import type { AppClient } from './app-client.ts';
import { requireAppLinks } from './app-link.ts';
import {
  type AppUser,
  type AppUsersParts,
  appUserKey,
  attemptOf,
  findByPasswordIdentity,
  requirePasswords,
} from './app-users.ts';
import { withVerifiedEmail } from './prove-email.ts';

export interface PasswordResetParts extends Pick<AppUsersParts, 'clock' | 'hasher'> {
  readonly mailer?: Mailer | undefined;
  readonly mailThrottle: MailThrottle;
  /** See `AppSessionsParts`. */
  readonly endings: AccessEpochs;
}

export interface ResetRequest {
  readonly body: unknown;
  readonly ip: string;
}

/**
 * Mails a code to whoever has a password under the address. The answer waits for no look-up and is the same for
 * everybody; nothing about the account changes.
 * @throws Problem `validation_failed`, `unknown_field`, `credentials_invalid`, `rate_limited`, `unavailable`.
 */
export function forgotPassword(
  { clock, mailer: set, mailThrottle }: PasswordResetParts,
  app: AppClient,
  { body, ip }: ResetRequest,
): void {
  const mailer = requireMailer(set);
  const email = readEmail(body);
  requirePasswordLogin(app);
  const link = requireAppLinks(app.config, app.env);
  mailThrottle.take({ purpose: 'reset-password', ...attemptOf({ ...app, email, ip }) });
  mailer.send(async () => {
    const user = await findByPasswordIdentity(app.orgScope, email);
    if (user?.password_hash === undefined && user?.suspended_for === undefined) return undefined;
    const code = await issueCode({ scope: app.orgScope, clock }, 'reset-password', user);
    const text = user.suspended_for === undefined ? resetPasswordMail : resetSuspendedMail;
    return text({ to: user.email, name: app.org.name, link: link('reset-password', code) });
  });
}

/**
 * Sets a new password by a mailed code, which also shows that the address is the person's own: see `withVerifiedEmail`. Every
 * token ends.
 * @throws Problem `validation_failed`, `unknown_field`, `credentials_invalid`, `not_found`.
 */
export async function resetPassword(
  parts: PasswordResetParts,
  app: AppClient,
  { body, ip, requestId }: ResetRequest & { readonly requestId: string },
): Promise<void> {
  const { org, env, orgScope } = app;
  const { code, new_password } = readPasswordReset(body, requirePasswordLogin(app).min_length);
  const use: CodeUse = { purpose: 'reset-password', code, keyOf: appUserKey };
  const { id } = await requireCode(orgScope, use);
  const password_hash = await parts.hasher.hash(new_password, { org: orgScope.name, ip });
  const { unsettled } = await thenBump(parts.endings, tokensKeyOf({ env, org: org.code, sub: id }), () =>
    spendCode<AppUser>(orgScope, use, (user) => {
      const proof = { orgScope, clock: parts.clock, asking: personAsking(id, requestId) };
      return withVerifiedEmail(proof, withNextEpoch({ ...user, password_hash }));
    }),
  );
  if (unsettled !== undefined) parts.endings.bump(tokensKeyOf({ env, org: org.code, sub: unsettled.user_id }));
}

function requirePasswordLogin({ config, env }: AppClient): PasswordLogin {
  const policy = settingOf(config, env, passwordLogin);
  requirePasswords(policy);
  return policy;
}
