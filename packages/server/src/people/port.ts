/** Callers: org users and app users, their ways to sign in, their sessions and tokens, and the keys of servers. */
export { type AppTokenClaims, unverifiedActor } from './app-tokens.ts';
export { mailAppInvitation } from './app-users/app-mails.ts';
export {
  type AppUser,
  appUserPartition,
  appUsers,
  changeAppUser,
  findAppUser,
  memberOf,
} from './app-users/app-user.ts';
export {
  type BuilderCaller,
  builderAsDeployer,
  type DeployAccess,
  type DeployCaller,
  deployAccess,
  isDeployAccess,
  keyAsDeployer,
} from './callers.ts';
export type { Homes, Membership } from './homes.ts';
export { isDeployKey } from './keys/deploy-keys.ts';
export { hasOpenKey } from './keys/service-keys.ts';
export { memberships } from './org-users/account.ts';
export {
  changeProd,
  environmentOfClient,
  findOrg,
  type OrgCommand,
  orgCodes,
  platformScopeName,
  shownEnvironments,
} from './org-users/org-directory.ts';
export type { People } from './people.ts';
export { invitationMilliseconds, type MailDeps } from './realm/set-password.ts';
export { openSealedFactors } from './second-factors/prove-factor.ts';
export { readSecrets, type Secrets, type SecretsVault, secretsKey, writeSecrets } from './secrets.ts';
export { type AppCaller, requireWorkspace } from './sessions/app-sessions.ts';
export { clientWords, lacksSecondFactor, type OrgCaller, sessionsKeyOf } from './sessions/org-sessions.ts';
export { openWorkSession, type WorkSessionDeps, workUserOf } from './sessions/work-session.ts';
export { namesOf, type SettingContent, settingsKind, settingTypes } from './settings/org-settings.ts';
export { defaultMemberAccess, founderEmail, httpHosts, tenancyType } from './settings/plain-settings.ts';
