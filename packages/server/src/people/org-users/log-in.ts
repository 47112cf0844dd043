import type { accountsApi } from '@freehold/contract/management/accounts';
import type { orgUsersApi } from '@freehold/contract/management/org-users';
import type { BodyOf } from '@freehold/contract/route';
import { notFound } from '../../lib/problem.ts';
import type { Change } from '../../store/port.ts';
import { tryCommit } from '../../store/transact.ts';
import { requirePassword } from '../realm/passwords.ts';
import { logInTo } from '../realm/realm.ts';
import type { PasskeySite } from '../second-factors/passkeys.ts';
import { askFactor, type SignInStep } from '../second-factors/prove-factor.ts';
import { type IssuedSession, newSession, type OrgCaller, type SessionHolder } from '../sessions/org-sessions.ts';
import { memberships, type OrgAccountsDeps, type OrgSummary, type OrgUser, orgRealm, orgsOf } from './account.ts';

export interface LoggedIn extends IssuedSession {
  readonly user: OrgUser;
  readonly org: { readonly code: string; readonly name: string };
  readonly orgs: readonly OrgSummary[];
}

export type LogIn = BodyOf<typeof accountsApi.logIn>;
export type OrgSwitch = BodyOf<typeof orgUsersApi.switchOrg>;

/** The address of a call without a session, and the site where passkeys may be used. */
export interface LogInSource {
  readonly ip: string;
  readonly site?: PasskeySite | undefined;
}

/** A session, or the step to it where the account has a second factor. @throws Problem `validation_failed`, `credentials_invalid`, `rate_limited`. */
export async function logIn(
  deps: OrgAccountsDeps,
  body: LogIn,
  { ip, site }: LogInSource,
): Promise<LoggedIn | SignInStep> {
  const { email, password } = body;
  requirePassword(password);
  return logInTo(deps, orgRealm(deps.platform), {
    ...{ email, password, ip },
    admit: async (stored) => {
      const orgs = await orgsOf(deps.platform, stored.id);
      const chosen = body.org === undefined ? orgs[0] : orgs.find(({ code }) => code === body.org);
      if (chosen === undefined) return undefined;
      return (await askFactor(deps, stored, { org: body.org, site })) ?? enter(deps, stored, { chosen, orgs });
    },
    refusal: 'the email, the password or the org is not right',
  });
}

/** A session in another org of the caller's, beside the one in hand. @throws Problem `not_found`. */
export async function switchOrg(
  deps: OrgAccountsDeps,
  { user, session_epoch }: OrgCaller,
  { org }: OrgSwitch,
): Promise<LoggedIn> {
  const orgs = await orgsOf(deps.platform, user.id);
  const chosen = orgs.find(({ code }) => code === org);
  const loggedIn = chosen === undefined ? undefined : await enter(deps, { ...user, session_epoch }, { chosen, orgs });
  if (loggedIn === undefined) throw notFound();
  return loggedIn;
}

interface OrgChoice {
  readonly chosen: OrgSummary;
  readonly orgs: readonly OrgSummary[];
}

/** Undefined where the person has left the org meanwhile. */
async function enter(
  deps: OrgAccountsDeps,
  person: OrgUser & SessionHolder,
  choice: OrgChoice,
): Promise<LoggedIn | undefined> {
  const { loggedIn, changes } = await planEntry(deps, person, choice);
  return (await tryCommit(deps.platform, changes)) ? loggedIn : undefined;
}

/** The changes by which a person has a session in an org; the first is refused where he has left it. */
export async function planEntry(
  deps: OrgAccountsDeps,
  { id, email, name, session_epoch }: OrgUser & SessionHolder,
  { chosen, orgs }: OrgChoice,
): Promise<{ readonly loggedIn: LoggedIn; readonly changes: readonly Change[] }> {
  const { token, expires_at, changes } = await newSession(deps, { id, session_epoch }, chosen.code);
  const isMember = { kind: 'check', ...memberships.key([id, chosen.code]), if: 'present' } as const;
  const org = { code: chosen.code, name: chosen.name };
  return { loggedIn: { token, expires_at, user: { id, email, name }, org, orgs }, changes: [isMember, ...changes] };
}
