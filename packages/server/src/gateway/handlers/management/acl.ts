import type { ConfigReader } from '../../../config/port.ts';
import {
  type AccessMatrix,
  type AccessSimulator,
  lintEntities,
  lintStatements,
  type Simulation,
} from '../../../iam/port.ts';
import { invalidBody, Problem } from '../../../lib/problem.ts';
import type { Environment } from '../../../tenancy/port.ts';
import type { AppRoute } from '../../app-route.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { anEnvironment, anything, checkMembers, isObject, needed } from '../../pipeline/check-members.ts';
import { readParameters } from '../../pipeline/management-query.ts';
import { readPageSize } from '../../pipeline/page-size.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { json } from '../../reply.ts';
import { readSimulation } from './read-simulation.ts';

export interface AclServices {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly matrix: AccessMatrix;
  readonly simulator: AccessSimulator;
  /** Those of the app gateway: what a call would ask the policies is found in them. */
  readonly appRoutes: readonly AppRoute[];
}

/** Who may do what, asked by builders. Nothing here changes anything, so production may be asked about. */
export function aclRoutes({ simulator, matrix, configs, appRoutes }: AclServices): readonly ManagementRoute[] {
  return [
    {
      method: 'POST',
      path: '/acl/simulate',
      access: 'developer',
      takesBody: true,
      handle: async ({ query, body }, { org, role }) => {
        refuseParameters(query);
        const simulation = readSimulation(body, { orgCode: org.code, routes: appRoutes });
        if (readsProduction(simulation) && role !== 'org_admin')
          throw new Problem('role_required', 'a stored record of production takes the role `org_admin`');
        return json(200, await simulator.simulate(org.code, simulation));
      },
    },
    {
      method: 'POST',
      path: '/acl/lint',
      access: 'developer',
      takesBody: true,
      handle: async ({ query, body }, { org }) => {
        refuseParameters(query);
        const { env, statements } = readLint(body);
        const entities = await lintEntities(await configs[env].current(org.code));
        return json(200, { findings: lintStatements(statements, entities) });
      },
    },
    {
      method: 'GET',
      path: '/acl/matrix',
      access: 'developer',
      handle: async ({ query }, { org }) => {
        const parameters = readParameters(query, ['tenant_code'], ['entity', 'pagesize', 'nexttoken']);
        const { env, tenant_code: tenantCode = '', entity: entityName, pagesize, nexttoken } = parameters;
        const pageSize = readPageSize(pagesize, membersMax);
        return json(200, await matrix.read(org.code, { env, tenantCode, entityName, pageSize, nexttoken }));
      },
    },
  ];
}

/** What is wrong with the statements themselves is an answer, and no refusal. @throws Problem `validation_failed`, `unknown_field`. */
function readLint(body: unknown): { readonly env: Environment; readonly statements: unknown } {
  const errors = checkMembers(body, { env: anEnvironment, statements: needed(anything) });
  if (errors.length > 0 || !isObject(body)) throw invalidBody(errors);
  return { env: body.env === 'prod' ? 'prod' : 'test', statements: body.statements };
}

/** Of one page: all that each of them holds is read and decided. */
const membersMax = 50;

/** An explanation shows the values that it compared, and whoever drafts the statements chooses them. */
function readsProduction({ env, record }: Simulation): boolean {
  return env === 'prod' && record !== undefined && 'id' in record;
}
