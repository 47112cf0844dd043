import type { EntityAdmin } from '../../../entities/entity-admin.ts';
import type { Idempotency } from '../../../entities/idempotency.ts';
import { entityTag } from '../../../entities/record.ts';
import type { Environment } from '../../../entities/workspace.ts';
import { notFound, Problem } from '../../../lib/problem.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { readOnce, replayedHeaders } from '../../pipeline/idempotency-key.ts';
import { readParameters, requireTest } from '../../pipeline/management-query.ts';
import { readIfMatch } from '../../pipeline/preconditions.ts';
import { json, type Reply } from '../../reply.ts';
import type { GatewayRequest } from '../../request.ts';
import { entityEndpoints } from '../entity-endpoints.ts';

export interface EntityServices {
  readonly entities: Readonly<Record<Environment, EntityAdmin>>;
  readonly idempotency: Idempotency;
}

/** Entity definitions. A builder changes `test`; reads take `?env=prod` too. */
export function entityRoutes({ entities: admins, idempotency }: EntityServices): readonly ManagementRoute[] {
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
        const { isReplayed, ...defined } = await admins.test.define(caller.org.code, request.body, once);
        return json(201, defined, isReplayed ? replayedHeaders : {});
      },
    },
    {
      method: 'PUT',
      path: '/api/:apiname',
      access: 'developer',
      takesBody: true,
      handle: (request, caller) => change(admins.test, request, caller.org.code),
    },
    {
      method: 'GET',
      path: '/api/entities',
      access: 'developer',
      handle: async (request, caller) => {
        const { env } = readParameters(request.query, []);
        return json(200, { items: await admins[env].list(caller.org.code) });
      },
    },
    {
      method: 'GET',
      path: '/api/entity',
      access: 'developer',
      handle: async (request, caller) => {
        const { env, entityName = '' } = readParameters(request.query, ['entityName']);
        return json(200, await admins[env].show(caller.org.code, entityName));
      },
    },
    {
      method: 'GET',
      path: '/api/entity/endpoints',
      access: 'developer',
      handle: async (request, caller) => endpoints(admins, request, caller.org.code),
    },
    {
      method: 'DELETE',
      path: '/api/entity',
      access: 'developer',
      handle: async (request, caller) => {
        requireTest(request.query);
        const { entityname = '', if_empty } = readParameters(request.query, ['entityname'], ['if_empty']);
        await admins.test.remove(caller.org.code, entityname, { ifEmpty: readFlag('if_empty', if_empty) });
        return { status: 204 };
      },
    },
  ];
}

async function change(admin: EntityAdmin, request: GatewayRequest, orgCode: string): Promise<Reply> {
  requireTest(request.query);
  const { force } = readParameters(request.query, [], ['force']);
  const ifMatch = readIfMatch(request.incoming);
  const changed = await admin.change(orgCode, {
    api: request.params.apiname ?? '',
    body: request.body,
    force: readFlag('force', force),
    ...(ifMatch === undefined ? {} : { ifMatch }),
  });
  return json(200, changed, { ETag: entityTag(changed.version) });
}

async function endpoints(
  admins: Readonly<Record<Environment, EntityAdmin>>,
  request: GatewayRequest,
  orgCode: string,
): Promise<Reply> {
  const { env, entity = '' } = readParameters(request.query, ['entity']);
  const definition = await admins[env].definition(orgCode, entity);
  if (definition === undefined) throw notFound();
  return json(200, { endpoints: entityEndpoints(orgCode, definition) });
}

function readFlag(name: string, value: string | undefined): boolean {
  if (value === undefined || value === 'true' || value === 'false') return value === 'true';
  throw new Problem('invalid_request', `\`${name}\` must be \`true\` or \`false\``);
}
