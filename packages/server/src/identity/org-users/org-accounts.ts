import { thenBump } from '../../iam/port.ts';
import { resetPasswordMail } from '../../mail/mail-texts.ts';
import { type Acceptance, type AcceptanceSource, acceptInvitation } from '../invitations/accept-org-invitation.ts';
import { type InvitationCommand, type Invited, type InvitedPerson, invite } from '../invitations/org-invitations.ts';
import { type PasswordRealm, personGone } from '../people/realm.ts';
import {
  changePassword,
  type Forgotten,
  forgotPassword,
  type PasswordChange,
  type PasswordReset,
  resetPassword,
} from '../people/set-password.ts';
import type { SignInStep } from '../second-factors/prove-factor.ts';
import {
  authenticate,
  createSessionUses,
  endOtherSessions,
  endSession,
  keepSession,
  listSessions,
  type OrgCaller,
  otherSessionEnds,
  type ShownSession,
  sessionMilliseconds,
  sessionsKeyOf,
} from '../sessions/org-sessions.ts';
import { type AwaitedFounder, type AwaitingDeps, awaitedFounder } from '../workspaces/first-admin.ts';
import {
  type OrgAccountsDeps,
  type OrgCommand,
  type OrgSummary,
  type OrgUserCommand,
  orgRealm,
  orgsOf,
  passwordLengthMin,
  type StoredOrgUser,
  sessionEpoch,
  withNextEpoch,
} from './account.ts';
import { type ProvisionedProd, type Provisioning, provisionProd, rotateClientId } from './environments.ts';
import { type LoggedIn, type LogIn, type LogInSource, logIn, type OrgSwitch, switchOrg } from './log-in.ts';
import type { EnvironmentAccess, Org } from './org-directory.ts';
import { changeOrgUser, listOrgUsers, type OrgUserChange, removeOrgUser, type ShownOrgUser } from './org-members.ts';
import { firstOrgKey, maySignUp, type SignedUp, type SignUp, type SignUpSource, signUp } from './sign-up.ts';

export type { OrgCaller, ShownSession };

/** How long a session lasts. */
export const sessionSeconds = sessionMilliseconds / 1000;

/** The builders: their accounts, the orgs they belong to, and their sessions on the management gateway. */
export interface OrgAccounts {
  /** Whether there is no account yet. */
  isEmpty(): Promise<boolean>;
  /** Whether a person without an invitation can sign up now. */
  maySignUp(): Promise<boolean>;
  signUp(body: SignUp, from: SignUpSource): Promise<SignedUp>;
  /** A session, or the step to it where the account has a second factor. */
  logIn(body: LogIn, source: LogInSource): Promise<LoggedIn | SignInStep>;
  /** Those that the caller is a member of, by code. */
  orgs(caller: OrgCaller): Promise<readonly OrgSummary[]>;
  switchOrg(caller: OrgCaller, body: OrgSwitch): Promise<LoggedIn>;
  acceptInvitation(body: Acceptance, source: AcceptanceSource): Promise<LoggedIn | SignInStep>;
  /**
   * Who calls with this token, or undefined where it stands for no session. The use is noted now and then.
   * @param client what calls, in words.
   */
  authenticate(token: string, client: string | undefined): Promise<OrgCaller | undefined>;
  /** Ends all sessions of the person but the one in hand. */
  changePassword(caller: OrgCaller, request: PasswordChange): Promise<void>;
  /** The same answer, in the same time, for every address. */
  forgotPassword(body: Forgotten['body'], source: MailRequestSource): void;
  /** Ends all sessions of the person. */
  resetPassword(request: PasswordReset): Promise<void>;
  sessions(caller: OrgCaller): Promise<readonly ShownSession[]>;
  endSession(caller: OrgCaller, id: string): Promise<void>;
  /** @returns how many have ended. */
  endOtherSessions(caller: OrgCaller): Promise<number>;
  users(orgCode: string): Promise<readonly ShownOrgUser[]>;
  invite(asked: InvitationCommand, body: InvitedPerson): Promise<Invited>;
  changeUser(command: OrgUserCommand, body: OrgUserChange): Promise<ShownOrgUser>;
  removeUser(command: OrgUserCommand): Promise<void>;
  rotateClientId(command: OrgCommand, env: string): Promise<EnvironmentAccess>;
  /** @throws Problem `conflict` where the first admin of production is named too late. */
  provisionProd(provisioning: Provisioning): Promise<ProvisionedProd>;
  /** Undefined where production is missing, or has had its first admin. */
  awaitedFounder(org: Org): Promise<AwaitedFounder | undefined>;
}

export function createOrgAccounts(deps: OrgAccountsDeps & AwaitingDeps): OrgAccounts {
  const { platform, revocations } = deps;
  const revoking = <T>(userId: string, work: () => Promise<T>): Promise<T> =>
    thenBump(revocations, sessionsKeyOf(userId), work);
  const uses = createSessionUses(deps);
  return {
    isEmpty: async () => (await platform.get([firstOrgKey]))[0] === undefined,
    maySignUp: () => maySignUp(deps),
    signUp: (body, from) => signUp(deps, body, from),
    logIn: (body, source) => logIn(deps, body, source),
    orgs: ({ user }) => orgsOf(platform, user.id),
    switchOrg: (caller, body) => switchOrg(deps, caller, body),
    acceptInvitation: (body, source) => acceptInvitation(deps, body, source),
    authenticate: async (token, client) => {
      const caller = await authenticate(platform, token);
      if (caller !== undefined) uses.seen(caller, client);
      return caller;
    },
    changePassword: (caller, request) => changeOrgPassword(deps, caller, request),
    forgotPassword: (body, source) => forgotOrgPassword(deps, body, source),
    resetPassword: (request) => resetOrgPassword(deps, request),
    sessions: (caller) => listSessions(platform, caller),
    endSession: (caller, id) => revoking(caller.user.id, () => endSession(platform, caller, id)),
    endOtherSessions: (caller) => revoking(caller.user.id, () => endOtherSessions(platform, caller)),
    users: (orgCode) => listOrgUsers(platform, orgCode),
    invite: (asked, body) => invite(deps, asked, body),
    changeUser: (place, body) => revoking(place.id, () => changeOrgUser(platform, place, body)),
    removeUser: (place) => revoking(place.id, () => removeOrgUser(platform, place)),
    rotateClientId: (asked, env) => rotateClientId(deps, asked, env),
    provisionProd: (asked) => provisionProd(deps, asked),
    awaitedFounder: async ({ code, environments }) =>
      environments.prod === null ? undefined : awaitedFounder(deps, code),
  };
}

/** The data of a request without a session: its sender, and under what address this platform's pages are. */
interface MailRequestSource {
  readonly ip: string;
  readonly siteUrl: string;
}

/** Every other session of the person ends. */
export async function changeOrgPassword(
  deps: OrgAccountsDeps,
  caller: OrgCaller,
  request: PasswordChange,
): Promise<void> {
  await changePassword(deps, orgPasswords(deps, { caller }), { ...request, id: caller.user.id });
}

export function forgotOrgPassword(
  deps: OrgAccountsDeps,
  body: Forgotten['body'],
  { ip, siteUrl }: MailRequestSource,
): void {
  forgotPassword(deps, orgPasswords(deps, { siteUrl }), { body, ip });
}

export function resetOrgPassword(deps: OrgAccountsDeps, request: PasswordReset): Promise<void> {
  return resetPassword(deps, orgPasswords(deps), request);
}

/** What the platform says of builders' passwords; each new one ends all sessions but the caller's own. */
function orgPasswords(
  { platform, revocations }: OrgAccountsDeps,
  { caller, siteUrl = '' }: { readonly caller?: OrgCaller; readonly siteUrl?: string } = {},
): PasswordRealm<StoredOrgUser> {
  return {
    ...orgRealm(platform),
    passwordLengthMin,
    requirePasswords: () => undefined,
    noPassword: personGone,
    overtaken: { message: 'the password or the session has just been changed', isFinal: true },
    resetMail: () => (user, code) =>
      resetPasswordMail({ to: user.email, name: 'Freehold', link: `${siteUrl}/reset-password#code=${code}` }),
    changed: async (user) => {
      const holder = withNextEpoch(user);
      const kept = caller === undefined ? [] : await keepSession(platform, caller, sessionEpoch(holder));
      return { holder, along: [...kept, ...(await otherSessionEnds(platform, user.id, caller?.sessionId))] };
    },
    reset: async (user) => ({ holder: withNextEpoch(user), along: await otherSessionEnds(platform, user.id) }),
    revoking: (id, work) => thenBump(revocations, sessionsKeyOf(id), work),
  };
}
