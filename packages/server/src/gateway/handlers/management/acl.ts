import type { AccessMatrix } from '../../../iam/matrix.ts';
import type { AccessSimulator } from '../../../iam/simulate.ts';
import type { AppRoute } from '../../app-route.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { readParameters } from '../../pipeline/management-query.ts';
import { readPageSize } from '../../pipeline/page-size.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { json } from '../../reply.ts';
import { readSimulation } from './read-simulation.ts';

export interface AclServices {
  readonly matrix: AccessMatrix;
  readonly simulator: AccessSimulator;
  /** Those of the app gateway: what a call would ask the policies is found in them. */
  readonly appRoutes: readonly AppRoute[];
}

/** Who may do what, asked by builders. Nothing here changes anything, so production may be asked about. */
export function aclRoutes({ simulator, matrix, appRoutes }: AclServices): readonly ManagementRoute[] {
  return [
    {
      method: 'POST',
      path: '/acl/simulate',
      access: 'developer',
      takesBody: true,
      handle: async ({ query, body }, { org }) => {
        refuseParameters(query);
        return json(
          200,
          await simulator.simulate(org.code, readSimulation(body, { orgCode: org.code, routes: appRoutes })),
        );
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

/** Of one page: all that each of them holds is read and decided. */
const membersMax = 50;
