import type { AuditActor, AuditContext } from '../audit/audit-entry.ts';
import type { DeployKeyScope, KnownDeployKey, OrgCaller } from './port.ts';
import type { Clock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { occasionBy } from '../gateway/pipeline/audit-context.ts';
import type { RequestEnvelope } from '../api/request.ts';

/** Who moves configuration: a builder, or a pipeline with a deploy key. */
export interface DeployCaller extends Pick<OrgCaller, 'org' | 'role'> {
  readonly actor: AuditActor;
  /** Changes settings of the configuration of an app, beside what its role may. */
  readonly carriesSettings?: true;
}

export interface AskedDeploy {
  readonly orgCode: string;
  readonly auditContext: AuditContext;
}

export function builderAsDeployer({ org, role, user }: OrgCaller): DeployCaller {
  return { org, role, actor: { kind: 'org_user', id: user.id } };
}

/** Which role of an org user, and which scope of a key, a way of taking part in promotion needs. */
export const deployAccess = {
  watch: { role: 'developer', scopes: ['publish', 'settings', 'activate'] },
  publish: { role: 'developer', scopes: ['publish', 'settings'] },
  activate: { role: 'org_admin', scopes: ['activate'] },
} as const satisfies Readonly<
  Record<string, { readonly role: OrgCaller['role']; readonly scopes: readonly DeployKeyScope[] }>
>;

export type DeployAccess = keyof typeof deployAccess;

export function isDeployAccess(access: string): access is DeployAccess {
  return Object.hasOwn(deployAccess, access);
}

/** What the key is to handlers that ask for a role beside the scope. */
export function keyAsDeployer({ id, scope, org }: KnownDeployKey): DeployCaller {
  const role = scope === 'activate' ? 'org_admin' : 'developer';
  return { org, role, actor: { kind: 'deploy_key', id }, ...(scope === 'settings' && { carriesSettings: true }) };
}

/** An action that needs production. @throws Problem `conflict` where there is none yet. */
export function askDeploy(clock: Clock, request: RequestEnvelope, caller: DeployCaller): AskedDeploy {
  requireProd(caller);
  return { orgCode: caller.org.code, auditContext: occasionBy(clock, request, caller) };
}

/** @throws Problem `conflict`. */
export function requireProd({ org }: Pick<DeployCaller, 'org'>): void {
  if (org.environments.prod === null)
    throw new Problem('conflict', 'production is not provisioned: call `POST /user/provision-prod` first');
}
