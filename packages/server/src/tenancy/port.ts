/** Environments, and the scopes of orgs and workspaces. */
export { findActiveWorkspace, findWorkspace } from './find-workspace.ts';
export type { ConfigSize, CountBound, WritePass, WriteToAdmit } from './quota.ts';
export {
  defaultWorkspaceCode,
  type Environment,
  type OrgScopes,
  orgScopeName,
  ownerOfScope,
  shareKeyOf,
  type Workspace,
  workspaceOrg,
  workspaceScopeName,
} from './workspace.ts';
export {
  eachWorkspace,
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
export {
  isThere,
  type OrgContext,
  openWorkspace,
  readHead,
  type WorkspaceHead,
  workspaceHeadKey,
  workspaceHeads,
} from './workspace-head.ts';
