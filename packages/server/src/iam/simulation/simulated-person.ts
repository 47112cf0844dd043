import { type AccessContext, type CompiledAccess, compilePolicies, type Statement } from '../../access/port.ts';
import type { RecordData } from '../../records/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { draftPolicy } from '../decisions/describe-decision.ts';
import { memberOf } from '../members/member-of.ts';
import { heldPolicies } from '../policies/held-policies.ts';

/** In whose name a request is simulated. */
export interface SimulatedPerson {
  readonly access: CompiledAccess;
  readonly user: AccessContext['user'];
  /** What a token of the person would say. */
  readonly jwt: AccessContext['jwt'];
  /** Left out of a draft, which no person holds. */
  readonly member?: { readonly id: string; readonly email: string; readonly status: string };
}

/** A member with all that he holds now. @throws Problem `not_found`. */
export async function memberAsPerson(workspace: Workspace, userId: string): Promise<SimulatedPerson> {
  const data = await memberOf(workspace, userId);
  const access = compilePolicies(await heldPolicies(workspace, data.id));
  const member = { id: data.id, email: String(data.email), status: String(data.status ?? '') };
  return { access, ...callerOf(workspace, data), member };
}

/** What the context of a member's call says of the member. */
export function callerOf(
  { orgCode, tenantId, tenantCode, env }: Workspace,
  member: RecordData,
): Pick<AccessContext, 'user' | 'jwt'> {
  const user = { id: member.id, email: String(member.email) };
  const names = { fn: String(member.fn ?? ''), ln: String(member.ln ?? '') };
  const place = { org: orgCode, tenant_id: tenantId, tenant_code: tenantCode, env };
  return { user, jwt: { ...place, sub: user.id, email: user.email, ...names } };
}

/** A person who holds these statements and nothing else. */
export function draftAsPerson(statements: readonly Statement[], user: Partial<AccessContext['user']>): SimulatedPerson {
  return {
    access: compilePolicies([{ ...draftPolicy, statements }]),
    user: { id: '', email: '', ...user },
    jwt: {},
  };
}
