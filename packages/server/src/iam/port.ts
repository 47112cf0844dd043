/** What a person holds in a workspace: policies, groups and links, what they allow, and what new workspaces begin with. */

export { auditCallerOf, auditEntryInWorkspace, type WorkspaceAuditContext } from './audited-changes.ts';
export { builderAccess, builderPolicy, isBuilder, noAccess } from './builder-access.ts';
export { routeOfVerb, runAction } from './decisions/action-parts.ts';
export { createDecisionLog, type DecisionLog, type LoggedDecision } from './decisions/decision-log.ts';
export { type DescribedDecision, overBudget } from './decisions/describe-decision.ts';
export { explainCall } from './decisions/explain-call.ts';
export { type RequestSubject, type SentRequest, valuesAsRead } from './decisions/request-values.ts';
export { secretFields, withSecrets } from './decisions/secret-fields.ts';
export { findActiveWorkspace, findWorkspace } from './founding/find-workspace.ts';
export { adminRole, foundingChanges, type GrantDeps, joiningChanges, type Member } from './founding/founding.ts';
export { workspaceTemplates } from './founding/templates-setting.ts';
export type { WorkspaceTemplates } from './founding/workspace-templates.ts';
export { findMember, removedMemberKey } from './iam-rules.ts';
export type { PolicyLab } from './lab/lab.ts';
export { founderGrants } from './members/founder-grants.ts';
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
export { isServicePrincipal, servicePrincipal, serviceRole } from './members/service-principal.ts';
export { type Iam, type IamDeps, openIam } from './open-iam.ts';
export type { AccessOverview } from './overview/access-overview.ts';
export { type AccessEpochs, createAccessEpochs, type NodeEpochs, thenBump } from './policies/access-epochs.ts';
export { escalationCheck } from './policies/escalation-check.ts';
export { groupEntries } from './policies/group-policies.ts';
export { heldPolicies } from './policies/held-policies.ts';
export {
  adminPolicy,
  blockPolicyName,
  platformGroups,
  platformPolicies,
  policyIdByName,
  viewerPolicy,
} from './policies/policy-names.ts';
export { knownPolicy, promisePolicy } from './policies/promised-policy.ts';
export {
  isWhole,
  type Judged,
  type Refusals,
  recordPolicyOf as rowsOf,
  recordPolicyOfMany as rowsOfMany,
} from './policies/record-policies.ts';
export { type Access, type ResolvedAccess, resolveAccess } from './policies/resolve-access.ts';
export { type DecidedCall, recordedCall } from './recording/decision-buffer.ts';
export type { DecisionRecorder, RecordedOrg } from './recording/decision-recorder.ts';
export { recordDecisions } from './recording/record-setting.ts';
export { authzenRoutes, type IamRouteDeps, iamRoutes } from './routes/iam-routes.ts';
export type { PolicyNaming } from './rules/removal.ts';
export type { AccessMatrix } from './simulation/matrix.ts';
export { type Permissions, type PermissionsCaller, permissionsOf } from './simulation/permissions.ts';
export type {
  AccessSimulator,
  SimulatedContext,
  Simulation,
} from './simulation/simulate.ts';
export { type ApplyDeps, applyTemplate } from './templates/apply-template.ts';
export { compareTemplate } from './templates/compare-template.ts';
export { planTemplate } from './templates/plan-template.ts';
export { contentDigest } from './templates/template-mark.ts';
