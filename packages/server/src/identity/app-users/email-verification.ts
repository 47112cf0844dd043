import type { mailsApi } from '@freehold/contract/app/mails';
import type { BodyOf } from '@freehold/contract/route';
import { type AccessEpochs, auditCallerOf } from '../../iam/port.ts';
import { Problem } from '../../lib/problem.ts';
import { requireMailer } from '../../mail/mailer.ts';
import { appMail } from '../mails/app-mail.ts';
import type { MailRequest } from '../people/mail-throttle.ts';
import { issueCode, spendCode } from '../people/mailed-codes.ts';
import type { MailDeps } from '../people/set-password.ts';
import { tokensKeyOf } from '../sessions/ended-tokens.ts';
import { appLinks, requireAppLinks } from '../settings/app-url.ts';
import type { AppTokenClaims } from '../tokens/app-tokens.ts';
import type { AppClient } from './app-client.ts';
import {
  type AppUser,
  appEmailKey,
  appRealm,
  appUsers,
  findAppUser,
  providerLinkPartition,
  providerLinks,
  providerLinksMax,
} from './app-user.ts';
import { findSuspendedFor, withVerifiedEmail } from './prove-email.ts';

export type EmailVerificationDeps = MailDeps;

/** Whose address the mail is about, and where it is asked for from. */
export interface Unverified {
  readonly user: AppUser;
  readonly ip: string;
}

/** The mail that a sign-up brings; none where mail is not set up or too much of it was caused. */
export function welcome(deps: EmailVerificationDeps, app: AppClient, person: Unverified): void {
  const { mailer, mailThrottle } = deps;
  if (mailer === undefined || appLinks(app.config, app.env) === undefined) return;
  if (mailThrottle.tryTake(requestOf(app, person))) mailCode(deps, app, person.user);
}

/**
 * The mail to an address that an account has just proved, and that another account has with a password: who reads it decides
 * whether both are one person.
 */
export function offerMerge(deps: EmailVerificationDeps, app: AppClient, user: AppUser): void {
  const { mailer, mailThrottle } = deps;
  if (mailer === undefined || appLinks(app.config, app.env) === undefined) return;
  const request = { purpose: 'verify-email', emailKey: appEmailKey(app, user.email) } as const;
  if (mailThrottle.tryTake(request)) mailCode(deps, app, user);
}

/** The mail to an unverified address once more. @throws Problem `unavailable`, `conflict`, `rate_limited`. */
export function sendVerification(deps: EmailVerificationDeps, app: AppClient, person: Unverified): void {
  requireMailer(deps.mailer);
  if (person.user.email_verified) throw new Problem('conflict', 'the email of the person is verified already');
  requireAppLinks(app.config, app.env);
  deps.mailThrottle.take(requestOf(app, person));
  mailCode(deps, app, person.user);
}

/** How old a sign-in may be behind a request for the mail of `offerMerge`. */
const joinSeconds = 60 * 60;

/** The person, and the sign-in behind the token. */
type Joining = Unverified & { readonly claims: Pick<AppTokenClaims, 'idp' | 'auth_time'> };

/**
 * The mail of `offerMerge` once more, for a person who has just come by the provider that has verified the address.
 * @throws Problem `conflict`, `access_denied`, `unavailable`, `rate_limited`.
 */
export async function sendJoinLink(
  deps: EmailVerificationDeps,
  app: AppClient,
  { user, ip, claims: { idp, auth_time } }: Joining,
): Promise<void> {
  const account = await findSuspendedFor(app.orgScope, user);
  if (account === undefined) throw new Problem('conflict', 'no other account waits under the address of the caller');
  const links = await providerLinks.range(app.orgScope, providerLinkPartition(user.id), { limit: providerLinksMax });
  // A provider that came later has not suspended the password.
  if (!links.some(({ value }) => value.issuer === idp && value.linked_at <= account.suspended_at))
    throw new Problem(
      'access_denied',
      'the link is sent to a caller who signs in by the provider that has verified the address',
    );
  if (deps.clock.now() / 1000 - auth_time > joinSeconds)
    throw new Problem('access_denied', 'the sign-in is more than an hour ago: sign in at the provider again');
  requireMailer(deps.mailer);
  requireAppLinks(app.config, app.env);
  deps.mailThrottle.take(requestOf(app, { user, ip }));
  mailCode(deps, app, user);
}

/** @throws Problem `not_found`. */
export async function verifyEmail(
  { clock, revocations }: Pick<EmailVerificationDeps, 'clock'> & { readonly revocations: AccessEpochs },
  { orgScope, org, env }: AppClient,
  { body: { code }, requestId }: { readonly body: BodyOf<typeof mailsApi.verifyEmail>; readonly requestId: string },
): Promise<void> {
  const { holder } = await spendCode(orgScope, { purpose: 'verify-email', code, accounts: appUsers }, (user) =>
    withVerifiedEmail({ orgScope, clock, auditCaller: auditCallerOf(user.id, requestId) }, user),
  );
  const { id, unsettled } = holder;
  if (unsettled !== undefined)
    for (const sub of [id, unsettled.user_id]) revocations.bump(tokensKeyOf({ env, org: org.code, sub }));
}

function mailCode({ clock, mailer }: EmailVerificationDeps, app: AppClient, user: AppUser): void {
  const link = requireAppLinks(app.config, app.env);
  const { orgScope, org } = app;
  mailer?.send(async () => {
    const waiting = user.suspends === undefined ? undefined : await findAppUser(orgScope, user.suspends);
    if (waiting?.suspended_for === user.id) {
      const code = await issueCode({ scope: orgScope, clock }, 'verify-email', waiting);
      return appMail(app, 'merge_accounts', { app: org.name, email: waiting.email, link: link('verify-email', code) });
    }
    if (user.email_verified) return undefined;
    const code = await issueCode({ scope: orgScope, clock }, 'verify-email', user);
    return appMail(app, 'verify_email', { app: org.name, email: user.email, link: link('verify-email', code) });
  });
}

function requestOf(app: AppClient, { user, ip }: Unverified): MailRequest {
  return { purpose: 'verify-email', ...appRealm(app).attemptOf(user.email, ip) };
}
