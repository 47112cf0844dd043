import type { RoutesOfModule } from '../api/route.ts';
import { accountRoutes, passwordRoutes } from './routes/accounts.ts';
import { appUserRoutes, suspendedAccountRoutes } from './routes/app-users.ts';
import { consoleRoutes } from './routes/console-config.ts';
import type { IdentityRouteDeps } from './routes/deps.ts';
import { impersonationRoutes } from './routes/impersonation.ts';
import { invitationRoutes } from './routes/invitations.ts';
import { jobRoutes } from './routes/jobs.ts';
import { deployKeyRoutes, serviceKeyRoutes } from './routes/keys.ts';
import { mailTextRoutes } from './routes/mail-texts.ts';
import { mailRoutes } from './routes/mails.ts';
import { platformRoutes } from './routes/operator-routes.ts';
import { orgRoutes } from './routes/org.ts';
import { orgWorkspaceRoutes } from './routes/org-workspaces.ts';
import { personalDataRoutes } from './routes/personal-data.ts';
import { providerRoutes } from './routes/providers.ts';
import { secondFactorRoutes } from './routes/second-factors.ts';
import { selfRoutes } from './routes/self.ts';
import { settingRoutes } from './routes/settings.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { verifierRoutes } from './routes/verifiers.ts';
import { workspaceInvitationRoutes } from './routes/workspace-invitations.ts';
import { workspaceTemplateRoutes } from './routes/workspace-templates.ts';
import { workspaceRoutes } from './routes/workspaces.ts';

export type { IdentityRouteDeps };

export function identityRoutes(deps: IdentityRouteDeps): RoutesOfModule {
  return {
    app: [
      ...signInRoutes(deps.signIn),
      ...workspaceRoutes(deps.workspaces),
      ...invitationRoutes(deps.invitations),
      ...selfRoutes(deps.self),
      ...jobRoutes(deps),
      ...mailRoutes(deps.mails),
      ...verifierRoutes(deps),
    ],
    management: [
      ...accountRoutes(deps),
      ...passwordRoutes(deps),
      ...secondFactorRoutes(deps),
      ...orgRoutes(deps),
      ...settingRoutes(deps),
      ...mailTextRoutes(deps),
      ...providerRoutes(deps),
      ...deployKeyRoutes(deps),
      ...serviceKeyRoutes(deps),
      ...appUserRoutes(deps),
      ...suspendedAccountRoutes(deps),
      ...personalDataRoutes(deps),
      ...impersonationRoutes(deps),
      ...orgWorkspaceRoutes(deps),
      ...workspaceInvitationRoutes(deps),
      ...workspaceTemplateRoutes(deps),
      ...consoleRoutes(deps),
      ...platformRoutes(deps),
    ],
  };
}
