import type { Verb } from '../../access/port.ts';
import type { BlockCaller } from '../../automation/port.ts';
import type { ConfigSet } from '../../config/port.ts';
import type { AppCaller, WorkUser } from '../../identity/port.ts';
import type { Actor, AuthorizedCall, NamedPolicyRequest, WriteContext } from '../../records/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import type { Reply } from '../../api/reply.ts';
import type { GatewayRequest, TakesBody } from '../../api/request.ts';
import type { PublicRoute } from './public-route.ts';
import type { RoutePattern } from './router.ts';

/** About the caller: a token is enough. */
export interface SelfRoute extends RoutePattern {
  readonly access: 'self';
  /** Also for callers who are no person: what they may do, or what the app is. */
  readonly takesAnyone?: true;
  readonly isGated?: true;
  readonly takesBody?: TakesBody;
  readonly handle: (request: GatewayRequest, caller: AppCaller) => Reply | Promise<Reply>;
}

/** About records: decided by the caller's policies before the handler is asked. */
export interface RecordRoute extends RoutePattern {
  readonly access: Verb;
  /** Writes, so it is closed to an org that has reached a limit of its plan. */
  readonly isGated?: true;
  readonly takesBody?: TakesBody;
  /** @param keyHolder whose the `Idempotency-Key` is that the request may name. */
  readonly handle: (request: GatewayRequest, call: AuthorizedCall, keyHolder: string) => Reply | Promise<Reply>;
}

/** About the workspace itself: what a policy has to allow is no verb on an entity. */
export interface WorkspaceRoute extends RoutePattern {
  readonly access: WorkspaceAction;
  readonly isGated?: true;
  readonly takesBody?: TakesBody;
  /** The texts of the body of which several spellings mean one thing, each with what policies see of it. */
  readonly readTexts?: Readonly<Record<string, (text: string) => string>>;
  readonly handle: (request: GatewayRequest, context: ActionContext) => Reply | Promise<Reply>;
}

/** The body as policies see it. */
export function bodyAsRead({ readTexts = {} }: Pick<WorkspaceRoute, 'readTexts'>, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const members = Object.entries(body).map(([name, value]) => {
    const read = Object.hasOwn(readTexts, name) ? readTexts[name] : undefined;
    return [name, read !== undefined && typeof value === 'string' ? read(value) : value];
  });
  return Object.fromEntries(members);
}

/** Where an action takes place, and what else its caller may do there. */
export interface ActionContext extends WriteContext {
  /** Whether another action is allowed, asked for on the same resource; what its body would decide is not. */
  allows(action: string): boolean;
}

export const workspaceActions = [
  'updateworkspace',
  'deleteworkspace',
  'createinvitation',
  'listinvitation',
  'deleteinvitation',
] as const;

export type WorkspaceAction = (typeof workspaceActions)[number];

export function isWorkspaceRoute(route: AppRoute): route is WorkspaceRoute {
  return workspaceActions.some((action) => action === route.access);
}

/** About several things at once: the handler asks for each as the request would be decided that asks for it alone. */
export interface EachRoute extends RoutePattern {
  readonly access: 'each';
  /** Changes nothing, for all that it takes a body. */
  readonly isRead?: true;
  readonly takesBody?: TakesBody;
  readonly handle: (request: GatewayRequest, caller: EachCaller) => Reply | Promise<Reply>;
}

export interface EachCaller {
  readonly workspace: Workspace;
  readonly actor: Actor;
  /** Whose the `Idempotency-Key` is that the request may name. */
  readonly keyHolder: string;
  /** @throws Problem `access_denied`, `not_found`. */
  authorize(request: NamedPolicyRequest): Promise<AuthorizedCall>;
  /** Whether the caller may run a block: `undecided` where its input decides and is not given. @throws Problem `access_denied`, `not_found`. */
  mayRun(asked: AskedRun): Promise<'allowed' | 'undecided'>;
  /** What a request would be answered that fails so. */
  refusal(error: unknown): Reply;
}

/** A logic block, as its route names it. */
export interface AskedRun {
  readonly name: string;
  /** What stands in the path after the name. */
  readonly path: string | undefined;
  readonly input: unknown;
}

/** Runs a logic block, which a policy allows by `run` and the name of the block. */
export interface RunRoute extends RoutePattern {
  readonly access: 'run';
  readonly takesBody?: TakesBody;
  readonly handle: (request: GatewayRequest, caller: RunCaller) => Reply | Promise<Reply>;
}

/** A caller in whose name a block does several things, each decided as the request would be that does it alone. */
export interface RunCaller extends EachCaller, BlockCaller {
  /** The same for work that outlives the request. */
  readonly who: WorkUser;
  /** That of the decision. */
  readonly config: ConfigSet;
}

/** The caller of a request, for work that outlives it. */
export function workUserOf({ kind, claims: { sub: id, act } }: AppCaller): WorkUser {
  return { id, kind, ...(act === undefined ? {} : { act: act.sub }) };
}

/** What the policies are asked about a block. */
export function runAction({ name = '' }: Readonly<Record<string, string>>): string {
  return `run${name}`;
}

export type AppRoute = PublicRoute | SelfRoute | WorkspaceRoute | RecordRoute | EachRoute | RunRoute;
