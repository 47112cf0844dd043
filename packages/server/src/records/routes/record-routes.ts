import type { RoutesOfModule } from '../../api/route.ts';
import type { Records } from '../open-records.ts';
import { batchRoutes } from './batch.ts';
import { itemRoutes } from './item-routes.ts';

export type RecordRouteDeps = Pick<Records, 'runtime' | 'idempotency'>;

export function recordRoutes(deps: RecordRouteDeps): RoutesOfModule {
  return { app: [...itemRoutes(deps), ...batchRoutes(deps)] };
}
