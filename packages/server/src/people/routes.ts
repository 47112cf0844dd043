import type { RoutesOfModule } from '../api/route.ts';
import type { PeopleRouteDeps } from './people.ts';
import { accountRoutes, consoleRoutes, passwordRoutes, secondFactorRoutes } from './routes/accounts.ts';
import { mailRoutes, selfRoutes, signInRoutes, verifierRoutes } from './routes/app.ts';
import {
  appUserRoutes,
  deployKeyRoutes,
  impersonationRoutes,
  mailTextRoutes,
  orgRoutes,
  platformRoutes,
  providerRoutes,
  serviceKeyRoutes,
  settingRoutes,
  suspendedAccountRoutes,
} from './routes/org.ts';

export function peopleRoutes(deps: PeopleRouteDeps): RoutesOfModule {
  return {
    app: [...signInRoutes(deps), ...selfRoutes(deps), ...mailRoutes(deps), ...verifierRoutes(deps)],
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
      ...impersonationRoutes(deps),
      ...consoleRoutes(deps),
      ...platformRoutes(deps),
    ],
  };
}
