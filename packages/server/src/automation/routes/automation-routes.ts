import type { RoutesOfModule } from '../../api/route.ts';
import { deliveryRoutes } from './deliveries.ts';
import type { AutomationRouteDeps } from './deps.ts';
import { hookAdminRoutes } from './hook-admin.ts';
import { hookRoutes } from './hooks.ts';
import { logicBlockRoutes, ownRunRoutes } from './logicblocks.ts';
import { runRoutes } from './runs.ts';
import { scheduleRoutes } from './schedules.ts';
import { secretRoutes } from './secrets.ts';

export type { AutomationRouteDeps };

export function automationRoutes(deps: AutomationRouteDeps): RoutesOfModule {
  return {
    app: [...logicBlockRoutes(deps.logicBlocks), ...hookRoutes(deps), ...ownRunRoutes(deps.runs)],
    management: [
      ...runRoutes(deps),
      ...scheduleRoutes(deps),
      ...hookAdminRoutes(deps),
      ...deliveryRoutes(deps),
      ...secretRoutes(deps),
    ],
  };
}
