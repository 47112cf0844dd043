import { settingOf } from '../entities/setting.ts';
import { type AccessEpochs, thenBump } from '../iam/access-epochs.ts';
import { resetPasswordMail } from '../mail/mail-texts.ts';
import { type Mailer, requireMailer } from '../mail/mailer.ts';
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
import { tokensKeyOf, withNextEpoch } from './ended-tokens.ts';
import type { MailBrake } from './mail-brake.ts';
import { type CodeUse, issueCode, requireCode, spendCode } from './mailed-codes.ts';
import { readEmail, readPasswordReset } from './read-password-forms.ts';
import { type PasswordLogin, passwordLogin } from './settings/plain-settings.ts';
import { withVerifiedEmail } from './verified-email.ts';

export interface PasswordResetParts extends Pick<AppUsersParts, 'clock' | 'hasher'> {
  readonly mailer?: Mailer | undefined;
  readonly mailBrake: MailBrake;
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
  { clock, mailer: set, mailBrake }: PasswordResetParts,
  app: AppClient,
  { body, ip }: ResetRequest,
): void {
  const mailer = requireMailer(set);
  const email = readEmail(body);
  requirePasswordLogin(app);
  const link = requireAppLinks(app.config, app.env);
  mailBrake.take({ purpose: 'reset-password', ...attemptOf({ ...app, email, ip }) });
  mailer.send(async () => {
    const user = await findByPasswordIdentity(app.orgScope, email);
    if (user?.password_hash === undefined) return undefined;
    const code = await issueCode({ scope: app.orgScope, clock }, 'reset-password', user);
    return resetPasswordMail({ to: user.email, name: app.org.name, link: link('reset-password', code) });
  });
}

/**
 * Sets a new password by a mailed code, which also shows that the address is the person's own. Every token ends.
 * @throws Problem `validation_failed`, `unknown_field`, `credentials_invalid`, `not_found`.
 */
export async function resetPassword(
  parts: PasswordResetParts,
  app: AppClient,
  { body, ip }: ResetRequest,
): Promise<void> {
  const { org, env, orgScope } = app;
  const { code, new_password } = readPasswordReset(body, requirePasswordLogin(app).min_length);
  const use: CodeUse = { purpose: 'reset-password', code, keyOf: appUserKey };
  const { id } = await requireCode(orgScope, use);
  const password_hash = await parts.hasher.hash(new_password, { org: orgScope.name, ip });
  await thenBump(parts.endings, tokensKeyOf({ env, org: org.code, sub: id }), () =>
    spendCode<AppUser>(orgScope, use, (user) => withVerifiedEmail(orgScope, withNextEpoch({ ...user, password_hash }))),
  );
}

function requirePasswordLogin({ config, env }: AppClient): PasswordLogin {
  const policy = settingOf(config, env, passwordLogin);
  requirePasswords(policy);
  return policy;
}
