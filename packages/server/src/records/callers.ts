/** Who calls the routes of records, as their handlers get them. */
import type { Reply } from '../api/reply.ts';
import type { Workspace } from '../tenancy/port.ts';
import type { Actor } from './actor.ts';
import type { AuthorizedCall, NamedPolicyRequest } from './caller-access.ts';

declare module '../api/route.ts' {
  /** By the verb that the caller's policies were asked for before the handler is. */
  interface Callers {
    readonly get: AuthorizedCall;
    readonly list: AuthorizedCall;
    readonly count: AuthorizedCall;
    readonly create: AuthorizedCall;
    readonly update: AuthorizedCall;
    readonly delete: AuthorizedCall;
    readonly browse: AuthorizedCall;
    /** About several things at once: the handler asks for each as the request would be decided that asks for it alone. */
    readonly each: EachCaller;
  }
}

export type RecordVerb = 'get' | 'list' | 'count' | 'create' | 'update' | 'delete' | 'browse';

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
