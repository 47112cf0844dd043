import type { EntityAdmin } from '../../../entities/entity-admin.ts';
import type { Environment } from '../../../entities/workspace.ts';
import { notFound, Problem } from '../../../lib/problem.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { json, type Reply } from '../../reply.ts';
import type { GatewayRequest } from '../../request.ts';
import { entityEndpoints } from '../entity-endpoints.ts';

/** Entity definitions. A builder changes `test`; reads take `?env=prod` too. */
export function entityRoutes(admins: Readonly<Record<Environment, EntityAdmin>>): readonly ManagementRoute[] {
  return [
    {
      method: 'POST',
      path: '/api/:apiname',
      access: 'developer',
      takesBody: true,
      handle: async (request, caller) => {
        requireTest(request.query);
        readParameters(request.query, []);
        return json(201, await admins.test.define(caller.org.code, request.body));
      },
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
        const { entityname = '' } = readParameters(request.query, ['entityname']);
        await admins.test.remove(caller.org.code, entityname);
        return { status: 204 };
      },
    },
  ];
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

/** The parameters named, each of which must be there, and the environment. @throws Problem `invalid_request`. */
function readParameters<N extends string>(
  query: ReadonlyMap<string, string>,
  names: readonly N[],
): { readonly env: Environment } & Readonly<Partial<Record<N, string>>> {
  for (const name of query.keys())
    if (name !== 'env' && !(names as readonly string[]).includes(name))
      throw new Problem('invalid_request', `unknown parameter \`${name.slice(0, 100)}\``);
  const env = query.get('env') ?? 'test';
  if (env !== 'test' && env !== 'prod') throw new Problem('invalid_request', '`env` must be `test` or `prod`');
  const read: Partial<Record<string, string>> = {};
  for (const name of names) {
    const value = query.get(name);
    if (value === undefined || value === '')
      throw new Problem('invalid_request', `the parameter \`${name}\` is needed`);
    read[name] = value;
  }
  return { env, ...(read as Partial<Record<N, string>>) };
}

function requireTest(query: ReadonlyMap<string, string>): void {
  if (query.get('env') === 'prod')
    throw new Problem('prod_read_only', 'production is read-only: change it in test and deploy');
}
