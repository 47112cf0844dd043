import type { secondFactorsApi } from '@freehold/contract/management/account/second-factors';
import type { BodyOf } from '@freehold/contract/route';
import { type AuditContext, auditEntry, platformAuditEntry } from '../../audit/audit-entry.ts';
import { thenBump } from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { mayBeId } from '../../records/port.ts';
import type { Change } from '../../store/port.ts';
import { removeAsRead } from '../../store/table.ts';
import { transact } from '../../store/transact.ts';
import {
  memberships,
  membershipsOf,
  type OrgAccountsDeps,
  type OrgUser,
  type OrgUserCommand,
  orgRealm,
  orgsOf,
  orgUsers,
  sessionEpoch,
  withNextEpoch,
} from '../org-users/account.ts';
import { type LoggedIn, planEntry } from '../org-users/log-in.ts';
import { orgs } from '../org-users/org-directory.ts';
import { planAcceptance } from '../org-users/org-invitations.ts';
import { memberIds } from '../org-users/org-members.ts';
import { type OrgCaller, otherSessionEnds, type SessionHolder, sessionsKeyOf } from '../sessions/org-sessions.ts';
import {
  addPasskey,
  beginPasskey,
  beginTotp,
  confirmTotp,
  factorChallenge,
  listFactors,
  type NewFactor,
  type OwnFactorRequest,
  type OwnProof,
  removeFactor,
  renamePasskey,
  renewRecoveryCodes,
} from './own-factors.ts';
import { type NewPasskey, type PasskeySite, passkeyRequest, requireSite, userOfHandle } from './passkeys.ts';
import { type Consequence, factorAttempt, type Proved, spendProof } from './prove-factor.ts';
import { type StepClaims, stepUse } from './step-tokens.ts';
import { isProtected, notify, recoveryCodeUsed, storedFactors } from './stored-factors.ts';

export type SecondFactors = ReturnType<typeof createSecondFactors>;

/** The second factors of builders: codes of an authenticator app, passkeys, and recovery codes for the loss of both. */
export function createSecondFactors(deps: OrgAccountsDeps) {
  return {
    completeSignIn: (body: CompletedSignIn, source: SignInSource) => completeSignIn(deps, body, source),
    /** @throws Problem `not_found` where there is no site. */
    passkeyChallenge: (site: PasskeySite | undefined) =>
      passkeyRequest(deps.steps.make({ purpose: 'passkey sign-in' }).token, requireSite(site)),
    signInByPasskey: (body: PasskeySignIn, source: SignInSource) => signInByPasskey(deps, body, source),
    list: (request: OwnFactorRequest) => listFactors(deps, request),
    challenge: (request: OwnFactorRequest) => factorChallenge(deps, request),
    beginTotp: (request: OwnFactorRequest, proof: OwnProof) => beginTotp(deps, request, proof),
    confirmTotp: (request: OwnFactorRequest, body: NewFactor) => confirmTotp(deps, request, body),
    beginPasskey: (request: OwnFactorRequest, proof: OwnProof) => beginPasskey(deps, request, proof),
    addPasskey: (request: OwnFactorRequest, body: NewPasskey) => addPasskey(deps, request, body),
    renamePasskey: (request: OwnFactorRequest, change: { readonly id: string; readonly name: string }) =>
      renamePasskey(deps, request, change),
    remove: (request: OwnFactorRequest, removal: { readonly id: string; readonly proof: OwnProof }) =>
      removeFactor(deps, request, removal),
    renewRecoveryCodes: (request: OwnFactorRequest, proof: OwnProof) => renewRecoveryCodes(deps, request, proof),
    changeOrgSecurity: (request: Pick<OwnFactorRequest, 'caller' | 'auditContext'>, security: OrgSecurity) =>
      changeOrgSecurity(deps, request, security),
    /** @throws Problem `not_found`, `conflict`. */
    reset: (command: OrgUserCommand) => resetFactors(deps, command),
    /** @throws Problem `not_found`, `conflict`. */
    resetByOperator: (reset: OperatorReset) => resetFactorsByOperator(deps, reset),
  };
}

export type OrgSecurity = BodyOf<typeof secondFactorsApi.changeOrgSecurity>;

/** @throws Problem `conflict` where an admin without a factor would require one. */
async function changeOrgSecurity(
  deps: OrgAccountsDeps,
  { caller, auditContext }: { readonly caller: OrgCaller; readonly auditContext: AuditContext },
  security: OrgSecurity,
): Promise<OrgSecurity> {
  const { platform, revocations } = deps;
  const { code } = caller.org;
  const second_factor = security.second_factor === 'required' ? 'required' : undefined;
  if (second_factor !== undefined && !caller.hasSecondFactor)
    throw new Problem(
      'conflict',
      'add a second factor to your own account first: without one you could do nothing here',
    );
  await transact(platform, async () => {
    const row = await orgs.read(platform, code);
    if (row === undefined) throw notFound();
    if (row.value.second_factor === second_factor) return { changes: [] };
    const audited = { action: 'org_security.changed', target: { kind: 'org', id: code }, detail: { ...security } };
    const entry = platformAuditEntry(code, auditContext, audited);
    return { changes: [orgs.replace(row, { ...row.value, second_factor }), entry] };
  });
  // Their sessions in the app end at once too.
  for (const id of await memberIds(platform, code)) revocations.bump(sessionsKeyOf(id));
  return security;
}

/**
 * Takes all second factors from a member who has lost them. One who is in other orgs too is not for this org to weaken.
 * @throws Problem `not_found`, `conflict`.
 */
async function resetFactors(deps: OrgAccountsDeps, command: OrgUserCommand): Promise<void> {
  const { platform, revocations, mailer } = deps;
  const { id, orgCode, auditContext } = command;
  if (!mayBeId(id)) throw notFound();
  if (id === auditContext.actor.id)
    throw new Problem('conflict', 'your own second factors are removed on your account, with a proof of one');
  const { planned } = await thenBump(revocations, sessionsKeyOf(id), () =>
    transact(platform, async () => {
      const [membership] = await memberships.readMany(platform, [[id, orgCode]]);
      const account = await orgUsers.read(platform, id);
      if (membership === undefined || account === undefined) throw notFound();
      if ((await membershipsOf(platform, id, 2)).length > 1)
        throw new Problem('conflict', 'the account is in other orgs too, so no org can reset its second factors');
      const row = await storedFactors.read(platform, id);
      if (row === undefined || !isProtected(row.value))
        throw new Problem('conflict', 'the member has no second factor');
      const audited = { action: 'second_factor.reset', target: { kind: 'org_user', id } };
      return {
        email: account.value.email,
        changes: [
          removeAsRead(row),
          orgUsers.replace(account, withNextEpoch(account.value)),
          ...(await otherSessionEnds(platform, id)),
          platformAuditEntry(orgCode, auditContext, audited),
        ],
      };
    }),
  );
  notify(
    mailer,
    planned.email,
    'an admin of your org removed all second factors of your account, and ended its sessions.',
  );
}

export interface OperatorReset {
  readonly email: string;
  readonly reason: string;
  readonly auditContext: AuditContext;
}

/**
 * The same by the operator, for an account that is in several orgs, by its address. Each of the orgs has it in its audit
 * log.
 * @throws Problem `not_found`, `conflict`.
 */
async function resetFactorsByOperator(
  deps: OrgAccountsDeps,
  { email, reason, auditContext }: OperatorReset,
): Promise<{ readonly id: string; readonly orgs: readonly string[] }> {
  const { platform, revocations, mailer } = deps;
  const found = await orgRealm(platform).addresses.read(platform, email);
  if (found === undefined) throw new Problem('not_found', 'there is no account of this address');
  const id = found.value;
  const { planned } = await thenBump(revocations, sessionsKeyOf(id), () =>
    transact(platform, async () => {
      const account = await orgUsers.read(platform, id);
      if (account === undefined) throw notFound();
      const row = await storedFactors.read(platform, id);
      if (row === undefined || !isProtected(row.value))
        throw new Problem('conflict', 'the account has no second factor');
      const codes = (await membershipsOf(platform, id)).map(({ sk }) => sk);
      const audited = { action: 'second_factor.reset', target: { kind: 'org_user', id }, detail: { reason } };
      return {
        reported: { to: account.value.email, orgs: codes },
        changes: [
          removeAsRead(row),
          orgUsers.replace(account, withNextEpoch(account.value)),
          ...(await otherSessionEnds(platform, id)),
          auditEntry(auditContext, audited),
          ...codes.map((code) => platformAuditEntry(code, auditContext, audited)),
        ],
      };
    }),
  );
  const { to, orgs: codes } = planned.reported;
  notify(
    mailer,
    to,
    'the operator of the platform removed all second factors of your account, and ended its sessions.',
  );
  return { id, orgs: codes };
}

export type CompletedSignIn = BodyOf<typeof secondFactorsApi.completeSignIn>;
export type PasskeySignIn = BodyOf<typeof secondFactorsApi.signInByPasskey>;

/** The source of a call without a session. */
export interface SignInSource {
  readonly ip: string;
  readonly requestId: string;
  readonly site: PasskeySite | undefined;
}

/**
 * @throws Problem `token_invalid` for a step that is over, `credentials_invalid`, `second_factor_locked`, `rate_limited`, and
 * those of an acceptance.
 */
async function completeSignIn(
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
async function signInByPasskey(
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
  /** The recovery codes that are left, if a recovery code was used. */
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
