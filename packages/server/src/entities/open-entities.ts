import type { AuditContext } from '../audit/audit-entry.ts';
import type { ConfigGate, ConfigReader } from '../config/port.ts';
import type { Store } from '../store/port.ts';
import type { Environment } from '../tenancy/port.ts';
import type { EntityAdminDeps } from './admin-deps.ts';
import { createEntityAdmin, type EntityAdmin } from './entity-admin.ts';

export interface EntitiesDeps extends Pick<EntityAdminDeps, 'clock' | 'wake' | 'refuseRemoval'> {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly gates: Readonly<Record<Environment, ConfigGate>>;
}

/** The entities of an environment, for what is asked for on one occasion. */
export type Entities = (env: Environment, auditContext: AuditContext) => EntityAdmin;

export function openEntities({ stores, configs, gates, clock, wake, refuseRemoval }: EntitiesDeps): Entities {
  return (env, auditContext) =>
    createEntityAdmin({
      ...{ store: stores[env], configs: configs[env], gate: gates[env] },
      ...{ clock, wake, refuseRemoval, auditContext },
    });
}
