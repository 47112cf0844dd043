import type { AuditContext } from '../audit/audit-entry.ts';
import type { ConfigGate, ConfigReader } from '../config/port.ts';
import type { OnceRequest } from '../records/port.ts';
import type { CompiledEntity } from '../schema/port.ts';
import type { Store } from '../store/port.ts';
import type { Environment } from '../tenancy/port.ts';
import type { EntityAdminDeps } from './admin-deps.ts';
import { cancelEntityJob } from './cancel-entity-job.ts';
import type { ApiChange, ChangedApi } from './definition/api-change.ts';
import { changeApi, previewApi } from './definition/change-api.ts';
import { defineEntity, type PlannedEntity, previewEntity } from './definition/define-entity.ts';
import type { ChangePreview } from './definition/preview-change.ts';
import { type RemovalOptions, removeEntity } from './remove-entity.ts';
import {
  type EntityJob,
  type EntityJobPage,
  findEntityJob,
  type JobPageRequest,
  listEntityJobs,
} from './showing/entity-jobs.ts';
import { type BuildsOfOrg, listBuilds } from './showing/show-builds.ts';
import { compiledOf, type EntitySummary, listEntities, type ShownEntity, showEntity } from './showing/show-entity.ts';

/** The management side of entities, in one environment and on one occasion. */
export interface EntityAdmin {
  /** Makes an entity and its five configs. @throws Problem `validation_failed`, `unknown_field`, `conflict`. */
  define(orgCode: string, input: unknown, request?: OnceRequest): ReturnType<typeof defineEntity>;
  /** What `define` would make. Nothing is written. @throws Problem as `define`. */
  previewDefined(orgCode: string, input: unknown): Promise<PlannedEntity>;
  /** Changes one of the five configs. @throws Problem `not_found`, `version_mismatch`, `conflict`, or what `define` throws. */
  change(orgCode: string, change: ApiChange): Promise<ChangedApi>;
  /** What `change` would do. Nothing is written. @throws Problem as `change`, but for what records say. */
  preview(orgCode: string, change: ApiChange): Promise<ChangePreview>;
  list(orgCode: string): Promise<readonly EntitySummary[]>;
  /** The entities whose indexes or fields are not ready. */
  builds(orgCode: string): Promise<BuildsOfOrg>;
  /** The work on entities that goes on or has failed. @throws Problem `invalid_cursor`. */
  jobs(orgCode: string, page: JobPageRequest): Promise<EntityJobPage>;
  /** @throws Problem `not_found`. */
  job(orgCode: string, id: string): Promise<EntityJob>;
  /** Takes the index out that the job builds. @throws Problem `not_found`, `conflict`, or what `change` throws. */
  cancelJob(orgCode: string, id: string): Promise<EntityJob>;
  /** The five configs, and how far the indexes are. @throws Problem `not_found`. */
  show(orgCode: string, entityName: string): Promise<ShownEntity>;
  /** As it is live. */
  compiled(orgCode: string, entityName: string): Promise<CompiledEntity | undefined>;
  /** @throws Problem `not_found`, `dangling_reference`, `in_use`. */
  remove(orgCode: string, entityName: string, options?: RemovalOptions): Promise<void>;
}

export function createEntityAdmin(deps: EntityAdminDeps): EntityAdmin {
  return {
    define: (orgCode, input, request) => defineEntity(deps, { orgCode, input, request }),
    previewDefined: (orgCode, input) => previewEntity(deps, orgCode, input),
    change: (orgCode, change) => changeApi(deps, orgCode, change),
    preview: (orgCode, change) => previewApi(deps, orgCode, change),
    list: (orgCode) => listEntities(deps, orgCode),
    builds: (orgCode) => listBuilds(deps, orgCode),
    jobs: (orgCode, page) => listEntityJobs(deps, orgCode, page),
    job: async (orgCode, id) => (await findEntityJob(deps, orgCode, id)).job,
    cancelJob: (orgCode, id) => cancelEntityJob(deps, orgCode, id),
    show: (orgCode, entityName) => showEntity(deps, orgCode, entityName),
    compiled: (orgCode, entityName) => compiledOf(deps, orgCode, entityName),
    remove: (orgCode, entityName, options) => removeEntity(deps, orgCode, { ...options, entityName }),
  };
}

interface EntitiesDeps extends Pick<EntityAdminDeps, 'clock' | 'wake' | 'refuseRemoval'> {
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
