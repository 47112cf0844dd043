import { builderAccess, findMember, noAccess, resolveAccess } from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { orgScopeName, type Workspace } from '../../tenancy/port.ts';
import { appAudience } from '../app-tokens.ts';
import { claimsOf } from '../app-users/app-sign-in.ts';
import { findAppUser } from '../app-users/app-user.ts';
import { isOpenKey, serviceKeys } from '../keys/service-keys.ts';
import type { Parts } from '../parts.ts';
import type { AppCaller } from './app-sessions.ts';
import { requireBuilder } from './impersonation.ts';
import type { CallerKind } from './session.ts';

/** Whose work it is that goes on when no request is there any more. */
interface WorkUser {
  readonly id: string;
  readonly kind: CallerKind;
  /** The builder who acts for the user. */
  readonly act?: string | undefined;
}

/** The caller of a request, for work that outlives it. */
export function workUserOf({ kind, claims: { sub: id, act } }: AppCaller): WorkUser {
  return { id, kind, ...(act === undefined ? {} : { act: act.sub }) };
}

export type WorkSessionDeps = Pick<Parts, 'platform' | 'stores' | 'clock'>;

/**
 * A caller as he would come with a token of now, for work that outlives his request: with the membership and the
 * policies that he has at this moment. No token is made. The app itself is no member and holds no policy: it may do what
 * the policies of a block allow, and nothing outside such a block.
 * @throws Problem `access_denied` where he may not come any more.
 */
export async function openWorkSession(deps: WorkSessionDeps, who: WorkUser, workspace: Workspace): Promise<AppCaller> {
  const { env, orgCode, tenantId, tenantCode } = workspace;
  const { id: sub, kind, act } = who;
  const nowSeconds = Math.floor(deps.clock.now() / 1000);
  const acting = act === undefined ? {} : { act: { sub: act } };
  await requireBuilder(deps.platform, { env, org: orgCode, ...acting }).catch(refuse);
  const shared = {
    ...{
      sub,
      org: orgCode,
      env,
      clientid: '',
      tenant_id: tenantId,
      tenant_code: tenantCode,
      ep: 0,
      jti: '',
      ...acting,
    },
    ...{ iss: '', aud: appAudience(env), iat: nowSeconds, exp: nowSeconds, auth_time: nowSeconds },
  };
  if (kind === 'builder') {
    if (env !== 'test' || act !== sub) throw gone();
    const since = { member_since: timestamp(deps.clock.now()) };
    const claims = { ...shared, ...since, role: kind, email: '', email_verified: false, fn: '', ln: '', idp: kind };
    return { kind, claims, place: { workspace, access: builderAccess } };
  }
  if (kind === 'app') {
    const claims = { ...shared, role: kind, email: '', email_verified: false, fn: '', ln: '', idp: kind };
    return { kind, claims, place: { workspace, access: noAccess } };
  }
  const member = await findMember(workspace, sub);
  if (member?.data.status !== 'active') throw gone();
  const person = await personOf(deps, { who, workspace, member });
  const { access, excess } = await resolveAccess(workspace, sub);
  if (excess !== undefined) throw new Problem('access_denied', excess, { reason: 'implicit_deny' });
  return { kind, claims: { ...shared, ...person }, place: { workspace, access } };
}

type WorkspaceMember = NonNullable<Awaited<ReturnType<typeof findMember>>>;

async function personOf(
  { stores, clock }: WorkSessionDeps,
  {
    who,
    workspace,
    member,
  }: { readonly who: WorkUser; readonly workspace: Workspace; readonly member: WorkspaceMember },
) {
  const orgScope = stores[workspace.env].scope(orgScopeName(workspace.orgCode));
  const member_since = member.data.created_at;
  if (who.kind === 'service_key') {
    const key = (await serviceKeys.rows.read(orgScope, who.id))?.value;
    if (key === undefined || !isOpenKey(key, clock.now())) throw gone();
    const { email, name: fn } = key;
    return { member_since, role: 'service', email, email_verified: false, fn, ln: '', idp: who.kind };
  }
  const user = await findAppUser(orgScope, who.id);
  if (user === undefined || user.disabled !== undefined) throw gone();
  return { ...claimsOf(user, { workspace, member }), member_since, idp: 'run' };
}

function gone(): Problem {
  return new Problem('access_denied', 'the user may not act in this workspace any more', { reason: 'implicit_deny' });
}

function refuse(error: unknown): never {
  throw error instanceof Problem ? gone() : error;
}
