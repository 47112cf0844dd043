import type { RoutesOfModule } from '../api/route.ts';
import type { ConfigGate, ConfigReader } from '../config/port.ts';
import type { Store } from '../store/port.ts';
import type { Environment } from '../tenancy/port.ts';
import { createEntityAdmin, type Entities } from './entity-admin.ts';
import type { EntityAdminDeps } from './plan-migration.ts';
import { type EntityRouteDeps, entityJobRoutes, entityRoutes } from './routes.ts';

interface EntitiesDeps
  extends Pick<EntityAdminDeps, 'clock' | 'wake' | 'refuseRemoval'>,
    Pick<EntityRouteDeps, 'idempotency' | 'entityEndpoints'> {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly gates: Readonly<Record<Environment, ConfigGate>>;
}

export function openEntities({ stores, configs, gates, idempotency, entityEndpoints, ...deps }: EntitiesDeps): {
  readonly entities: Entities;
  readonly routes: RoutesOfModule;
} {
  const { clock, wake, refuseRemoval } = deps;
  const entities: Entities = (env, auditContext) =>
    createEntityAdmin({
      ...{ store: stores[env], configs: configs[env], gate: gates[env] },
      ...{ clock, wake, refuseRemoval, auditContext },
    });
  const management = [...entityRoutes({ entities, idempotency, entityEndpoints }), ...entityJobRoutes({ entities })];
  return { entities, routes: { management } };
}
