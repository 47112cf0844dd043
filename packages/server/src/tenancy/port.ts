/** Environments, and the scopes of orgs and workspaces. */
export { eachWorkspace } from './each-workspace.ts';
export {
  type Actor,
  type Environment,
  laneOf,
  orgScopeName,
  type Workspace,
  workspaceOrg,
  workspaceScopeName,
} from './workspace.ts';
export { type WorkspaceRow, workspaceRowKey, workspaceRows } from './workspace-directory.ts';
