import { type AuditContext, platformAuditEntry } from '../../audit/audit-entry.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import { transact } from '../../store/transact.ts';
import { type OrgAccountsDeps, orgRealm, orgUsers } from '../org-users/account.ts';
import { requirePassword } from '../people/passwords.ts';
import { provePassword, wrongCurrentPassword } from '../people/prove-password.ts';
import { personGone } from '../people/realm.ts';
import type { OrgCaller } from '../sessions/org-sessions.ts';
import { notify, recoveryCodeUsed } from './notices.ts';
import type { PasskeySite } from './passkeys.ts';
import { type Consequence, type FactorProof, factorAttempt, spendProof } from './prove-factor.ts';
import type { StepClaims } from './step-tokens.ts';
import {
  factorChange,
  isProtected,
  noFactors,
  readFactors,
  type StoredFactors,
  storedFactors,
} from './stored-factors.ts';

/** Who asks for something about his own factors, in which session, and on what occasion. */
export interface OwnRequest {
  readonly caller: OrgCaller;
  readonly auditContext: AuditContext;
  readonly ip: string;
  readonly site: PasskeySite | undefined;
}

/** What a person with a session gives before the factors of the account change. */
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
export async function withProof<R extends Consequence>(
  deps: OrgAccountsDeps,
  request: OwnRequest,
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
  { caller: { user }, ip }: OwnRequest,
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
