import { entitiesApi } from '@freehold/contract/management/entities';
import { orgJobsApi } from '@freehold/contract/management/jobs';
import type { ReplyOf } from '@freehold/contract/route';
import { requireTest } from '../api/environments.ts';
import { readPreconditions } from '../api/headers/preconditions.ts';
import { json, type Reply } from '../api/reply.ts';
import type { AnyRoute, Callers } from '../api/route.ts';
import { type Received, serve, serveReply } from '../api/serve.ts';
import type { AuditContext } from '../audit/audit-entry.ts';
import { notFound, Problem } from '../lib/problem.ts';
import { entityTag, type Idempotency, readOnce, replayedHeaders } from '../records/port.ts';
import type { CompiledEntity } from '../schema/port.ts';
import type { Environment } from '../tenancy/port.ts';
import { underApiName } from './definition/change-api.ts';
import type { EntityAdmin } from './entity-admin.ts';

type EntityEndpoints = ReplyOf<typeof entitiesApi.readEntityEndpoints>['endpoints'];

export interface EntityRouteDeps {
  readonly entities: (env: Environment, auditContext: AuditContext) => EntityAdmin;
  readonly idempotency: Idempotency;
  /** The operations that an app has on an entity. */
  readonly entityEndpoints: (orgCode: string, entity: CompiledEntity) => EntityEndpoints;
}

/** Entity definitions. A builder changes `test`; reads take `?env=prod` too. */
export function entityRoutes({ entities, idempotency, entityEndpoints }: EntityRouteDeps): readonly AnyRoute[] {
  const adminOf: AdminOf = (env, caller) => entities(env, caller.command.auditContext);
  return [
    serveReply(entitiesApi.defineEntity, async (request, caller) => {
      const { env, dry_run: isDry } = request.query;
      requireTest(env);
      const admin = adminOf('test', caller);
      const body = underApiName(request.params.apiname, request.body);
      if (isDry) return json(200, await admin.previewDefined(caller.org.code, body));
      const once = readOnce(idempotency, request, caller.user.id);
      const { isReplayed, ...defined } = await admin.define(caller.org.code, body, once);
      return json(201, defined, isReplayed ? replayedHeaders : {});
    }),
    serveReply(entitiesApi.changeApi, (request, caller) => change(adminOf('test', caller), request, caller.org.code)),
    serve(entitiesApi.listEntities, async (request, caller) => ({
      items: await adminOf(request.query.env, caller).list(caller.org.code),
    })),
    serveReply(entitiesApi.readEntity, async (request, caller) => {
      const { env, entityName } = request.query;
      return json(200, await adminOf(env, caller).show(caller.org.code, entityName));
    }),
    serve(entitiesApi.readEntityEndpoints, async (request, caller) => {
      const { env, entity } = request.query;
      const compiled = await adminOf(env, caller).compiled(caller.org.code, entity);
      if (compiled === undefined) throw notFound();
      return { endpoints: entityEndpoints(caller.org.code, compiled) };
    }),
    serve(entitiesApi.removeEntity, async (request, caller) => {
      const { env, entityname, if_empty: ifEmpty } = request.query;
      requireTest(env);
      await adminOf('test', caller).remove(caller.org.code, entityname, { ifEmpty });
    }),
  ];
}

export function entityJobRoutes({ entities }: Pick<EntityRouteDeps, 'entities'>): readonly AnyRoute[] {
  const { listEntityJobs, readEntityJob, cancelEntityJob } = orgJobsApi;
  return [
    serve(listEntityJobs, (request, caller) => {
      const { env, pagesize: pageSize, nexttoken } = request.query;
      const admin = entities(env, caller.command.auditContext);
      return admin.jobs(caller.org.code, { pageSize, nexttoken });
    }),
    serve(readEntityJob, (request, caller) => {
      const admin = entities(request.query.env, caller.command.auditContext);
      return admin.job(caller.org.code, request.params.id);
    }),
    serve(cancelEntityJob, async (request, caller) => {
      const { env } = request.query;
      const admin = entities(env, caller.command.auditContext);
      if (env === 'test') return admin.cancelJob(caller.org.code, request.params.id);
      await admin.job(caller.org.code, request.params.id);
      const message = 'production does what its release asks for: roll it back, or activate one without this work';
      throw new Problem('conflict', message);
    }),
  ];
}

type AdminOf = (env: Environment, caller: Callers['developer']) => EntityAdmin;

async function change(
  admin: EntityAdmin,
  request: Received<typeof entitiesApi.changeApi>,
  orgCode: string,
): Promise<Reply> {
  const { env, force, dry_run: isDry } = request.query;
  requireTest(env);
  const query = { api: request.params.apiname, body: request.body, force, ...readPreconditions(request.head) };
  if (isDry) {
    const { version, ...preview } = await admin.preview(orgCode, query);
    return json(200, preview, { ETag: entityTag(version) });
  }
  const changed = await admin.change(orgCode, query);
  return json(200, changed, { ETag: entityTag(changed.version) });
}
