import type { Occasion } from '../../../audit/audit-entry.ts';
import type { EntityAdmin } from '../../../entities/port.ts';
import type { OrgCaller } from '../../../identity/port.ts';
import type { Clock } from '../../../lib/clock.ts';
import { notFound } from '../../../lib/problem.ts';
import type { Idempotency } from '../../../records/port.ts';
import { entityTag } from '../../../records/port.ts';
import type { Environment } from '../../../tenancy/port.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { readOnce, replayedHeaders } from '../../pipeline/idempotency-key.ts';
import { readFlag, readParameters, requireTest } from '../../pipeline/management-query.ts';
import { occasionOf } from '../../pipeline/occasion.ts';
import { readPreconditions } from '../../pipeline/preconditions.ts';
import { json, type Reply } from '../../reply.ts';
import type { GatewayRequest } from '../../request.ts';
import { entityEndpoints } from '../entity-endpoints.ts';

export interface EntityServices {
  readonly entities: (env: Environment, occasion: Occasion) => EntityAdmin;
  readonly idempotency: Idempotency;
  readonly clock: Clock;
}

/** Entity definitions. A builder changes `test`; reads take `?env=prod` too. */
export function entityRoutes({ entities, idempotency, clock }: EntityServices): readonly ManagementRoute[] {
  const adminOf: AdminOf = (env, request, caller) => entities(env, occasionOf(clock, request, caller));
  return [
    {
      method: 'POST',
      path: '/api/:apiname',
      access: 'developer',
      takesBody: true,
      handle: async (request, caller) => {
        requireTest(request.query);
        readParameters(request.query, []);
        const once = readOnce(idempotency, request, caller.user.id);
        const { isReplayed, ...defined } = await adminOf('test', request, caller).define(
          caller.org.code,
          request.body,
          once,
        );
        return json(201, defined, isReplayed ? replayedHeaders : {});
      },
    },
    {
      method: 'PUT',
      path: '/api/:apiname',
      takesTags: true,
      access: 'developer',
      takesBody: true,
      handle: (request, caller) => change(adminOf('test', request, caller), request, caller.org.code),
    },
    {
      method: 'GET',
      path: '/api/entities',
      access: 'developer',
      handle: async (request, caller) => {
        const { env } = readParameters(request.query, []);
        return json(200, { items: await adminOf(env, request, caller).list(caller.org.code) });
      },
    },
    {
      method: 'GET',
      path: '/api/entity',
      access: 'developer',
      handle: async (request, caller) => {
        const { env, entityName = '' } = readParameters(request.query, ['entityName']);
        return json(200, await adminOf(env, request, caller).show(caller.org.code, entityName));
      },
    },
    {
      method: 'GET',
      path: '/api/entity/endpoints',
      access: 'developer',
      handle: (request, caller) => endpoints(adminOf, request, caller),
    },
    {
      method: 'DELETE',
      path: '/api/entity',
      access: 'developer',
      handle: async (request, caller) => {
        requireTest(request.query);
        const { entityname = '', if_empty } = readParameters(request.query, ['entityname'], ['if_empty']);
        const ifEmpty = readFlag('if_empty', if_empty);
        await adminOf('test', request, caller).remove(caller.org.code, entityname, { ifEmpty });
        return { status: 204 };
      },
    },
  ];
}

type AdminOf = (env: Environment, request: GatewayRequest, caller: OrgCaller) => EntityAdmin;

async function change(admin: EntityAdmin, request: GatewayRequest, orgCode: string): Promise<Reply> {
  requireTest(request.query);
  const { force } = readParameters(request.query, [], ['force']);
  const changed = await admin.change(orgCode, {
    api: request.params.apiname ?? '',
    body: request.body,
    force: readFlag('force', force),
    ...readPreconditions(request.incoming),
  });
  return json(200, changed, { ETag: entityTag(changed.version) });
}

async function endpoints(adminOf: AdminOf, request: GatewayRequest, caller: OrgCaller): Promise<Reply> {
  const { env, entity = '' } = readParameters(request.query, ['entity']);
  const orgCode = caller.org.code;
  const definition = await adminOf(env, request, caller).definition(orgCode, entity);
  if (definition === undefined) throw notFound();
  return json(200, { endpoints: entityEndpoints(orgCode, definition) });
}
