import type { accountsApi } from '@freehold/contract/management/accounts';
import { proposeOrgCode } from '@freehold/contract/org-code';
import type { BodyOf } from '@freehold/contract/route';
import { platformAuditEntry } from '../../audit/audit-entry.ts';
import { thenBump } from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { secretToken } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';
import { resetPasswordMail } from '../../mail/mail-texts.ts';
import type { Change, Key } from '../../store/port.ts';
import { refusedChange } from '../../store/transact.ts';
import { requirePassword } from '../realm/passwords.ts';
import { type PasswordRealm, personGone } from '../realm/realm.ts';
import {
  changePassword,
  type Forgotten,
  forgotPassword,
  type PasswordChange,
  type PasswordReset,
  resetPassword,
} from '../realm/set-password.ts';
import {
  authenticate,
  createSessionUses,
  endOtherSessions,
  endSession,
  type IssuedSession,
  keepSession,
  listSessions,
  newSession,
  type OrgCaller,
  otherSessionEnds,
  sessionMilliseconds,
  sessionsKeyOf,
} from '../sessions/org-sessions.ts';
import {
  joining,
  newAccount,
  type OrgAccountsDeps,
  type OrgUser,
  type OrgUserCommand,
  orgRealm,
  orgsOf,
  passwordLengthMin,
  type StoredOrgUser,
  sessionEpoch,
  withNextEpoch,
} from './account.ts';
import { type LogIn, type LogInSource, logIn, type OrgSwitch, switchOrg } from './log-in.ts';
import { newClientId, type Org, type OrgCommand, orgs, rotateClientId } from './org-directory.ts';
import {
  type AcceptanceSource,
  acceptInvitation,
  type InvitationCommand,
  type InvitedPerson,
  invite,
  type OrgAcceptance,
} from './org-invitations.ts';
import { changeOrgUser, listOrgUsers, type OrgUserChange, removeOrgUser } from './org-members.ts';

/** The time that a session lasts. */
export const sessionSeconds = sessionMilliseconds / 1000;

/** The builders: their accounts, the orgs they belong to, and their sessions on the management gateway. */
export function createOrgAccounts(deps: OrgAccountsDeps) {
  const { platform, revocations } = deps;
  const revoking = <T>(userId: string, work: () => Promise<T>): Promise<T> =>
    thenBump(revocations, sessionsKeyOf(userId), work);
  const uses = createSessionUses(deps);
  return {
    /** Whether there is no account yet. */
    isEmpty: async () => (await platform.get([firstOrgKey]))[0] === undefined,
    /** Whether a person without an invitation can sign up now. */
    maySignUp: () => maySignUp(deps),
    signUp: (body: SignUp, from: SignUpSource) => signUp(deps, body, from),
    /** A session, or the step to it where the account has a second factor. */
    logIn: (body: LogIn, source: LogInSource) => logIn(deps, body, source),
    /** Those that the caller is a member of, by code. */
    orgs: ({ user }: OrgCaller) => orgsOf(platform, user.id),
    switchOrg: (caller: OrgCaller, body: OrgSwitch) => switchOrg(deps, caller, body),
    acceptInvitation: (body: OrgAcceptance, source: AcceptanceSource) => acceptInvitation(deps, body, source),
    /**
     * The caller with this token, or undefined where the token has no session. The use is noted now and then.
     * @param client the calling program, in words.
     */
    authenticate: async (token: string, client: string | undefined) => {
      const caller = await authenticate(platform, token);
      if (caller !== undefined) uses.seen(caller, client);
      return caller;
    },
    /** Ends all sessions of the person but the one in hand. */
    changePassword: (caller: OrgCaller, request: PasswordChange) => changeOrgPassword(deps, caller, request),
    /** The same answer, in the same time, for every address. */
    forgotPassword: (body: Forgotten['body'], source: MailRequestSource) => forgotOrgPassword(deps, body, source),
    /** Ends all sessions of the person. */
    resetPassword: (request: PasswordReset) => resetOrgPassword(deps, request),
    sessions: (caller: OrgCaller) => listSessions(platform, caller),
    endSession: (caller: OrgCaller, id: string) => revoking(caller.user.id, () => endSession(platform, caller, id)),
    /** @returns how many have ended. */
    endOtherSessions: (caller: OrgCaller) => revoking(caller.user.id, () => endOtherSessions(platform, caller)),
    users: (orgCode: string) => listOrgUsers(platform, orgCode),
    invite: (command: InvitationCommand, body: InvitedPerson) => invite(deps, command, body),
    changeUser: (place: OrgUserCommand, body: OrgUserChange) =>
      revoking(place.id, () => changeOrgUser(platform, place, body)),
    removeUser: (place: OrgUserCommand) => revoking(place.id, () => removeOrgUser(platform, place)),
    rotateClientId: (command: OrgCommand, env: string) => rotateClientId(deps, command, env),
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

/** The password realm of builders; each new password ends all sessions but the caller's own. */
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

export interface SignedUp extends IssuedSession {
  readonly user: OrgUser;
  readonly org: Pick<Org, 'code' | 'name' | 'environments'>;
}

interface SignUpSource {
  readonly ip: string;
  readonly requestId: string;
}

/** Marks that an org exists: what the sign-up policy `first` looks for. */
const firstOrgKey: Key = { pk: 'platform', sk: 'first-org' };

type SignUp = BodyOf<typeof accountsApi.signUp>;

/** Whether the platform takes sign-ups now. */
async function maySignUp({ platform, policy }: Pick<OrgAccountsDeps, 'platform' | 'policy'>): Promise<boolean> {
  if (policy !== 'first') return policy === 'open';
  const [first] = await platform.get([firstOrgKey]);
  return first === undefined;
}

/** An account, its org and a session in one commit. */
export async function signUp(deps: OrgAccountsDeps, body: SignUp, { ip, requestId }: SignUpSource): Promise<SignedUp> {
  const { platform, policy } = deps;
  if (!(await maySignUp(deps))) throw closed();
  requirePassword(body.password, { minLength: passwordLengthMin });
  const password_hash = await deps.hasher.hash(body.password, { ip });
  const user: OrgUser = { id: deps.newId(), email: body.email, name: body.name };
  const created_at = timestamp(deps.clock.now());
  const auditContext = { at: created_at, actor: { kind: 'org_user', id: user.id }, request_id: requestId } as const;
  const environments = { test: { client_id: newClientId('test') }, prod: null };
  const { account, email } = newAccount({ ...user, password_hash, created_at });
  for (let attempt = 0; attempt < 5; attempt++) {
    const code = body.org_code ?? codeFrom(body.org_name, attempt === 0);
    const org: Org = { code, name: body.org_name, created_at, environments };
    const { token, expires_at, changes: session } = await newSession(deps, user, code);
    const changes: Change[] = [
      orgs.insert(code, org),
      { kind: 'put', ...firstOrgKey, value: '{}', if: policy === 'first' ? 'absent' : 'any' },
      account,
      ...joining(user.id, code, { role: 'org_admin', joined_at: created_at }),
      ...session,
      platformAuditEntry(code, auditContext, { action: 'org.created', target: { kind: 'org', id: code } }),
      ...email,
    ];
    const conflict = await refusedChange(platform, changes);
    if (conflict === undefined) return { token, expires_at, user, org: { code, name: org.name, environments } };
    if (conflict >= changes.length - email.length)
      throw new Problem('conflict', 'there is an account with this email: log in instead');
    if (conflict === 1) throw closed();
    if (body.org_code !== undefined) throw new Problem('conflict', `the org code \`${code}\` is taken`);
  }
  throw new Problem('conflict', 'no free org code was found: choose one with `org_code`');
}

function closed(): Problem {
  return new Problem('signup_closed', 'this platform does not take sign-ups');
}

/** The code proposed for the name; a taken code, and a name without such letters, get six more. */
function codeFrom(orgName: string, isFirst: boolean): string {
  const { code } = proposeOrgCode(orgName);
  if (isFirst && code !== undefined) return code;
  const digits = Array.from(secretToken().slice(0, 6), (character) => (character.charCodeAt(0) % 36).toString(36));
  return (code ?? 'org') + digits.join('');
}
