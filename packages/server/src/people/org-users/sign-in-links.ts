import type { commandSignInsApi } from '@freehold/contract/management/sign-in-links';
import type { BodyOf } from '@freehold/contract/route';
import { timestamp } from '../../lib/clock.ts';
import { secretHash, secretToken } from '../../lib/ids.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { asRead, json, table } from '../../store/table.ts';
import { transact } from '../../store/transact.ts';
import {
  codeLifetimeMilliseconds,
  goodNoMore,
  newSignInCode,
  signInCodeEnd,
  spendCode,
} from '../realm/mailed-codes.ts';
import { askFactor, type SignInStep } from '../second-factors/prove-factor.ts';
import { findSession, isActiveSession, nameLink, type OrgCaller } from '../sessions/org-sessions.ts';
import { type OrgAccountsDeps, orgsOf, orgUsers } from './account.ts';
import { type LoggedIn, type LogInSource, planEntry } from './log-in.ts';

export type SignInLinks = ReturnType<typeof createSignInLinks>;

/**
 * Links by which a builder signs in once more, once and soon, and while the session goes on that a link was made in. For
 * development: the demo prints one.
 */
export function createSignInLinks(deps: OrgAccountsDeps) {
  return {
    /**
     * The code of a link for the caller; the former link of his session ends.
     * @throws Problem `not_found` if his account is gone, `token_invalid` if his session is.
     */
    issue: (caller: OrgCaller) => issueLink(deps, caller),
    /**
     * A session in the first of the orgs of the code's owner, or the step to it where he has a second factor.
     * @throws Problem `not_found`, `rate_limited`.
     */
    use: (code: string, source: LogInSource) => openLink(deps, code, source),
  };
}

async function issueLink({ platform, clock }: OrgAccountsDeps, caller: OrgCaller) {
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
      if (session === undefined || !(await isActiveSession(platform, holder.id, session))) throw goodNoMore();
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

/**
 * The sign-in of the command line by a browser: the command makes a secret, its verifier, and shows the console the
 * SHA-256 of it, the challenge. A builder allows or denies that challenge once. Of an allowed one he gives the command
 * a code, which opens a session with the verifier alone.
 */
export function createCommandSignIns(deps: OrgAccountsDeps) {
  return {
    /** @throws Problem `conflict` where the challenge is decided, `token_invalid` where the session has ended. */
    decide: (caller: OrgCaller, decision: SignInDecision) => decide(deps, caller, decision),
    /** @throws Problem `not_found`, `rate_limited`. */
    use: (proof: Proof, ip: string) => open(deps, proof, ip),
  };
}

type SignInDecision = BodyOf<typeof commandSignInsApi.decideCommandSignIn>;
type Proof = BodyOf<typeof commandSignInsApi.signInCommand>;

/** The decision on a challenge, with its builder and session. */
interface StoredDecision {
  readonly user_id: string;
  readonly org: string;
  readonly session: string;
  /** Of the code; absent once it is used, and after a denial. */
  readonly code_hash?: string | undefined;
}

const codeMilliseconds = 5 * 60 * 1000;
/** For so long a challenge that was denied, or whose code was used, cannot be allowed. No command waits as long. */
const decidedMilliseconds = 60 * 60 * 1000;

/** By challenge. */
const decisions = table(
  (challenge: string) => ({ pk: 'command-sign-in', sk: challenge }),
  json<StoredDecision>('sign-in of a command', { user_id: 'string', org: 'string', session: 'string' }),
);

async function decide(
  { platform, clock }: OrgAccountsDeps,
  { user, org, sessionId }: OrgCaller,
  { challenge, allow }: SignInDecision,
) {
  const code = secretToken();
  const at = clock.now() + (allow ? codeMilliseconds : decidedMilliseconds);
  const who = { user_id: user.id, org: org.code, session: sessionId };
  const stored: StoredDecision = allow ? { ...who, code_hash: secretHash(code) } : who;
  await transact(platform, async () => {
    if (!(await isActiveSession(platform, user.id, sessionId)))
      throw new Problem('token_invalid', 'the session has ended');
    if ((await decisions.read(platform, challenge)) !== undefined)
      throw new Problem('conflict', 'this sign-in is decided: start another one');
    return { changes: [decisions.insert(challenge, stored, { at, queue: 'expire' })] };
  });
  return { ...(allow ? { code } : {}), expires_at: timestamp(at) };
}

/** Finds a decision by the verifier's hash, and compares the code by its hash, so that no timing shows a part of it. */
async function open(deps: OrgAccountsDeps, { code, verifier, org }: Proof, ip: string): Promise<LoggedIn> {
  const { platform, clock, loginThrottle } = deps;
  const attempt = { emailKey: 'sign-in of a command', ip };
  loginThrottle.check(attempt);
  try {
    const { planned } = await transact(platform, async () => {
      const challenge = secretHash(verifier);
      const decision = await decisions.read(platform, challenge);
      if (decision?.value.code_hash !== secretHash(code)) throw refused();
      const { user_id, session, org: allowed } = decision.value;
      if (org !== undefined && org !== allowed) throw refused();
      const caller = await findSession(platform, { userId: user_id, sessionId: session, org: allowed });
      if (caller === undefined) throw refused();
      const orgs = await orgsOf(platform, user_id);
      const chosen = orgs.find((one) => one.code === allowed);
      if (chosen === undefined) throw refused();
      const holder = { ...caller.user, session_epoch: caller.session_epoch };
      const { loggedIn, changes } = await planEntry(deps, holder, { chosen, orgs });
      const due = { at: clock.now() + decidedMilliseconds, queue: 'expire' } as const;
      const used = decisions.put(challenge, { user_id, session, org: allowed }, { if: asRead(decision), due });
      return { loggedIn, changes: [used, ...changes] };
    });
    loginThrottle.recordSuccess(attempt);
    return planned.loggedIn;
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') loginThrottle.recordFailure(attempt);
    throw error;
  }
}

/** The same for a code that never was, one of another command or org, and a used, expired or denied one. */
function refused(): Problem {
  return new Problem('not_found', 'the code is not valid for this command: start another sign-in');
}
