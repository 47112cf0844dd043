import type { mailsApi } from '@freehold/contract/app/mails';
import type { BodyOf } from '@freehold/contract/route';
import { settingOf } from '../../config/port.ts';
import { type AccessEpochs, auditCallerOf, thenBump } from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { requireMailer } from '../../mail/mailer.ts';
import { type AppTokenClaims, tokensKeyOf, withNextEpoch } from '../app-tokens.ts';
import { appMail } from '../mails/mail-settings.ts';
import { type AppClient, type AppClientDeps, appOf, findOrg, openAppClient } from '../org-users/org-directory.ts';
import type { Parts } from '../parts.ts';
import { issueCode, type MailRequest, spendCode } from '../realm/mailed-codes.ts';
import type { PasswordRealm } from '../realm/realm.ts';
import {
  type Forgotten,
  forgotPassword as forgot,
  type MailDeps,
  mailInvitation,
  type PasswordReset,
  resetPassword as reset,
} from '../realm/set-password.ts';
import { appLinks, requireAppLinks } from '../settings/allowed-domains.ts';
import { passwordLogin } from '../settings/plain-settings.ts';
import {
  type AppUser,
  appEmailKey,
  appRealm,
  appUsers,
  findAppUser,
  providerLinkPartition,
  providerLinks,
  providerLinksMax,
  requireAppUser,
} from './app-user.ts';
import { requirePasswords } from './password-log-in.ts';
import { findSuspendedFor, withVerifiedEmail } from './prove-email.ts';

/** A caller with a token. */
interface TokenCaller {
  readonly claims: AppTokenClaims;
}

interface ClientRequest<Body> {
  readonly clientId: string;
  readonly body: Body;
}

/** By a code, which says who asks. */
interface CodeRequest<Body> extends ClientRequest<Body> {
  readonly requestId: string;
}

type PasswordResetDeps = MailDeps & RevokingDeps & Pick<Parts, 'hasher'>;

/** Flows of app users by mailed codes. */
export function createAppMails(deps: AppClientDeps & PasswordResetDeps) {
  return {
    /** The same answer, in the same time, for every address. */
    forgotPassword: async (
      orgCode: string,
      { clientId, ...request }: ClientRequest<BodyOf<typeof mailsApi.forgotPassword>> & { readonly ip: string },
    ) => forgotPassword(deps, await openAppClient(deps, orgCode, clientId), request),
    resetPassword: async (
      orgCode: string,
      { clientId, ...request }: CodeRequest<BodyOf<typeof mailsApi.resetPassword>> & { readonly ip: string },
    ) => resetPassword(deps, await openAppClient(deps, orgCode, clientId), request),
    /** Mails the caller a code for `verifyEmail`, once more. */
    sendVerification: async ({ claims }: TokenCaller, ip: string) => {
      const app = await appOf(deps, claims);
      sendVerification(deps, app, { user: await requireAppUser(app.orgScope, claims.sub), ip });
    },
    /** Mails the caller the link that joins the account which waits under the same address, once more. */
    sendJoinLink: async ({ claims }: TokenCaller, ip: string) => {
      const app = await appOf(deps, claims);
      await sendJoinLink(deps, app, { user: await requireAppUser(app.orgScope, claims.sub), ip, claims });
    },
    verifyEmail: async (orgCode: string, { clientId, ...request }: CodeRequest<BodyOf<typeof mailsApi.verifyEmail>>) =>
      verifyEmail(deps, await openAppClient(deps, orgCode, clientId), request),
  };
}

type RevokingDeps = Pick<Parts, 'clock' | 'revocations'>;

export function forgotPassword(deps: PasswordResetDeps, app: AppClient, request: Forgotten): void {
  forgot(deps, appPasswords(deps, app), request);
}

/** See `reset` of the realm: the code also shows that the address is the person's own. */
export function resetPassword(
  deps: PasswordResetDeps,
  app: AppClient,
  { requestId, ...request }: PasswordReset & { readonly requestId: string },
): Promise<void> {
  return reset(deps, appPasswords(deps, app, requestId), request);
}

/** The password realm of an app's users; each new password ends every token. */
export function appPasswords(
  { clock, revocations }: RevokingDeps,
  app: AppClient,
  requestId?: string,
): PasswordRealm<AppUser> {
  const { env, orgScope, org, config } = app;
  const policy = settingOf(config, env, passwordLogin);
  const tokensOf = (sub: string): string => tokensKeyOf({ env, org: org.code, sub });
  return {
    ...appRealm(app),
    passwordLengthMin: policy.min_length,
    requirePasswords: () => requirePasswords(policy),
    noPassword: () => new Problem('invalid_request', 'the account has no password: a provider signs the person in'),
    overtaken: { message: 'the password has just been changed', isFinal: false },
    resetMail: () => {
      const link = requireAppLinks(config, env);
      return (user, code) => {
        const name = user.suspended_for === undefined ? 'reset_password' : 'reset_suspended_password';
        return appMail(app, name, { app: org.name, email: user.email, link: link('reset-password', code) });
      };
    },
    changed: async (user) => ({ holder: withNextEpoch(user, timestamp(clock.now())), along: [] }),
    reset: (user) => {
      const proof = { orgScope, clock, auditCaller: auditCallerOf(user.id, requestId) };
      return withVerifiedEmail(proof, withNextEpoch(user, timestamp(clock.now())));
    },
    revoking: async (id, work) => {
      const user = await thenBump(revocations, tokensOf(id), work);
      if (user.unsettled !== undefined) revocations.bump(tokensOf(user.unsettled.user_id));
      return user;
    },
  };
}

/** Whose address the mail is about, and where it is asked for from. */
interface Unverified {
  readonly user: AppUser;
  readonly ip: string;
}

/** The mail that a sign-up brings; none where mail is not set up or too much of it was caused. */
export function welcome(deps: MailDeps, app: AppClient, person: Unverified): void {
  const { mailer, mailThrottle } = deps;
  if (mailer === undefined || appLinks(app.config, app.env) === undefined) return;
  if (mailThrottle.tryTake(requestOf(app, person))) mailCode(deps, app, person.user);
}

/**
 * The mail to an address that an account has just proved, and that another account has with a password: who reads it decides
 * whether both are one person.
 */
export function offerMerge(deps: MailDeps, app: AppClient, user: AppUser): void {
  const { mailer, mailThrottle } = deps;
  if (mailer === undefined || appLinks(app.config, app.env) === undefined) return;
  const request = { purpose: 'verify-email', emailKey: appEmailKey(app, user.email) } as const;
  if (mailThrottle.tryTake(request)) mailCode(deps, app, user);
}

/** The mail to an unverified address once more. @throws Problem `unavailable`, `conflict`, `rate_limited`. */
function sendVerification(deps: MailDeps, app: AppClient, person: Unverified): void {
  requireMailer(deps.mailer);
  if (person.user.email_verified) throw new Problem('conflict', 'the email of the person is verified already');
  requireAppLinks(app.config, app.env);
  deps.mailThrottle.take(requestOf(app, person));
  mailCode(deps, app, person.user);
}

/** The greatest age of a sign-in behind a request for the mail of `offerMerge`. */
const joinSeconds = 60 * 60;

/** The person, and the sign-in behind the token. */
type JoiningUser = Unverified & { readonly claims: Pick<AppTokenClaims, 'idp' | 'auth_time'> };

/**
 * The mail of `offerMerge` once more, for a person who has just come by the provider that has verified the address.
 * @throws Problem `conflict`, `access_denied`, `unavailable`, `rate_limited`.
 */
async function sendJoinLink(
  deps: MailDeps,
  app: AppClient,
  { user, ip, claims: { idp, auth_time } }: JoiningUser,
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
async function verifyEmail(
  { clock, revocations }: Pick<MailDeps, 'clock'> & { readonly revocations: AccessEpochs },
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

function mailCode({ clock, mailer }: MailDeps, app: AppClient, user: AppUser): void {
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

/** An invitation, whose workspace name is read when the mail is written: none is sent where the workspace is gone. */
interface MailedInvitation {
  readonly email: string;
  readonly code: string;
  readonly workspaceName: () => Promise<string | undefined>;
}

/** Mails an invitation into a workspace of the app. @returns its link; undefined where the app has no page for it. */
export function mailAppInvitation(
  deps: MailDeps & Pick<Parts, 'platform'>,
  app: Pick<AppClient, 'orgScope' | 'env' | 'config'> & { readonly orgCode: string },
  { email, code, workspaceName }: MailedInvitation,
): string | undefined {
  const link = appLinks(app.config, app.env)?.('invitation', code);
  if (link === undefined) return undefined;
  mailInvitation(deps, appEmailKey(app, email), async () => {
    const [workspace, org] = await Promise.all([workspaceName(), findOrg(deps.platform, app.orgCode)]);
    if (workspace === undefined || org === undefined) return undefined;
    return appMail(app, 'invitation', { app: org.name, workspace, email, link });
  });
  return link;
}
