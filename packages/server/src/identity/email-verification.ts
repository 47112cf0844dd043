import { Problem } from '../lib/problem.ts';
import { verifyEmailMail } from '../mail/mail-texts.ts';
import { type Mailer, requireMailer } from '../mail/mailer.ts';
import type { AppClient } from './app-client.ts';
import { appLinks, requireAppLinks } from './app-link.ts';
import { type AppUser, type AppUsersParts, appUserKey, attemptOf } from './app-users.ts';
import type { MailBrake, MailRequest } from './mail-brake.ts';
import { issueCode, spendCode } from './mailed-codes.ts';
import { readBody } from './read-body.ts';
import { withVerifiedEmail } from './verified-email.ts';

export interface EmailVerificationParts extends Pick<AppUsersParts, 'clock'> {
  readonly mailer?: Mailer | undefined;
  readonly mailBrake: MailBrake;
}

/** Whose address is to be verified, and where that is asked from. */
export interface Unverified {
  readonly user: AppUser;
  readonly ip: string;
}

/** The mail that a sign-up brings; none where mail is not set up or too much of it was caused. */
export function welcome(parts: EmailVerificationParts, app: AppClient, person: Unverified): void {
  const { mailer, mailBrake } = parts;
  if (mailer === undefined || appLinks(app.config, app.env) === undefined) return;
  if (mailBrake.tryTake(requestOf(app, person))) mailCode(parts, app, person.user);
}

/** The same once more, for one who asks. @throws Problem `unavailable`, `conflict`, `rate_limited`. */
export function sendVerification(parts: EmailVerificationParts, app: AppClient, person: Unverified): void {
  requireMailer(parts.mailer);
  if (person.user.email_verified) throw new Problem('conflict', 'the email of the person is verified already');
  requireAppLinks(app.config, app.env);
  parts.mailBrake.take(requestOf(app, person));
  mailCode(parts, app, person.user);
}

/** @throws Problem `validation_failed`, `unknown_field`, `not_found`. */
export async function verifyEmail({ orgScope }: AppClient, body: unknown): Promise<void> {
  const { code } = readBody(body, { code: 'required' } as const);
  await spendCode<AppUser>(orgScope, { purpose: 'verify-email', code, keyOf: appUserKey }, (user) =>
    withVerifiedEmail(orgScope, user),
  );
}

function mailCode({ clock, mailer }: EmailVerificationParts, app: AppClient, user: AppUser): void {
  const link = requireAppLinks(app.config, app.env);
  mailer?.send(async () => {
    const code = await issueCode({ scope: app.orgScope, clock }, 'verify-email', user);
    return verifyEmailMail({ to: user.email, name: app.org.name, link: link('verify-email', code) });
  });
}

function requestOf(app: AppClient, { user, ip }: Unverified): MailRequest {
  return { purpose: 'verify-email', ...attemptOf({ ...app, email: user.email, ip }) };
}
