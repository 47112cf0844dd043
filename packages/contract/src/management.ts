import { routesOfFeatures } from './features.ts';
import { policyLabApi } from './management/access/policy-lab.ts';
import { accessApi } from './management/access.ts';
import { secondFactorsApi } from './management/account/second-factors.ts';
import { accountsApi } from './management/accounts.ts';
import { alertWebhookApi } from './management/alert-webhook.ts';
import { auditApi } from './management/audit.ts';
import { schedulesApi } from './management/automation/schedules.ts';
import { configItemsApi } from './management/config-items.ts';
import { consoleApi } from './management/console.ts';
import { deliveriesApi } from './management/deliveries.ts';
import { deployApi } from './management/deploy.ts';
import { entitiesApi } from './management/entities.ts';
import { inboxApi } from './management/inbox.ts';
import { orgJobsApi } from './management/jobs.ts';
import { backupsApi } from './management/operator/backups.ts';
import { platformDoctorApi } from './management/operator/doctor.ts';
import { platformErrorsApi } from './management/operator/errors.ts';
import { platformHealthApi } from './management/operator/health.ts';
import { platformOrgsApi } from './management/operator/orgs.ts';
import { orgUsersApi } from './management/org-users.ts';
import { overviewApi } from './management/overview.ts';
import { passwordsApi } from './management/passwords.ts';
import { appUsersApi } from './management/people/app-users.ts';
import { personJobsApi } from './management/people/person-jobs.ts';
import { workspaceInvitationsApi } from './management/people/workspace-invitations.ts';
import { platformApi } from './management/platform.ts';
import { runsApi } from './management/runs.ts';
import { secretsApi } from './management/secrets.ts';
import { serviceKeysApi } from './management/service-keys.ts';
import { mailsOfAppApi } from './management/settings/mails.ts';
import { providersApi } from './management/settings/providers.ts';
import { workspaceTemplatesApi } from './management/settings/workspace-templates.ts';
import { settingsApi } from './management/settings.ts';
import { commandSignInsApi, signInLinksApi } from './management/sign-in-links.ts';
import { suspendedAccountsApi } from './management/suspended-accounts.ts';
import { usageApi } from './management/usage.ts';
import { orgWorkspacesApi } from './management/workspaces.ts';
import { sharedApi } from './shared.ts';

/** The management API: for builders, their pipelines, and the operator. */
export const managementApi = {
  ...accessApi,
  ...accountsApi,
  ...alertWebhookApi,
  ...appUsersApi,
  ...auditApi,
  ...backupsApi,
  ...configItemsApi,
  ...consoleApi,
  ...deliveriesApi,
  ...deployApi,
  ...entitiesApi,
  ...inboxApi,
  ...mailsOfAppApi,
  ...orgJobsApi,
  ...orgUsersApi,
  ...overviewApi,
  ...passwordsApi,
  ...personJobsApi,
  ...platformApi,
  ...platformDoctorApi,
  ...platformErrorsApi,
  ...platformHealthApi,
  ...platformOrgsApi,
  ...policyLabApi,
  ...providersApi,
  ...runsApi,
  ...schedulesApi,
  ...secondFactorsApi,
  ...secretsApi,
  ...serviceKeysApi,
  ...settingsApi,
  ...signInLinksApi,
  ...commandSignInsApi,
  ...suspendedAccountsApi,
  ...usageApi,
  ...orgWorkspacesApi,
  ...workspaceInvitationsApi,
  ...workspaceTemplatesApi,
  ...routesOfFeatures('management'),
  ...sharedApi,
};
