import type { secondFactorsApi } from '@freehold/contract/management/account/second-factors';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import { type AuditContext, type Audited, platformAuditEntry } from '../../audit/audit-entry.ts';
import { thenBump } from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { invalidBody, notFound, Problem } from '../../lib/problem.ts';
import type { Change } from '../../store/port.ts';
import { type CommitPlan, transact } from '../../store/transact.ts';
import { type OrgAccountsDeps, orgRealm, orgUsers, sessionEpoch, withNextEpoch } from '../org-users/account.ts';
import { requirePassword } from '../realm/passwords.ts';
import { personGone } from '../realm/realm.ts';
import { provePassword, wrongCurrentPassword } from '../realm/set-password.ts';
import { keepSession, type OrgCaller, otherSessionEnds, sessionsKeyOf } from '../sessions/org-sessions.ts';
import { base32, makeRecoveryCodes, matchingStep, newTotpSecret, otpauthUri } from './factor-codes.ts';
import {
  madePasskey,
  openChallenge,
  type PasskeyCreation,
  type PasskeyRequest,
  type PasskeySite,
  passkeyCreation,
  passkeyRequest,
  passkeysMax,
  requireSite,
} from './passkeys.ts';
import {
  type Consequence,
  type FactorProof,
  factorAttempt,
  spendProof,
  totpPlace,
  unlockingMethods,
} from './prove-factor.ts';
import { type StepClaims, stepUse } from './step-tokens.ts';
import {
  factorChange,
  isProtected,
  noFactors,
  notify,
  readFactors,
  recoveryCodeUsed,
  type StoredFactors,
  type StoredPasskey,
  storedFactors,
} from './stored-factors.ts';

type Api = typeof secondFactorsApi;
type ShownFactors = ReplyOf<Api['listSecondFactors']>;
export type NewFactor = BodyOf<Api['confirmTotp']>;
type FactorAdded = ReplyOf<Api['confirmTotp']>;

const pendingMilliseconds = 15 * 60 * 1000;

export async function listFactors(
  { platform }: OrgAccountsDeps,
  { caller, site }: OwnFactorRequest,
): Promise<ShownFactors> {
  const factors = (await readFactors(platform, caller.user.id)) ?? noFactors;
  const { totp, passkeys, recovery_codes } = factors;
  const locked = unlockingMethods(factors, site).length > 0 ? { locked: true as const } : {};
  return {
    totp: totp === undefined ? null : { confirmed_at: totp.confirmed_at, last_used_at: totp.last_used_at, ...locked },
    passkeys: passkeys.map(shownPasskey),
    recovery_codes: recovery_codes.length,
    passkey_site: site?.host ?? null,
  };
}

function shownPasskey({ id, name, created_at, last_used_at, is_backed_up }: StoredPasskey) {
  return { id, name, created_at, last_used_at, is_backed_up };
}

/** @throws Problem `not_found`. */
export async function factorChallenge(
  deps: OrgAccountsDeps,
  { caller, site }: OwnFactorRequest,
): Promise<PasskeyRequest> {
  const at = requireSite(site);
  const { passkeys } = (await readFactors(deps.platform, caller.user.id)) ?? noFactors;
  if (passkeys.length === 0) throw notFound();
  const claims = { purpose: 'passkey proof', user: caller.user.id, session: caller.sessionId } as const;
  return passkeyRequest(deps.steps.make(claims).token, at, passkeys);
}

/** Makes a secret that protects nothing yet. */
export async function beginTotp(
  deps: OrgAccountsDeps,
  request: OwnFactorRequest,
  proof: OwnProof,
): Promise<ReplyOf<Api['beginTotp']>> {
  const { id, email } = request.caller.user;
  const secret = newTotpSecret();
  const expires_at = timestamp(deps.clock.now() + pendingMilliseconds);
  const sealed = deps.sealer.seal(secret.toString('base64url'), totpPlace(id));
  await withProof(deps, request, {
    proof,
    change: async (factors) => ({ factors: { ...factors, pending_totp: { sealed, expires_at } }, changes: [] }),
  });
  return { secret: base32(secret), uri: otpauthUri(secret, { issuer: 'Freehold', account: email }), expires_at };
}

/** @throws Problem `not_found` where no secret waits, `credentials_invalid`. */
export function confirmTotp(
  deps: OrgAccountsDeps,
  request: OwnFactorRequest,
  { code }: NewFactor,
): Promise<FactorAdded> {
  const { clock, sealer } = deps;
  return addFactor(deps, request, async ({ pending_totp, ...factors }) => {
    const now = clock.now();
    if (pending_totp === undefined || Date.parse(pending_totp.expires_at) <= now)
      throw new Problem('not_found', 'no authenticator app waits for its code: begin again');
    const { sealed } = pending_totp;
    const secret = Buffer.from(sealer.open(sealed, totpPlace(request.caller.user.id)), 'base64url');
    const last_step = matchingStep(secret, { code, now, lastStep: -1 });
    if (last_step === undefined)
      throw new Problem('credentials_invalid', 'the code is not right: check the clock of the device');
    const totp = { sealed, confirmed_at: timestamp(now), last_step };
    return { factors: { ...factors, totp }, changes: [], kind: 'totp' };
  });
}

/** @throws Problem `not_found` where passkeys cannot be made. */
export async function beginPasskey(
  deps: OrgAccountsDeps,
  request: OwnFactorRequest,
  proof: OwnProof,
): Promise<PasskeyCreation> {
  const site = requireSite(request.site);
  const { user, sessionId: session } = request.caller;
  const { passkeys } = await withProof(deps, request, {
    proof,
    change: async (factors) => {
      requireRoom(factors);
      return { factors, changes: [], passkeys: factors.passkeys };
    },
  });
  const { token } = deps.steps.make({ purpose: 'new passkey', user: user.id, session });
  return passkeyCreation(token, site, { user, passkeys });
}

/** @throws Problem `credentials_invalid` where the passkey does not answer a challenge of this session, `conflict`. */
export async function addPasskey(
  deps: OrgAccountsDeps,
  request: OwnFactorRequest,
  body: BodyOf<Api['addPasskey']>,
): Promise<FactorAdded> {
  const { caller } = request;
  const site = requireSite(request.site);
  const challenge = openChallenge(deps.steps, body.passkey.response.clientDataJSON);
  const claims = challenge?.claims;
  const isOwn =
    claims?.purpose === 'new passkey' && claims.user === caller.user.id && claims.session === caller.sessionId;
  const made = isOwn ? await madePasskey(body, { site, now: deps.clock.now() }) : undefined;
  if (challenge === undefined || made === undefined)
    throw new Problem('credentials_invalid', 'the passkey was not made for this session, or too late: begin again');
  const added = await addFactor(deps, request, async (factors) => {
    requireRoom(factors);
    if (factors.passkeys.some(({ id }) => id === made.id))
      throw new Problem('conflict', 'the account has this passkey already');
    return {
      factors: { ...factors, passkeys: [...factors.passkeys, made] },
      changes: [stepUse(challenge)],
      kind: 'passkey',
    };
  });
  return { ...added, passkey: shownPasskey(made) };
}

function requireRoom({ passkeys }: StoredFactors): void {
  if (passkeys.length < passkeysMax) return;
  throw new Problem('conflict', `an account has at most ${passkeysMax} passkeys: remove one first`);
}

/** @throws Problem `not_found`. */
export async function renamePasskey(
  { platform }: OrgAccountsDeps,
  { caller }: OwnFactorRequest,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<ReplyOf<Api['renamePasskey']>> {
  const { planned } = await transact(platform, async () => {
    const row = await storedFactors.read(platform, caller.user.id);
    const held = row?.value.passkeys.find((one) => one.id === id);
    if (row === undefined || held === undefined) throw notFound();
    const renamed = { ...held, name };
    const passkeys = row.value.passkeys.map((one) => (one.id === id ? renamed : one));
    return { renamed, changes: factorChange(caller.user.id, row, { ...row.value, passkeys }) };
  });
  return shownPasskey(planned.renamed);
}

/** @param id `totp`, or that of a passkey. @throws Problem `not_found`. */
export async function removeFactor(
  deps: OrgAccountsDeps,
  request: OwnFactorRequest,
  { id, proof }: { readonly id: string; readonly proof: OwnProof },
): Promise<void> {
  const { factors: left } = await withProof(deps, request, {
    proof,
    change: async (before) => {
      const factors =
        id === 'totp'
          ? { ...before, totp: undefined }
          : { ...before, passkeys: before.passkeys.filter((one) => one.id !== id) };
      const isThere = id === 'totp' ? before.totp !== undefined : factors.passkeys.length < before.passkeys.length;
      if (!isThere) throw notFound();
      const kind = id === 'totp' ? id : 'passkey';
      return { factors, changes: [audit(request, { action: 'second_factor.removed', detail: { kind } })] };
    },
  });
  const protects = isProtected(left) ? '' : ' It was the last one: the account has the password alone now.';
  notify(deps.mailer, request.caller.user.email, `a second factor of your account was removed.${protects}`);
}

/** The former codes end. @throws Problem `conflict` where the account has no factor. */
export async function renewRecoveryCodes(
  deps: OrgAccountsDeps,
  request: OwnFactorRequest,
  proof: OwnProof,
): Promise<ReplyOf<Api['renewRecoveryCodes']>> {
  const { codes, hashes } = makeRecoveryCodes();
  await withProof(deps, request, {
    proof,
    change: async (factors) => {
      if (!isProtected(factors))
        throw new Problem('conflict', 'recovery codes are for accounts with a second factor: add one first');
      const audited = audit(request, { action: 'second_factor.recovery_codes_renewed' });
      return { factors: { ...factors, recovery_codes: hashes }, changes: [audited] };
    },
  });
  return { recovery_codes: codes };
}

interface AddedFactor {
  readonly factors: StoredFactors;
  readonly changes: readonly Change[];
  readonly kind: 'totp' | 'passkey';
}

/**
 * Adds a factor. With the first of an account come recovery codes, and every session but this one ends: it began with
 * a password alone.
 */
async function addFactor(
  deps: OrgAccountsDeps,
  request: OwnFactorRequest,
  add: (before: StoredFactors) => Promise<AddedFactor>,
): Promise<FactorAdded> {
  const { platform, revocations } = deps;
  const { user } = request.caller;
  const { codes, kind } = await thenBump(revocations, sessionsKeyOf(user.id), async () => {
    const { planned } = await transact(
      platform,
      async (): Promise<CommitPlan & { readonly codes?: readonly string[]; readonly kind: string }> => {
        const row = await storedFactors.read(platform, user.id);
        const { factors, changes, kind } = await add(row?.value ?? noFactors);
        const entries = audit(request, { action: 'second_factor.added', detail: { kind } });
        if (isProtected(row?.value))
          return { kind, changes: [...factorChange(user.id, row, factors), ...changes, entries] };
        const made = makeRecoveryCodes();
        const first = factorChange(user.id, row, { ...factors, recovery_codes: made.hashes });
        const ends = await sessionChanges(deps, request);
        return { kind, codes: made.codes, changes: [...first, ...changes, ...ends, entries] };
      },
    );
    return planned;
  });
  const what = kind === 'totp' ? 'an authenticator app' : 'a passkey';
  notify(deps.mailer, user.email, `${what} was added to your account as a second factor.`);
  return codes === undefined ? {} : { recovery_codes: [...codes] };
}

async function sessionChanges({ platform }: OrgAccountsDeps, { caller }: OwnFactorRequest): Promise<readonly Change[]> {
  const account = await orgUsers.read(platform, caller.user.id);
  if (account === undefined) throw personGone();
  const holder = withNextEpoch(account.value);
  return [
    orgUsers.replace(account, holder),
    ...(await keepSession(platform, caller, sessionEpoch(holder))),
    ...(await otherSessionEnds(platform, caller.user.id, caller.sessionId)),
  ];
}

function audit({ caller, auditContext }: OwnFactorRequest, audited: Omit<Audited, 'target'>): Change {
  const target = { kind: 'org_user', id: caller.user.id };
  return platformAuditEntry(caller.org.code, auditContext, { ...audited, target });
}

/** A request for a person's own factors, with its session and audit context. */
export interface OwnFactorRequest {
  readonly caller: OrgCaller;
  readonly auditContext: AuditContext;
  readonly ip: string;
  readonly site: PasskeySite | undefined;
}

/** The proof from a person with a session before the factors of the account change. */
export interface OwnProof extends FactorProof {
  readonly password?: string | undefined;
}

export interface ProvedChange<R extends Consequence> {
  readonly proof: OwnProof;
  readonly change: (factors: StoredFactors) => Promise<R>;
}

/**
 * A session alone changes no factor: who has one proves it in this session, who has none the password. The proof is part
 * of the request, and good for nothing else. A recovery code has an entry of its own in the audit log.
 * @throws Problem `validation_failed`, `credentials_invalid`, `second_factor_locked`, `rate_limited`, `conflict`, and what
 * `change` throws.
 */
async function withProof<R extends Consequence>(
  deps: OrgAccountsDeps,
  request: OwnFactorRequest,
  { proof: { password, ...proof }, change }: ProvedChange<R>,
): Promise<R> {
  const { user, sessionId, org } = request.caller;
  if (!isProtected(await readFactors(deps.platform, user.id))) return withPassword(deps, request, { password, change });
  const accepts = (claims: StepClaims) =>
    claims.purpose === 'passkey proof' && claims.user === user.id && claims.session === sessionId;
  const attempt = factorAttempt(user.id, proof, request.ip);
  const { request_id: requestId } = request.auditContext;
  const given = { userId: user.id, proof, site: request.site, attempt, requestId, accepts };
  const refusal = 'the second factor is not right, or was used before';
  let codesLeft: number | undefined;
  const result = await spendProof(deps, { ...given, refusal }, async ({ factors, method }) => {
    codesLeft = method === 'recovery_code' ? factors.recovery_codes.length : undefined;
    const changed = await change(factors);
    if (codesLeft === undefined) return changed;
    const target = { kind: 'org_user', id: user.id };
    const audited = { action: 'second_factor.recovery_code_used', target, detail: { left: codesLeft, as: 'proof' } };
    return { ...changed, changes: [...changed.changes, platformAuditEntry(org.code, request.auditContext, audited)] };
  });
  if (codesLeft !== undefined) notify(deps.mailer, user.email, recoveryCodeUsed(codesLeft));
  return result;
}

async function withPassword<R extends Consequence>(
  deps: OrgAccountsDeps,
  { caller: { user }, ip }: OwnFactorRequest,
  { password, change }: { readonly password: string | undefined; readonly change: ProvedChange<R>['change'] },
): Promise<R> {
  const { platform } = deps;
  if (password === undefined)
    throw invalidBody([{ pointer: '/password', code: 'required', message: '`password` is required' }]);
  requirePassword(password);
  const account = (await orgUsers.read(platform, user.id))?.value;
  if (account === undefined) throw personGone();
  const attempt = orgRealm(platform).attemptOf(account.email, ip);
  await provePassword(deps, { attempt, password, hash: account.password_hash, refusal: wrongCurrentPassword });
  const { planned } = await transact(platform, async () => {
    const row = await storedFactors.read(platform, user.id);
    if (isProtected(row?.value)) throw new Problem('conflict', 'a second factor was just added: prove that one');
    const result = await change(row?.value ?? noFactors);
    return { result, changes: [...factorChange(user.id, row, result.factors), ...result.changes] };
  });
  return planned.result;
}
