import { type Clock, timestamp } from '../../lib/clock.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { Sealer } from '../../records/port.ts';
import type { Change, Put, Scope } from '../../store/port.ts';
import type { Row } from '../../store/table.ts';
import { type Plan, transact } from '../../store/transact.ts';
import type { LoginThrottle, SignInAttempt } from '../people/login-throttle.ts';
import { notify } from './notices.ts';
import { openChallenge, type PasskeyAssertion, type PasskeySite, usedPasskey } from './passkeys.ts';
import { recoveryHash } from './recovery-codes.ts';
import { type StepClaims, type StepTokens, stepUse } from './step-tokens.ts';
import { factorChange, isProtected, noFactors, type StoredFactors, storedFactors } from './stored-factors.ts';
import { matchingStep } from './totp.ts';
import { type CodesLocked, codesLocked, requireOpenCodes, withWrongCode } from './wrong-codes.ts';

export interface FactorDeps {
  readonly platform: Scope;
  readonly clock: Clock;
  readonly loginThrottle: LoginThrottle;
  readonly sealer: Sealer;
  readonly steps: StepTokens;
  readonly mailer?: Mailer | undefined;
}

/** What a person gives to prove a factor: one of these. */
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
  /** What the proof uses up beside itself. */
  readonly uses?: readonly Put[];
  readonly refusal: string;
}

export interface Proved {
  readonly method: 'totp' | 'recovery_code' | 'passkey';
  /** As they are after the proof, which is used up. */
  readonly factors: StoredFactors;
}

/** What follows from a proof, in the same commit. */
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
    async (): Promise<Plan & { readonly result?: R; locked?: CodesLocked }> => {
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
): Promise<Plan & { readonly locked?: CodesLocked }> {
  if (proof.code === undefined || row === undefined || !isProtected(row.value)) return { changes: [] };
  const now = clock.now();
  const counted = withWrongCode(row.value, now);
  const locked = await codesLocked(platform, counted, { userId, requestId, site, now });
  const changes = factorChange(userId, row, counted);
  return locked === undefined ? { changes } : { changes: [...changes, ...locked.entries], locked };
}

type Judged = Proved & { readonly uses: readonly Put[] };

async function judge(deps: FactorDeps, given: GivenProof, before: StoredFactors): Promise<Judged | undefined> {
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
): Judged | undefined {
  const { totp } = before;
  if (totp === undefined) return undefined;
  const secret = Buffer.from(sealer.open(totp.sealed, totpPlace(userId)), 'base64url');
  const now = clock.now();
  const step = matchingStep(secret, { code, now, lastStep: totp.last_step });
  if (step === undefined) return undefined;
  const used = { ...totp, last_step: step, last_used_at: timestamp(now) };
  return { method: 'totp', factors: { ...before, totp: used, failures: undefined }, uses: [] };
}

function judgeRecoveryCode(typed: string, before: StoredFactors): Judged | undefined {
  const used = recoveryHash(typed);
  const recovery_codes = before.recovery_codes.filter((hash) => hash !== used);
  if (recovery_codes.length === before.recovery_codes.length) return undefined;
  return { method: 'recovery_code', factors: { ...before, recovery_codes, failures: undefined }, uses: [] };
}

async function judgePasskey(
  { steps, clock }: FactorDeps,
  { site, accepts }: GivenProof,
  { passkey, before }: { readonly passkey: PasskeyAssertion; readonly before: StoredFactors },
): Promise<Judged | undefined> {
  const held = before.passkeys.find(({ id }) => id === passkey.id);
  const challenge = openChallenge(steps, passkey.response.clientDataJSON);
  if (site === undefined || held === undefined || challenge === undefined || !accepts(challenge.claims))
    return undefined;
  const used = await usedPasskey(held, { assertion: passkey, site, now: clock.now() });
  if (used === undefined) return undefined;
  const passkeys = before.passkeys.map((one) => (one.id === used.id ? used : one));
  return { method: 'passkey', factors: { ...before, passkeys, failures: undefined }, uses: [stepUse(challenge)] };
}
