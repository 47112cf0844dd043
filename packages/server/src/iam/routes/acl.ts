import { accessApi } from '@freehold/contract/management/access';
import { mayReadProduction } from '../../api/production-values.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import { Problem } from '../../lib/problem.ts';
import { lintStatements } from '../lint/lint.ts';
import { lintBlocks, lintEntities } from '../lint/lint-entities.ts';
import type { IamRouteDeps } from './deps.ts';
import { readSimulation, simulationMistakes } from './read-simulation.ts';

/** Who may do what, asked by builders. Nothing here changes anything, so production may be asked about. */
export function aclRoutes({
  simulator,
  matrix,
  overview: accessOverview,
  configs,
  appRoutes,
}: IamRouteDeps): readonly AnyRoute[] {
  return [
    serve(
      accessApi.simulateAccess,
      ({ body }, { org }) =>
        simulator.simulate(org.code, readSimulation(body, { orgCode: org.code, routes: appRoutes })),
      { mistakes: simulationMistakes },
    ),
    serve(accessApi.lintStatements, async ({ body }, { org }) => {
      const { env = 'test', statements } = body;
      const config = await configs[env].current(org.code);
      return { findings: lintStatements(statements, await lintEntities(config), lintBlocks(config)) };
    }),
    serve(accessApi.readAccessMatrix, ({ query }, { org, role }) => {
      const {
        env,
        tenant_code: tenantCode,
        entity: entityName,
        user_id: userId,
        pagesize: pageSize,
        nexttoken,
      } = query;
      const showsConditions = env === 'test' || mayReadProduction({ role });
      return matrix.read(org.code, { env, tenantCode, entityName, userId, showsConditions, pageSize, nexttoken });
    }),
    serve(accessApi.listWorkspacePolicies, ({ query }, { org }) => accessOverview.policies(org.code, query)),
    serve(accessApi.listWorkspaceGroups, ({ query }, { org }) => accessOverview.groups(org.code, query)),
    serve(accessApi.readWorkspacePolicy, ({ params, query }, { org }) =>
      accessOverview.policy(org.code, { ...params, ...query }),
    ),
    serve(accessApi.readWorkspaceGroup, ({ params, query }, { org }) =>
      accessOverview.group(org.code, { ...params, ...query }),
    ),
    serve(accessApi.listMembers, ({ query }, { org }) => accessOverview.members(org.code, query)),
    serve(accessApi.readMember, ({ params, query }, { org }) =>
      accessOverview.member(org.code, { ...params, ...query }),
    ),
    serve(accessApi.listHolders, ({ query }, { org }) => {
      if ((query.policy_id === undefined) === (query.group_id === undefined))
        throw new Problem('invalid_request', 'send either `policy_id` or `group_id`');
      return accessOverview.holders(org.code, query);
    }),
  ];
}
