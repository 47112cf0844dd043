import type { AuditContext } from '../audit/audit-entry.ts';
import type { OnceRequest } from '../records/port.ts';
import type { Environment } from '../tenancy/port.ts';
import type { ApiChange } from './definition/api-change.ts';
import { changeApi, previewApi } from './definition/change-api.ts';
import { defineEntity, previewEntity, type RemovalOptions, removeEntity } from './definition/define-entity.ts';
import type { EntityAdminDeps } from './plan-migration.ts';
import { cancelEntityJob, findEntityJob, type JobPageRequest, listEntityJobs } from './showing/entity-jobs.ts';
import { listBuilds } from './showing/show-builds.ts';
import { compiledOf, listEntities, showEntity } from './showing/show-entity.ts';

/** The management side of entities, in one environment and on one occasion. */
export type EntityAdmin = ReturnType<typeof createEntityAdmin>;

/** Each function documents what it throws. */
export function createEntityAdmin(deps: EntityAdminDeps) {
  return {
    define: (orgCode: string, input: unknown, request?: OnceRequest) => defineEntity(deps, { orgCode, input, request }),
    /** The result that `define` would have. Nothing is written. */
    previewDefined: (orgCode: string, input: unknown) => previewEntity(deps, orgCode, input),
    change: (orgCode: string, change: ApiChange) => changeApi(deps, orgCode, change),
    /** The result that `change` would have. Nothing is written. */
    preview: (orgCode: string, change: ApiChange) => previewApi(deps, orgCode, change),
    list: (orgCode: string) => listEntities(deps, orgCode),
    /** The entities whose indexes or fields are not ready. */
    builds: (orgCode: string) => listBuilds(deps, orgCode),
    /** The work on entities that goes on or has failed. */
    jobs: (orgCode: string, page: JobPageRequest) => listEntityJobs(deps, orgCode, page),
    job: async (orgCode: string, id: string) => (await findEntityJob(deps, orgCode, id)).job,
    cancelJob: (orgCode: string, id: string) => cancelEntityJob(deps, orgCode, id),
    show: (orgCode: string, entityName: string) => showEntity(deps, orgCode, entityName),
    /** As it is live. */
    compiled: (orgCode: string, entityName: string) => compiledOf(deps, orgCode, entityName),
    remove: (orgCode: string, entityName: string, options?: RemovalOptions) =>
      removeEntity(deps, orgCode, { ...options, entityName }),
  };
}

/** The entities of an environment, for what is asked for on one occasion. */
export type Entities = (env: Environment, auditContext: AuditContext) => EntityAdmin;
