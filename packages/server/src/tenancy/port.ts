/** Environments, and the scopes of orgs and workspaces. */
export { eachWorkspace } from './each-workspace.ts';
export type { ConfigSize, CountBound, WritePass, WriteToAdmit } from './quota.ts';
export {
  defaultWorkspaceCode,
  type Environment,
  laneOf,
  type OrgScopes,
  orgScopeName,
  ownerOfScope,
  type Workspace,
  workspaceOrg,
  workspaceScopeName,
} from './workspace.ts';
export {
  type Suspension,
  suspendedWorkspaces,
  type WorkspaceOfOrg,
  type WorkspaceRow,
  workspaceRowKey,
  workspaceSuspended,
  workspacesOf,
  workspacesPartition,
  workspaceTable,
} from './workspace-directory.ts';
