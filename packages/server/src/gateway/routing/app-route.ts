import { type Verb, verbs } from '../../access/port.ts';
import type { Reply } from '../../api/reply.ts';
import type { AnyRoute, RouteOf, ServedRoute } from '../../api/route.ts';
import type { BlockCaller } from '../../automation/port.ts';
import type { ConfigSet } from '../../config/port.ts';
import type { AppCaller, WorkUser } from '../../identity/port.ts';
import type { Actor, AuthorizedCall, NamedPolicyRequest, WriteContext } from '../../records/port.ts';
import type { Workspace } from '../../tenancy/port.ts';

type CallersOfRecords = { readonly [V in Verb]: AuthorizedCall };
type CallersOfWorkspaces = { readonly [A in WorkspaceAction]: ActionContext };

declare module '../../api/route.ts' {
  interface Callers extends CallersOfRecords, CallersOfWorkspaces {
    /** About several things at once: the handler asks for each as the request would be decided that asks for it alone. */
    readonly each: EachCaller;
    /** Runs a logic block, which a policy allows by `run` and the name of the block. */
    readonly run: RunCaller;
  }
}

/** The body as policies see it. */
export function bodyAsRead({ readTexts = {} }: Pick<ServedRoute, 'readTexts'>, body: unknown): unknown {
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

/** About records: decided by the caller's policies before the handler is asked. */
export function isRecordRoute(route: AnyRoute): route is RouteOf<Verb> {
  return verbs.some((verb) => verb === route.access);
}

export function isWorkspaceRoute(route: AnyRoute): route is RouteOf<WorkspaceAction> {
  return workspaceActions.some((action) => action === route.access);
}

export interface EachCaller {
  readonly workspace: Workspace;
  readonly actor: Actor;
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
