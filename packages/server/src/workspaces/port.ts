/** The workspaces that people are in: how they come to be, who is in them, and how they end. */
export { policyNaming } from './invitations/invitation.ts';
export { type ActionContext, type WorkspaceAction, workspaceActions } from './workspaces.ts';
