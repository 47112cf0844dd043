/** The workspaces that people are in: their founding, their members, and their removal. */
export { policyNaming } from './invitations/invitation.ts';
export { type ActionContext, type WorkspaceAction, workspaceActions } from './workspaces.ts';
