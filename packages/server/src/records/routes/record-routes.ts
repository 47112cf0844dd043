import type { RoutesOfModule } from '../../api/route.ts';
import { batchRoutes } from './batch.ts';
import type { RecordRouteDeps } from './deps.ts';
import { itemRoutes } from './item-routes.ts';

export type { RecordRouteDeps };

export function recordRoutes(deps: RecordRouteDeps): RoutesOfModule {
  return { app: [...itemRoutes(deps), ...batchRoutes(deps)] };
}
