import type { serviceKeysApi } from '@freehold/contract/management/service-keys';
import type { BodyOf } from '@freehold/contract/route';
import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import { findMember } from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { invalidBody, notFound, Problem } from '../../lib/problem.ts';
import { mayBeId } from '../../records/port.ts';
import type { Scope } from '../../store/port.ts';
import { findWorkspace, orgScopeName, type Workspace } from '../../tenancy/port.ts';
import { type AppTokenClaims, type AppTokenSubject, appAudience, signAppToken } from '../app-tokens.ts';
import { claimsOf, type ExchangedToken } from '../app-users/app-sign-in.ts';
import { findAppUser, tokenEpoch } from '../app-users/app-user.ts';
import { memberships, type OrgRole } from '../org-users/account.ts';
import type { Parts } from '../parts.ts';
import { findSession, lacksSecondFactor, type OrgCaller } from './org-sessions.ts';

/**
 * Lets a builder see an app as one of its users does, for a quarter of an hour and no longer than his session: `act` in
 * the token says who acts, and `sid` in which session. In the test environment he may also come in his own name, with
 * everything allowed; in production he only reads, which the app gateway holds him to.
 */
/** It is always of a workspace. */
export interface ImpersonationToken extends ExchangedToken {
  readonly tenant_id: string;
  readonly tenant_code: string;
}

type Impersonate = (
  caller: OrgCaller,
  auditContext: AuditContext,
  body: BodyOf<typeof serviceKeysApi.impersonate>,
) => Promise<ImpersonationToken>;

type ImpersonationDeps = Pick<Parts, 'stores' | 'signingKeys' | 'issuer' | 'clock' | 'newId'>;

const lifetimeSeconds = 15 * 60;
const builderIdp = 'builder';

/** @throws Problem `validation_failed`, `role_required`, `not_found`, `conflict`. */
export function createImpersonation(deps: ImpersonationDeps): Impersonate {
  return async (caller, auditContext, { env, tenant_code, user_id, reason }) => {
    if (env === 'prod' && user_id === undefined)
      throw invalidBody([{ pointer: '/user_id', code: 'required', message: '`user_id` is required in production' }]);
    if (env === 'prod' && caller.role !== 'org_admin')
      throw new Problem('role_required', 'impersonation in production needs the role `org_admin`');
    const client = caller.org.environments[env];
    if (client === null) throw notFound();
    const orgCode = caller.org.code;
    const workspace = await findWorkspace(deps.stores, { env, orgCode, tenantCode: tenant_code });
    const { tenantId, tenantCode } = workspace;
    const nowSeconds = Math.floor(deps.clock.now() / 1000);
    const subject: AppTokenSubject = {
      ...(user_id === undefined
        ? builderClaims(caller, workspace, nowSeconds)
        : await memberClaims(deps, workspace, user_id)),
      org: orgCode,
      env,
      clientid: client.client_id,
      idp: builderIdp,
      auth_time: nowSeconds,
      jti: deps.newId(),
      act: { sub: caller.user.id },
      sid: caller.sessionId,
    };
    const target = user_id === undefined ? { kind: 'workspace', id: tenantId } : { kind: 'app_user', id: user_id };
    const logEntry = auditEntry(auditContext, {
      action: 'impersonation.started',
      target,
      env,
      tenant_code: tenantCode,
      ...(reason === undefined ? {} : { detail: { reason: reason.trim() } }),
    });
    await deps.stores[env].scope(orgScopeName(orgCode)).commit([logEntry]);
    const realm = { issuer: deps.issuer, audience: appAudience(env), nowSeconds, lifetimeSeconds };
    return {
      token: await signAppToken(deps.signingKeys, subject, realm),
      expires_at: timestamp((nowSeconds + lifetimeSeconds) * 1000),
      user_id: subject.sub,
      tenant_id: tenantId,
      tenant_code: tenantCode,
    };
  };
}

/** @throws Problem `token_invalid` where the builder's session has ended, or he may not act there any more. */
export async function requireBuilder(
  platform: Scope,
  { env, org, act, sid }: Pick<AppTokenClaims, 'env' | 'org' | 'act' | 'sid'>,
): Promise<void> {
  if (act === undefined) return;
  const role =
    sid === undefined
      ? await roleOf(platform, act.sub, org)
      : roleIn(await findSession(platform, { userId: act.sub, sessionId: sid, org }));
  if (role === 'org_admin' || (role !== undefined && env === 'test')) return;
  throw new Problem('token_invalid', 'the builder of the token may no longer act here');
}

/** None where the org asks for a second factor that the builder does not have. */
function roleIn(caller: OrgCaller | undefined): OrgRole | undefined {
  return caller === undefined || lacksSecondFactor(caller) ? undefined : caller.role;
}

async function roleOf(platform: Scope, userId: string, org: string): Promise<OrgRole | undefined> {
  return mayBeId(userId) ? (await memberships.read(platform, [userId, org]))?.value.role : undefined;
}

/** No record is made of him in the workspace: all that there is of him is the token. */
function builderClaims({ user }: OrgCaller, { tenantId, tenantCode }: Workspace, nowSeconds: number) {
  return {
    sub: user.id,
    role: builderIdp,
    email: user.email,
    email_verified: false,
    fn: user.name,
    ln: '',
    tenant_id: tenantId,
    tenant_code: tenantCode,
    member_since: timestamp(nowSeconds * 1000),
    ep: 0,
  };
}

async function memberClaims(deps: ImpersonationDeps, workspace: Workspace, userId: string) {
  const member = mayBeId(userId) ? await findMember(workspace, userId) : undefined;
  const orgScope = deps.stores[workspace.env].scope(orgScopeName(workspace.orgCode));
  const user = member === undefined ? undefined : await findAppUser(orgScope, userId);
  if (member === undefined || user === undefined) throw notFound();
  if (user.disabled !== undefined)
    throw new Problem('conflict', 'the account of the user is disabled: it cannot be impersonated');
  if (member.data.status !== 'active')
    throw new Problem('conflict', 'the membership of the user is suspended: it cannot be impersonated');
  return { ...claimsOf(user, { workspace, member }), ep: tokenEpoch(user) };
}
