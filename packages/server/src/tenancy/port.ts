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
  type WorkspaceOfOrg,
  type WorkspaceRow,
  workspaceRowKey,
  workspacesOf,
  workspacesPartition,
  workspaceTable,
} from './workspace-directory.ts';
