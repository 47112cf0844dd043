/** The callers of the routes of builders, and of those of apps about themselves, as their handlers get them. */
import type { AuditActor, AuditContext } from '../audit/audit-entry.ts';
import type { DeployKeyScope, ResolvedDeployKey } from './keys/deploy-keys.ts';
import type { OrgCommand } from './org-users/org-directory.ts';
import type { AppCaller } from './sessions/app-sessions.ts';
import type { OrgCaller } from './sessions/org-sessions.ts';

export interface BuilderCaller extends OrgCaller {
  readonly command: OrgCommand;
}

/** A caller who moves configuration: a builder, or a pipeline with a deploy key. */
export interface DeployCaller extends Pick<OrgCaller, 'org' | 'role'> {
  readonly actor: AuditActor;
  /** Changes settings of the configuration of an app, beside what its role may. */
  readonly carriesSettings?: true;
  readonly command: OrgCommand;
}

interface OperatorCaller {
  readonly auditContext: AuditContext;
}

declare module '../api/route.ts' {
  interface Callers {
    readonly developer: BuilderCaller;
    readonly org_admin: BuilderCaller;
    readonly watch: DeployCaller;
    readonly publish: DeployCaller;
    readonly activate: DeployCaller;
    readonly operator: OperatorCaller;
    /** About the caller: a token is enough. */
    readonly self: AppCaller;
  }
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

/** A caller before it is known what for. */
type Deployer = Omit<DeployCaller, 'command'>;

export function builderAsDeployer({ org, role, user }: OrgCaller): Deployer {
  return { org, role, actor: { kind: 'org_user', id: user.id } };
}

/** The key, as a caller to handlers that ask for a role beside the scope. */
export function keyAsDeployer({ id, scope, org }: ResolvedDeployKey): Deployer {
  const role = scope === 'activate' ? 'org_admin' : 'developer';
  return { org, role, actor: { kind: 'deploy_key', id }, ...(scope === 'settings' && { carriesSettings: true }) };
}
