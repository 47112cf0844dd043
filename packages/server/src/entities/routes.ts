import { entitiesApi } from '@freehold/contract/management/entities';
import { readPreconditions } from '../api/preconditions.ts';
import { json, type Reply } from '../api/reply.ts';
import { requireTest } from '../api/require-test.ts';
import type { AnyRoute } from '../api/route.ts';
import { type Received, serve, serveReply } from '../api/serve.ts';
import type { AuditContext } from '../audit/audit-entry.ts';
import { type EntityAdmin, underApiName } from './port.ts';
import type { BuilderCaller } from '../identity/port.ts';
import type { Clock } from '../lib/clock.ts';
import { notFound } from '../lib/problem.ts';
import type { Idempotency } from '../records/port.ts';
import { entityTag, readOnce, replayedHeaders } from '../records/port.ts';
import type { Environment } from '../tenancy/port.ts';
import { entityEndpoints } from '../gateway/openapi/entity-endpoints.ts';

export interface EntityServices {
  readonly entities: (env: Environment, auditContext: AuditContext) => EntityAdmin;
  readonly idempotency: Idempotency;
  readonly clock: Clock;
}

/** Entity definitions. A builder changes `test`; reads take `?env=prod` too. */
export function entityRoutes({ entities, idempotency }: EntityServices): readonly AnyRoute[] {
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

type AdminOf = (env: Environment, caller: BuilderCaller) => EntityAdmin;

async function change(
  admin: EntityAdmin,
  request: Received<typeof entitiesApi.changeApi>,
  orgCode: string,
): Promise<Reply> {
  const { env, force, dry_run: isDry } = request.query;
  requireTest(env);
  const asked = { api: request.params.apiname, body: request.body, force, ...readPreconditions(request.head) };
  if (isDry) {
    const { version, ...preview } = await admin.preview(orgCode, asked);
    return json(200, preview, { ETag: entityTag(version) });
  }
  const changed = await admin.change(orgCode, asked);
  return json(200, changed, { ETag: entityTag(changed.version) });
}
