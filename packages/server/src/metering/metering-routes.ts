import type { RoutesOfModule } from '../api/route.ts';
import type { MeteringRouteDeps } from './routes/deps.ts';
import { planRoutes } from './routes/plans.ts';
import { observabilityRoutes } from './routes/usage.ts';
import { usageExportRoutes } from './routes/usage-export.ts';

export type { MeteringRouteDeps };

export function meteringRoutes(deps: MeteringRouteDeps): RoutesOfModule {
  return { management: [...observabilityRoutes(deps), ...usageExportRoutes(deps), ...planRoutes(deps)] };
}
