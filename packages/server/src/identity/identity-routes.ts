import type { RoutesOfModule } from '../api/route.ts';
import { accountRoutes, consoleRoutes, passwordRoutes, secondFactorRoutes } from './routes/accounts.ts';
import { appUserRoutes, impersonationRoutes, personalDataRoutes, suspendedAccountRoutes } from './routes/app-users.ts';
import type { IdentityRouteDeps } from './routes/deps.ts';
import { deployKeyRoutes, serviceKeyRoutes } from './routes/keys.ts';
import { platformRoutes } from './routes/operator-routes.ts';
import { orgRoutes } from './routes/org.ts';
import { orgWorkspaceRoutes, workspaceInvitationRoutes, workspaceTemplateRoutes } from './routes/org-workspaces.ts';
import { mailTextRoutes, providerRoutes, settingRoutes } from './routes/settings.ts';
import { mailRoutes, selfRoutes, signInRoutes, verifierRoutes } from './routes/sign-in.ts';
import { invitationRoutes, jobRoutes, workspaceRoutes } from './routes/workspaces.ts';

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
