import type { ShareKey } from '../lib/scheduling/fair-scheduler.ts';
import type { Scope } from '../store/port.ts';

export type Environment = 'test' | 'prod';

/**
 * The capability to one workspace: its holder may reach this scope's keys, and nothing in it names another. It is made
 * from an authenticated caller, or from a background job that owns the workspace.
 */
export interface Workspace {
  readonly env: Environment;
  readonly orgCode: string;
  readonly tenantId: string;
  readonly tenantCode: string;
  readonly scope: Scope;
}

/**
 * The code of the workspace in which, under single tenancy, all users share. It cannot be taken for another workspace.
 */
export const defaultWorkspaceCode = 'main';

/** The scopes of an org, in each environment. */
export type OrgScopes = (orgCode: string) => Readonly<Record<Environment, Scope>>;

/** Whose turns at the event loop the work of a workspace takes. */
export function shareKeyOf({ orgCode, tenantId }: Workspace): ShareKey {
  return { org: orgCode, workspace: tenantId };
}

/** The text for `{org}` in key templates: injective, because an org code has no hyphen. */
export function workspaceOrg(workspace: Pick<Workspace, 'orgCode' | 'tenantCode'>): string {
  return `${workspace.orgCode}-${workspace.tenantCode}`;
}

export function orgScopeName(orgCode: string): string {
  return `org#${orgCode}`;
}

/** Whose scope it is, by its name alone; undefined for one of the platform. An org code has no hyphen. */
export function ownerOfScope(
  name: string,
): { readonly orgCode: string; readonly tenantCode: string | undefined } | undefined {
  const [, orgCode, tenantCode] = /^org#([^-]+)(?:-(.+))?$/.exec(name) ?? [];
  return orgCode === undefined ? undefined : { orgCode, tenantCode };
}

export function workspaceScopeName(orgCode: string, tenantCode: string): string {
  return `org#${orgCode}-${tenantCode}`;
}
