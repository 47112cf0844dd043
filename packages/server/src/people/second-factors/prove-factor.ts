import type { accountsApi } from '@freehold/contract/management/accounts';
import type { ReplyOf } from '@freehold/contract/route';
import { platformAuditEntry } from '../../audit/audit-entry.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import { rateLimited } from '../../lib/throttle.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { Sealer } from '../../records/port.ts';
import type { Change, Key, Put, Scope } from '../../store/port.ts';
import type { Row } from '../../store/table.ts';
import { type CommitPlan, transact } from '../../store/transact.ts';
import { eachItem } from '../../store/walk.ts';
import { membershipsOf, orgUsers } from '../org-users/account.ts';
import type { LoginThrottle, SignInAttempt } from '../realm/realm.ts';
import type { SessionHolder } from '../sessions/org-sessions.ts';
import { matchingStep, recoveryHash } from './factor-codes.ts';
import { openChallenge, type PasskeyAssertion, type PasskeySite, passkeyRequest, usedPasskey } from './passkeys.ts';
import { type StepClaims, type StepTokens, stepUse } from './step-tokens.ts';
import {
  factorChange,
  isProtected,
  noFactors,
  notify,
  readFactors,
  type StoredFactors,
  storedFactors,
} from './stored-factors.ts';

/** The reply to a sign-in in place of a session, where the account has a second factor. */
export type SignInStep = Extract<ReplyOf<typeof accountsApi.logIn>, { readonly second_factor: unknown }>;

/** The goal of a sign-in, once the factor is proved. */
export interface SignInGoal {
  readonly org?: string | undefined;
  /** The hash of the code of an invitation that is then accepted. */
  readonly invitation?: string | undefined;
  readonly site: PasskeySite | undefined;
}

/** The step that a person has yet to take who has proved the password; undefined where the account has no factor. */
export async function askFactor(
  { platform, steps }: Pick<FactorDeps, 'platform' | 'steps'>,
  { id, session_epoch = 0 }: SessionHolder,
  { org, invitation, site }: SignInGoal,
): Promise<SignInStep | undefined> {
  const factors = await readFactors(platform, id);
  if (factors === undefined || !isProtected(factors)) return undefined;
  const { token, nonce, expiresAt } = steps.make({
    purpose: 'sign-in',
    user: id,
    epoch: session_epoch,
    org,
    invitation,
  });
  const { totp, passkeys, recovery_codes } = factors;
  const isLocked = unlockingMethods(factors, site).length > 0;
  const usable = site === undefined || passkeys.length === 0 ? undefined : site;
  const challenge = (at: PasskeySite) =>
    passkeyRequest(steps.make({ purpose: 'passkey factor', user: id, step: nonce }).token, at, passkeys);
  return {
    second_factor: {
      methods: [
        ...(usable === undefined ? [] : (['passkey'] as const)),
        ...(totp === undefined || isLocked ? [] : (['totp'] as const)),
        ...(recovery_codes.length === 0 ? [] : (['recovery_code'] as const)),
      ],
      token,
      expires_at: timestamp(expiresAt),
      ...(isLocked ? { codes_locked: true as const } : {}),
      ...(usable === undefined ? {} : { passkey: challenge(usable) }),
    },
  };
}

interface FactorDeps {
  readonly platform: Scope;
  readonly clock: Clock;
  readonly loginThrottle: LoginThrottle;
  readonly sealer: Sealer;
  readonly steps: StepTokens;
  readonly mailer?: Mailer | undefined;
}

/** The proof of a factor: one of these. */
export interface FactorProof {
  readonly code?: string | undefined;
  readonly recovery_code?: string | undefined;
  readonly passkey?: PasskeyAssertion | undefined;
}

export interface GivenProof {
  readonly userId: string;
  readonly proof: FactorProof;
  readonly site: PasskeySite | undefined;
  readonly attempt: FactorAttempt;
  readonly requestId: string;
  /** Whether a passkey may have signed a challenge that was made for this. */
  readonly accepts: (claims: StepClaims) => boolean;
  /** The rows that the proof uses up beside itself. */
  readonly uses?: readonly Put[];
  readonly refusal: string;
}

export interface Proved {
  readonly method: 'totp' | 'recovery_code' | 'passkey';
  /** As they are after the proof, which is used up. */
  readonly factors: StoredFactors;
}

/** The changes of a proof, in the same commit. */
export interface Consequence {
  readonly factors: StoredFactors;
  readonly changes: readonly Change[];
}

/** Codes are counted in the row of the factors, and here for the network alone: they must not keep out other proofs. */
export type FactorAttempt = Pick<SignInAttempt, 'ip'> & Partial<Pick<SignInAttempt, 'emailKey'>>;

export function factorAttempt(userId: string, { code }: FactorProof, ip: string): FactorAttempt {
  return code === undefined ? { emailKey: `second factor ${userId}`, ip } : { ip };
}

/**
 * Takes a proof of a second factor, once, and commits with it what follows. Guesses of codes are counted in the row
 * itself, so that no number of networks, nodes or requests side by side gives more of them.
 * @throws Problem `validation_failed`, `credentials_invalid`, `second_factor_locked`, `rate_limited`, and what `then` throws.
 */
export async function spendProof<R extends Consequence>(
  deps: FactorDeps,
  given: GivenProof,
  then: (proved: Proved) => Promise<R>,
): Promise<R> {
  const { platform, loginThrottle } = deps;
  const { userId, attempt } = given;
  requireOne(given.proof);
  loginThrottle.check(attempt);
  const { planned } = await transact(
    platform,
    async (): Promise<CommitPlan & { readonly result?: R; locked?: CodesLocked }> => {
      const row = await storedFactors.read(platform, userId);
      const before = row?.value ?? noFactors;
      if (given.proof.code !== undefined) requireOpenCodes(before, given.site, deps.clock.now());
      const judged = isProtected(before) ? await judge(deps, given, before) : undefined;
      if (judged === undefined) return planRefusal(deps, given, row);
      const result = await then(judged);
      const uses = [...(given.uses ?? []), ...judged.uses];
      const refused = (change: number): void => {
        if (change < uses.length) throw new Problem('credentials_invalid', given.refusal);
      };
      return { changes: [...uses, ...factorChange(userId, row, result.factors), ...result.changes], refused, result };
    },
  );
  if (planned.result === undefined) {
    if (planned.locked !== undefined) notify(deps.mailer, planned.locked.to, planned.locked.sentence);
    loginThrottle.recordFailure(attempt);
    throw new Problem('credentials_invalid', given.refusal);
  }
  loginThrottle.recordSuccess(attempt);
  return planned.result;
}

function requireOne({ code, recovery_code, passkey }: FactorProof): void {
  if ([code, recovery_code, passkey].filter((one) => one !== undefined).length === 1) return;
  const message = 'a second factor is proved by one of `code`, `recovery_code` and `passkey`';
  throw invalidBody([{ pointer: '', code: 'required', message }]);
}

/** A wrong code counts; what cannot be guessed does not. */
async function planRefusal(
  { platform, clock }: FactorDeps,
  { userId, proof, site, requestId }: GivenProof,
  row: Row<StoredFactors> | undefined,
): Promise<CommitPlan & { readonly locked?: CodesLocked }> {
  if (proof.code === undefined || row === undefined || !isProtected(row.value)) return { changes: [] };
  const now = clock.now();
  const counted = withWrongCode(row.value, now);
  const locked = await codesLocked(platform, counted, { userId, requestId, site, now });
  const changes = factorChange(userId, row, counted);
  return locked === undefined ? { changes } : { changes: [...changes, ...locked.entries], locked };
}

type ProvedFactor = Proved & { readonly uses: readonly Put[] };

async function judge(deps: FactorDeps, given: GivenProof, before: StoredFactors): Promise<ProvedFactor | undefined> {
  const { code, recovery_code, passkey } = given.proof;
  if (code !== undefined) return judgeCode(deps, given.userId, { code, before });
  if (recovery_code !== undefined) return judgeRecoveryCode(recovery_code, before);
  return passkey === undefined ? undefined : judgePasskey(deps, given, { passkey, before });
}

export function totpPlace(userId: string) {
  return { scope: 'platform', entityName: 'second-factors', id: userId, field: 'totp' };
}

function judgeCode(
  { sealer, clock }: FactorDeps,
  userId: string,
  { code, before }: { readonly code: string; readonly before: StoredFactors },
): ProvedFactor | undefined {
  const { totp } = before;
  if (totp === undefined) return undefined;
  const secret = Buffer.from(sealer.open(totp.sealed, totpPlace(userId)), 'base64url');
  const now = clock.now();
  const step = matchingStep(secret, { code, now, lastStep: totp.last_step });
  if (step === undefined) return undefined;
  const used = { ...totp, last_step: step, last_used_at: timestamp(now) };
  return { method: 'totp', factors: { ...before, totp: used, failures: undefined }, uses: [] };
}

function judgeRecoveryCode(typed: string, before: StoredFactors): ProvedFactor | undefined {
  const used = recoveryHash(typed);
  const recovery_codes = before.recovery_codes.filter((hash) => hash !== used);
  if (recovery_codes.length === before.recovery_codes.length) return undefined;
  return { method: 'recovery_code', factors: { ...before, recovery_codes, failures: undefined }, uses: [] };
}

async function judgePasskey(
  { steps, clock }: FactorDeps,
  { site, accepts }: GivenProof,
  { passkey, before }: { readonly passkey: PasskeyAssertion; readonly before: StoredFactors },
): Promise<ProvedFactor | undefined> {
  const held = before.passkeys.find(({ id }) => id === passkey.id);
  const challenge = openChallenge(steps, passkey.response.clientDataJSON);
  if (site === undefined || held === undefined || challenge === undefined || !accepts(challenge.claims))
    return undefined;
  const used = await usedPasskey(held, { assertion: passkey, site, now: clock.now() });
  if (used === undefined) return undefined;
  const passkeys = before.passkeys.map((one) => (one.id === used.id ? used : one));
  return { method: 'passkey', factors: { ...before, passkeys, failures: undefined }, uses: [stepUse(challenge)] };
}

const rowsPerRead = 200;
const listedMax = 1000;

/** Opens each secret of an authenticator app, confirmed or not, and shows none. */
export async function openSealedFactors(platform: Scope, sealer: Pick<Sealer, 'open'>) {
  const unopened: Key[] = [];
  let sealed = 0;
  let unopenedCount = 0;
  for await (const item of eachItem(platform, storedFactors.key('').pk, rowsPerRead)) {
    const { totp, pending_totp } = storedFactors.row(platform, item).value;
    const secrets = [totp, pending_totp].flatMap((one) => (one === undefined ? [] : [one.sealed]));
    if (secrets.length > 0) sealed += 1;
    if (secrets.every((secret) => opens(sealer, secret, item.sk))) continue;
    unopenedCount += 1;
    if (unopened.length < listedMax) unopened.push({ pk: item.pk, sk: item.sk });
  }
  return { sealed, unopened, unopenedCount };
}

function opens(sealer: Pick<Sealer, 'open'>, sealed: string, userId: string): boolean {
  try {
    sealer.open(sealed, totpPlace(userId));
    return true;
  } catch {
    return false;
  }
}

/** So many in a row, and no other code is taken before a passkey or a recovery code was used. */
const wrongCodesMax = 10;

const pauseMilliseconds = 15 * 60 * 1000;
const pauseMillisecondsMax = 24 * 60 * 60 * 1000;

/** The methods that unlock an account's codes; empty if they are not locked, or if it has nothing else to prove. */
export function unlockingMethods(
  { failures, passkeys, recovery_codes }: StoredFactors,
  site: object | undefined,
): readonly ('passkey' | 'recovery_code')[] {
  if (failures === undefined || failures.count < wrongCodesMax) return [];
  return [
    ...(passkeys.length > 0 && site !== undefined ? (['passkey'] as const) : []),
    ...(recovery_codes.length > 0 ? (['recovery_code'] as const) : []),
  ];
}

const methodNames = { passkey: 'a passkey', recovery_code: 'a recovery code' } as const;

/**
 * An account without another factor waits twice as long after each wrong code, since it must not be locked for ever.
 * @throws Problem `second_factor_locked`, `rate_limited`.
 */
function requireOpenCodes(factors: StoredFactors, site: object | undefined, now: number): void {
  const { failures } = factors;
  if (failures === undefined || failures.count < wrongCodesMax) return;
  const methods = unlockingMethods(factors, site);
  if (methods.length > 0) {
    const sentence = `no code is taken after ${wrongCodesMax} wrong ones: use ${waysOf(methods)}`;
    throw new Problem('second_factor_locked', sentence, { methods });
  }
  const pause = Math.min(pauseMilliseconds * 2 ** (failures.count - wrongCodesMax), pauseMillisecondsMax);
  // A time ahead of now means that the clock was set back, which must not hold for longer.
  const wait = Math.min(pause, Date.parse(failures.since) + pause - now);
  if (wait > 0) throw rateLimited('too many wrong codes for this account', wait);
}

function withWrongCode(factors: StoredFactors, now: number): StoredFactors {
  return { ...factors, failures: { count: (factors.failures?.count ?? 0) + 1, since: timestamp(now) } };
}

/** The changes and the mail that follow when codes get locked. */
export interface CodesLocked {
  readonly to: string;
  readonly sentence: string;
  readonly entries: readonly Change[];
}

interface WrongCode {
  readonly userId: string;
  readonly requestId: string;
  readonly site: object | undefined;
  readonly now: number;
}

/** The audit entries in all orgs of the account: undefined where these wrong codes lock nothing now. */
async function codesLocked(
  platform: Scope,
  factors: StoredFactors,
  { userId, requestId, site, now }: WrongCode,
): Promise<CodesLocked | undefined> {
  if (factors.failures?.count !== wrongCodesMax) return undefined;
  const account = (await orgUsers.read(platform, userId))?.value;
  if (account === undefined) return undefined;
  const actor = { kind: 'org_user', id: userId } as const;
  const auditContext = { at: timestamp(now), actor, request_id: requestId };
  const audited = { action: 'second_factor.codes_locked', target: actor, detail: { wrong_codes: wrongCodesMax } };
  const orgs = await membershipsOf(platform, userId);
  return {
    to: account.email,
    sentence: noticeOf(unlockingMethods(factors, site)),
    entries: orgs.map(({ sk }) => platformAuditEntry(sk, auditContext, audited)),
  };
}

/** For the mail to the account. */
function noticeOf(methods: readonly (keyof typeof methodNames)[]): string {
  const wrong = `${wrongCodesMax} wrong codes in a row were entered for your account, after its password.`;
  if (methods.length > 0)
    return `${wrong} No code of your authenticator app is taken until you use ${waysOf(methods)}.`;
  return `${wrong} Codes of your authenticator app now have to wait, longer after each wrong one.`;
}

function waysOf(methods: readonly (keyof typeof methodNames)[]): string {
  return methods.map((method) => methodNames[method]).join(' or ');
}
