import type { IncomingMessage } from 'node:http';
import type { OrgCaller } from '../identity/org-accounts.ts';
import type { Reply } from './reply.ts';
import type { RoutePattern } from './router.ts';

/** A request as every handler of the management gateway gets it. */
export interface ManagementRequest {
  readonly incoming: IncomingMessage;
  readonly ip: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: ReadonlyMap<string, string>;
  readonly body: unknown;
}

export interface PublicManagementRoute extends RoutePattern {
  readonly access: 'public';
  readonly takesBody?: boolean;
  readonly handle: (request: ManagementRequest) => Reply | Promise<Reply>;
}

/** For org users; which of the two roles it takes stands in the route. */
export interface OrgRoute extends RoutePattern {
  readonly access: 'developer' | 'org_admin';
  readonly takesBody?: boolean;
  readonly handle: (request: ManagementRequest, caller: OrgCaller) => Reply | Promise<Reply>;
}

export type ManagementRoute = PublicManagementRoute | OrgRoute;
