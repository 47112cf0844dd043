/** Who calls the routes of builders and of apps about themselves, as their handlers get them. */
import type { AuditActor, AuditContext } from '../audit/audit-entry.ts';
import type { WriteContext } from '../records/port.ts';
import type { DeployKeyScope, KnownDeployKey } from './keys/deploy-keys.ts';
import type { AppCaller } from './sessions/app-sessions.ts';
import type { OrgCaller } from './sessions/org-sessions.ts';

/** What every change of an org takes: its code, and by whom, when and in answer to which request it is changed. */
export interface OrgCommand {
  readonly orgCode: string;
  readonly auditContext: AuditContext;
}

export interface BuilderCaller extends OrgCaller {
  readonly command: OrgCommand;
}

/** Who moves configuration: a builder, or a pipeline with a deploy key. */
export interface DeployCaller extends Pick<OrgCaller, 'org' | 'role'> {
  readonly actor: AuditActor;
  /** Changes settings of the configuration of an app, beside what its role may. */
  readonly carriesSettings?: true;
  readonly command: OrgCommand;
}

interface OperatorCaller {
  readonly auditContext: AuditContext;
}

/** Where an action on the workspace itself takes place, and what else its caller may do there. */
export interface ActionContext extends WriteContext {
  /** Whether another action is allowed, asked for on the same resource; what its body would decide is not. */
  allows(action: string): boolean;
}

export const workspaceActions = [
  'updateworkspace',
  'deleteworkspace',
  'createinvitation',
  'listinvitation',
  'deleteinvitation',
] as const;

export type WorkspaceAction = (typeof workspaceActions)[number];

type CallersOfWorkspaces = { readonly [A in WorkspaceAction]: ActionContext };

declare module '../api/route.ts' {
  interface Callers extends CallersOfWorkspaces {
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

/** What the key is to handlers that ask for a role beside the scope. */
export function keyAsDeployer({ id, scope, org }: KnownDeployKey): Deployer {
  const role = scope === 'activate' ? 'org_admin' : 'developer';
  return { org, role, actor: { kind: 'deploy_key', id }, ...(scope === 'settings' && { carriesSettings: true }) };
}
