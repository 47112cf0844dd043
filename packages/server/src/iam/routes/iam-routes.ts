import type { AnyRoute } from '../../api/route.ts';
import { aclRoutes } from './acl.ts';
import { decisionRoutes } from './decisions.ts';
import type { IamRouteDeps } from './deps.ts';
import { policyLabRoutes } from './policy-lab.ts';

export { authzenRoutes } from './authzen.ts';
export type { IamRouteDeps };

/** The routes by which builders look at what policies decide. */
export function iamRoutes(deps: IamRouteDeps): readonly AnyRoute[] {
  return [...decisionRoutes(deps.decisions), ...aclRoutes(deps), ...policyLabRoutes(deps)];
}
