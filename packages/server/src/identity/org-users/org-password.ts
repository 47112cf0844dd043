import { thenBump } from '../../iam/port.ts';
import { resetPasswordMail } from '../../mail/mail-texts.ts';
import { type PasswordRealm, personGone } from '../people/realm.ts';
import {
  changePassword,
  type Forgotten,
  forgotPassword,
  type PasswordChange,
  type PasswordReset,
  resetPassword,
} from '../people/set-password.ts';
import { keepSession, type OrgCaller, otherSessionEnds, sessionsKeyOf } from '../sessions/org-sessions.ts';
import {
  type OrgAccountsDeps,
  orgRealm,
  passwordLengthMin,
  type StoredOrgUser,
  sessionEpoch,
  withNextEpoch,
} from './account.ts';

/** The data of a request without a session: its sender, and under what address this platform's pages are. */
export interface MailRequestSource {
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
