import { acceptInvitation, type InvitationCommand, type Invited, invite } from '../invitations/org-invitations.ts';
import {
  authenticate,
  endSession,
  listSessions,
  type OrgCaller,
  type ShownSession,
  sessionMilliseconds,
} from '../sessions/org-sessions.ts';
import type { OrgAccountsDeps, OrgCommand, OrgUserCommand } from './account.ts';
import { type ProvisionedProd, provisionProd, rotateClientId } from './environments.ts';
import { type LoggedIn, logIn, switchOrg } from './log-in.ts';
import type { EnvironmentAccess } from './org-directory.ts';
import { changeOrgUser, listOrgUsers, removeOrgUser, type ShownOrgUser } from './org-members.ts';
import { changeOrgPassword, forgotOrgPassword, type MailRequestSource, resetOrgPassword } from './org-password.ts';
import { firstOrgKey, type SignedUp, type SignUpSource, signUp } from './sign-up.ts';

export type { OrgCaller, ShownSession };

/** How long a session lasts. */
export const sessionSeconds = sessionMilliseconds / 1000;

/** The builders: their accounts, the orgs they belong to, and their sessions on the management gateway. */
export interface OrgAccounts {
  /** Whether nobody has signed up yet. */
  isEmpty(): Promise<boolean>;
  signUp(input: unknown, from: SignUpSource): Promise<SignedUp>;
  logIn(input: unknown, ip: string): Promise<LoggedIn>;
  switchOrg(caller: OrgCaller, input: unknown): Promise<LoggedIn>;
  acceptInvitation(input: unknown, from: SignUpSource): Promise<LoggedIn>;
  /** Who calls with this token, or undefined where it stands for no session. */
  authenticate(token: string): Promise<OrgCaller | undefined>;
  /** Ends all sessions of the person but the one in hand. */
  changePassword(caller: OrgCaller, request: { readonly body: unknown; readonly ip: string }): Promise<void>;
  /** The same answer, in the same time, for every address. */
  forgotPassword(input: unknown, source: MailRequestSource): void;
  /** Ends all sessions of the person. */
  resetPassword(request: { readonly body: unknown; readonly ip: string }): Promise<void>;
  sessions(caller: OrgCaller): Promise<readonly ShownSession[]>;
  endSession(caller: OrgCaller, id: string): Promise<void>;
  users(orgCode: string): Promise<readonly ShownOrgUser[]>;
  invite(asked: InvitationCommand, input: unknown): Promise<Invited>;
  changeUser(command: OrgUserCommand, input: unknown): Promise<ShownOrgUser>;
  removeUser(command: OrgUserCommand): Promise<void>;
  rotateClientId(command: OrgCommand, env: string): Promise<EnvironmentAccess>;
  provisionProd(command: OrgCommand): Promise<ProvisionedProd>;
}

export function createOrgAccounts(deps: OrgAccountsDeps): OrgAccounts {
  const { platform } = deps;
  return {
    isEmpty: async () => (await platform.get([firstOrgKey]))[0] === undefined,
    signUp: (input, from) => signUp(deps, input, from),
    logIn: (input, ip) => logIn(deps, input, ip),
    switchOrg: (caller, input) => switchOrg(deps, caller, input),
    acceptInvitation: (input, from) => acceptInvitation(deps, input, from),
    authenticate: (token) => authenticate(platform, token),
    changePassword: (caller, request) => changeOrgPassword(deps, caller, request),
    forgotPassword: (input, source) => forgotOrgPassword(deps, input, source),
    resetPassword: (request) => resetOrgPassword(deps, request),
    sessions: (caller) => listSessions(platform, caller),
    endSession: (caller, id) => endSession(platform, caller, id),
    users: (orgCode) => listOrgUsers(platform, orgCode),
    invite: (asked, input) => invite(deps, asked, input),
    changeUser: (place, input) => changeOrgUser(platform, place, input),
    removeUser: (place) => removeOrgUser(platform, place),
    rotateClientId: (asked, env) => rotateClientId(deps, asked, env),
    provisionProd: (asked) => provisionProd(deps, asked),
  };
}
