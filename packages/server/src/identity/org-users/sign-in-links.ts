import { timestamp } from '../../lib/clock.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { transact } from '../../store/transact.ts';
import {
  codeLifetimeMilliseconds,
  goodNoMore,
  newSignInCode,
  signInCodeEnd,
  spendCode,
} from '../people/mailed-codes.ts';
import { askFactor, type SignInStep } from '../second-factors/prove-factor.ts';
import { isStanding, nameLink, type OrgCaller } from '../sessions/org-sessions.ts';
import { type OrgAccountsDeps, orgsOf, orgUsers } from './account.ts';
import { type LoggedIn, type LogInSource, planEntry } from './log-in.ts';

/**
 * Links by which a builder signs in once more, once and soon, and while the session goes on that a link was made in. For
 * development: the demo prints one.
 */
export interface SignInLinks {
  /**
   * The code of a link for the caller; the former link of his session ends.
   * @throws Problem `not_found` if his account is gone, `token_invalid` if his session is.
   */
  issue(caller: OrgCaller): Promise<IssuedCode>;
  /**
   * A session in the first of the orgs of the code's owner, or the step to it where he has a second factor.
   * @throws Problem `not_found`, `rate_limited`.
   */
  use(code: string, source: LogInSource): Promise<LoggedIn | SignInStep>;
}

export interface IssuedCode {
  readonly code: string;
  readonly expires_at: string;
}

export function createSignInLinks(deps: OrgAccountsDeps): SignInLinks {
  return { issue: (caller) => issueLink(deps, caller), use: (code, source) => openLink(deps, code, source) };
}

async function issueLink({ platform, clock }: OrgAccountsDeps, caller: OrgCaller): Promise<IssuedCode> {
  const account = await orgUsers.read(platform, caller.user.id);
  if (account === undefined) throw notFound();
  const expires_at = timestamp(clock.now() + codeLifetimeMilliseconds['sign-in']);
  const { code, codeHash, change } = newSignInCode(clock, account.value, caller.sessionId);
  await transact(platform, async () => {
    const named = await nameLink(platform, caller, codeHash);
    const ends = named.former === undefined ? [] : [signInCodeEnd(named.former)];
    return { changes: [change, named.change, ...ends] };
  });
  return { code, expires_at };
}

/** The code is found by its hash: how much of a guess is right changes nothing about the time that it takes. */
async function openLink(
  deps: OrgAccountsDeps,
  code: string,
  { ip, site }: LogInSource,
): Promise<LoggedIn | SignInStep> {
  const { platform, loginThrottle } = deps;
  const attempt = { emailKey: 'sign-in link', ip };
  loginThrottle.check(attempt);
  try {
    const use = { purpose: 'sign-in', code, accounts: orgUsers } as const;
    const { loggedIn } = await spendCode(platform, use, async (holder, session) => {
      if (session === undefined || !(await isStanding(platform, holder.id, session))) throw goodNoMore();
      const orgs = await orgsOf(platform, holder.id);
      const [chosen] = orgs;
      if (chosen === undefined) throw notFound();
      const step = await askFactor(deps, holder, { org: chosen.code, site });
      if (step !== undefined) return { holder, along: [], loggedIn: step };
      const { loggedIn, changes } = await planEntry(deps, holder, { chosen, orgs });
      return { holder, along: changes, loggedIn };
    });
    loginThrottle.recordSuccess(attempt);
    return loggedIn;
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') loginThrottle.recordFailure(attempt);
    throw error;
  }
}
