import type { OrgCaller } from '../../identity/port.ts';
import type { Reply } from '../../api/reply.ts';
import type { GatewayRequest, TakesBody } from '../../api/request.ts';
import type { DeployAccess, DeployCaller } from '../../identity/deploy-caller.ts';
import type { PublicRoute } from './public-route.ts';
import type { RoutePattern } from './router.ts';

/** What the audit log calls a refused call of the route: every route that changes production, what signs its callers in, or a plan has it. */
interface TellsRefusals {
  readonly refusedAs?: `${string}_refused`;
}

/** For org users; which of the two roles it takes stands in the route. */
export interface OrgRoute extends RoutePattern, TellsRefusals {
  readonly access: 'developer' | 'org_admin';
  /** Also for a member without the second factor that the org requires. */
  readonly takesUnprotected?: true;
  readonly takesBody?: TakesBody;
  readonly handle: (request: GatewayRequest, caller: OrgCaller) => Reply | Promise<Reply>;
}

/** For org users of a role, and for deploy keys: see `deployAccess`. */
export interface DeployRoute extends RoutePattern, TellsRefusals {
  readonly access: DeployAccess;
  readonly takesBody?: TakesBody;
  readonly handle: (request: GatewayRequest, caller: DeployCaller) => Reply | Promise<Reply>;
}

/** For the operator. Without an operator key there is no such route. */
export interface OperatorRoute extends RoutePattern, TellsRefusals {
  readonly access: 'operator';
  readonly takesBody?: TakesBody;
  readonly handle: (request: GatewayRequest) => Reply | Promise<Reply>;
}

export type ManagementRoute = PublicRoute | OrgRoute | DeployRoute | OperatorRoute;
