import type { secondFactorsApi } from '@freehold/contract/management/account/second-factors';
import type { BodyOf } from '@freehold/contract/route';
import { type AuditContext, platformAuditEntry } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { mayBeId } from '../../records/port.ts';
import type { Change } from '../../store/port.ts';
import { planAcceptance } from '../invitations/accept-org-invitation.ts';
import { type OrgAccountsDeps, type OrgUser, orgsOf, orgUsers, sessionEpoch } from '../org-users/account.ts';
import { type LoggedIn, planEntry } from '../org-users/log-in.ts';
import type { SessionHolder } from '../sessions/org-sessions.ts';
import { type PasskeySite, userOfHandle } from './passkeys.ts';
import { type Consequence, factorAttempt, type Proved, spendProof } from './prove-factor.ts';
import { type StepClaims, stepUse } from './step-tokens.ts';
import { notify, recoveryCodeUsed } from './stored-factors.ts';

export type CompletedSignIn = BodyOf<typeof secondFactorsApi.completeSignIn>;
export type PasskeySignIn = BodyOf<typeof secondFactorsApi.signInByPasskey>;

/** Where a call without a session comes from. */
export interface SignInSource {
  readonly ip: string;
  readonly requestId: string;
  readonly site: PasskeySite | undefined;
}

/**
 * @throws Problem `token_invalid` for a step that is over, `credentials_invalid`, `second_factor_locked`, `rate_limited`, and
 * those of an acceptance.
 */
export async function completeSignIn(
  deps: OrgAccountsDeps,
  { token, ...proof }: CompletedSignIn,
  source: SignInSource,
): Promise<LoggedIn> {
  const step = deps.steps.open(token);
  if (step?.claims.purpose !== 'sign-in') throw stepIsOver();
  const { user: userId, epoch, org, invitation } = step.claims;
  const given = {
    ...{ userId, proof, site: source.site, uses: [stepUse(step)] },
    attempt: factorAttempt(userId, proof, source.ip),
    requestId: source.requestId,
    accepts: (claims: StepClaims) =>
      claims.purpose === 'passkey factor' && claims.user === userId && claims.step === step.nonce,
    refusal: 'the second factor is not right, or was used before',
  };
  const { loggedIn, codesLeft } = await spendProof(deps, given, async (proved) => {
    const account = (await orgUsers.read(deps.platform, userId))?.value;
    if (account === undefined || sessionEpoch(account) !== epoch) throw stepIsOver();
    const entered =
      invitation === undefined
        ? await planSignIn(deps, account, org)
        : await planAcceptance(deps, { codeHash: invitation, account, requestId: source.requestId });
    if (entered === undefined) throw stepIsOver();
    return withAudit(deps, entered, { proved, requestId: source.requestId });
  });
  if (codesLeft !== undefined) notify(deps.mailer, loggedIn.user.email, recoveryCodeUsed(codesLeft));
  return loggedIn;
}

/** Signs in by a passkey alone, which has verified its user: it is both factors. */
export async function signInByPasskey(
  deps: OrgAccountsDeps,
  { passkey, org }: PasskeySignIn,
  source: SignInSource,
): Promise<LoggedIn> {
  const attempt = { emailKey: 'passkey sign-in', ip: source.ip };
  const refusal = 'the passkey is not known here, was not used for this sign-in, or the org is not right';
  deps.loginThrottle.check(attempt);
  const userId = userOfHandle(passkey.response.userHandle);
  if (!mayBeId(userId)) {
    deps.loginThrottle.recordFailure(attempt);
    throw new Problem('credentials_invalid', refusal);
  }
  const accepts = ({ purpose }: StepClaims) => purpose === 'passkey sign-in';
  const { site, requestId } = source;
  const given = { userId, proof: { passkey }, site, attempt, requestId, accepts, refusal };
  const { loggedIn } = await spendProof(deps, given, async (proved) => {
    const account = (await orgUsers.read(deps.platform, userId))?.value;
    const entered = account === undefined ? undefined : await planSignIn(deps, account, org);
    if (entered === undefined) throw new Problem('credentials_invalid', refusal);
    return { ...entered, factors: proved.factors };
  });
  return loggedIn;
}

interface Entered {
  readonly loggedIn: LoggedIn;
  readonly changes: readonly Change[];
}

async function planSignIn(
  deps: OrgAccountsDeps,
  account: OrgUser & SessionHolder,
  org: string | undefined,
): Promise<Entered | undefined> {
  const orgs = await orgsOf(deps.platform, account.id);
  const chosen = org === undefined ? orgs[0] : orgs.find(({ code }) => code === org);
  return chosen === undefined ? undefined : await planEntry(deps, account, { chosen, orgs });
}

interface Completed extends Entered, Consequence {
  /** Where a recovery code was used. */
  readonly codesLeft?: number;
}

/** The use of a recovery code is in the audit log of the org that is entered. */
function withAudit(
  { clock }: OrgAccountsDeps,
  { loggedIn, changes }: Entered,
  { proved, requestId }: { readonly proved: Proved; readonly requestId: string },
): Completed {
  const { factors, method } = proved;
  if (method !== 'recovery_code') return { loggedIn, changes, factors };
  const { user, org } = loggedIn;
  const codesLeft = factors.recovery_codes.length;
  const auditContext: AuditContext = {
    at: timestamp(clock.now()),
    actor: { kind: 'org_user', id: user.id },
    request_id: requestId,
  };
  const target = { kind: 'org_user', id: user.id };
  const audited = { action: 'second_factor.recovery_code_used', target, detail: { left: codesLeft } };
  return { loggedIn, factors, codesLeft, changes: [...changes, platformAuditEntry(org.code, auditContext, audited)] };
}

function stepIsOver(): Problem {
  return new Problem('token_invalid', 'this sign-in is over: begin it again');
}
