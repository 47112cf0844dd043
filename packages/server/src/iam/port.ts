/** A person's access in a workspace: policies, groups and links, the rights by these, and those of new workspaces. */

export { auditCallerOf, auditEntryInWorkspace, type WorkspaceAuditContext } from './audited-changes.ts';
export { type DecisionLog, type LoggedDecision, logDenial } from './decisions/decision-log.ts';
export { secretFields, valuesAsRead } from './decisions/request-values.ts';
export type { WorkspaceTemplates } from './founding/describe-templates.ts';
export { adminRole, founderGrants, foundingChanges, type GrantDeps, joiningChanges } from './founding/founding.ts';
export { workspaceTemplates } from './founding/templates-setting.ts';
export {
  type FoundingMember,
  findMember,
  isServicePrincipal,
  removedMemberKey,
  servicePrincipal,
  serviceRole,
} from './members/member.ts';
export {
  type AccountChange,
  erasedMember,
  joinedChanges,
  mergedMember,
  policyGrant,
  removalChanges,
  replacedMember,
  statusChanges,
} from './members/member-accounts.ts';
export { type Iam, type IamDeps, openIam } from './open-iam.ts';
export type { AccessOverview } from './overview/access-overview.ts';
export { type AccessEpochs, createAccessEpochs, type NodeEpochs, thenBump } from './policies/epochs.ts';
export {
  adminPolicy,
  blockPolicyName,
  groupEntries,
  heldPolicies,
  platformGroups,
  platformPolicies,
  policyIdByName,
  viewerPolicy,
} from './policies/held-policies.ts';
export {
  type Access,
  builderAccess,
  builderPolicy,
  isBuilder,
  noAccess,
  type ResolvedAccess,
  resolveAccess,
} from './policies/resolve-access.ts';
export { recordedCall } from './recording/decision-buffer.ts';
export type { DecisionRecorder } from './recording/decision-recorder.ts';
export { recordDecisions } from './recording/store-decisions.ts';
export type { IamRouteDeps } from './routes/iam-routes.ts';
export { iamRoutes } from './routes/iam-routes.ts';
export { escalationCheck, knownPolicy, promisePolicy } from './rules/escalation.ts';
export type { PolicyNaming } from './rules/removal.ts';
export { type Permissions, type PermissionsCaller, permissionsOf } from './simulation/permissions.ts';
export { type ApplyDeps, applyTemplate } from './templates/apply-template.ts';
export { compareTemplate, contentDigest } from './templates/compare-template.ts';
export { planTemplate } from './templates/plan-template.ts';
