/** Who calls: org users and app users, their passwords, sessions and tokens, the keys of servers, and the workspaces that people are in. */

export { appUserPartition } from './app-users/app-user.ts';
export {
  type ActionContext,
  type BuilderCaller,
  builderAsDeployer,
  type DeployAccess,
  type DeployCaller,
  deployAccess,
  isDeployAccess,
  keyAsDeployer,
  type OrgCommand,
  type WorkspaceAction,
  workspaceActions,
} from './callers.ts';
export { type IdentityRouteDeps, identityRoutes } from './identity-routes.ts';
export { policyNaming } from './invitations/invitation.ts';
export { type DeployKeys, isDeployKey } from './keys/deploy-keys.ts';
export { type OperatorAccess, operatorKeyDigest, operatorKeyFault } from './keys/operator-key.ts';
export { type Identity, openIdentity } from './open-identity.ts';
export type { OrgAccounts, OrgCaller } from './org-users/org-accounts.ts';
export { environmentOfClient, findOrg, orgCodes, platformScopeName } from './org-users/org-directory.ts';
export type { PlatformOrgs } from './org-users/platform-orgs.ts';
export { AddressCollisions, addressPartitions } from './people/colliding-addresses.ts';
export type { PasswordCost } from './people/passwords.ts';
export { openSealedFactors } from './second-factors/prove-factor.ts';
export { type AppCaller, type AppSessions, requireWorkspace } from './sessions/app-sessions.ts';
export { clientWords } from './sessions/client-words.ts';
export { tokensKeyOf } from './sessions/ended-tokens.ts';
export { lacksSecondFactor, sessionsKeyOf } from './sessions/org-sessions.ts';
export { openWorkSession, type WorkSessionDeps, workUserOf } from './sessions/work-session.ts';
export type { AppOrigins } from './settings/allowed-domains.ts';
export { namesOf, settingTypes } from './settings/org-settings.ts';
export { httpHosts } from './settings/plain-settings.ts';
export { settingsKind } from './settings/settings-kind.ts';
export { unverifiedActor } from './tokens/app-tokens.ts';
export { platformIssuer } from './tokens/platform-issuer.ts';
export {
  derivedKey,
  loadSecrets,
  nothingKept,
  parseSecrets,
  type Secrets,
  type SecretsVault,
} from './tokens/secrets.ts';
export { createSecretsFile, secretsPath } from './tokens/secrets-file.ts';
export {
  createSecretsInStore,
  type MasterKeyUse,
  masterKeyFault,
  readSecrets,
  secretsKey,
  writeSecrets,
} from './tokens/secrets-in-store.ts';
export { openSigningKeys } from './tokens/signing-keys.ts';
export { createFounderNote } from './workspaces/first-admin.ts';
export type { MembershipDeps } from './workspaces/memberships.ts';
export type { OrgWorkspaces } from './workspaces/org-workspaces.ts';
export type { TemplateApplications } from './workspaces/templates/template-applications.ts';
export type { WorkspaceDrifts } from './workspaces/templates/workspace-drift.ts';
