import type { Reply } from '../api/reply.ts';
import type { CompiledEntity } from '../schema/port.ts';
import type { Workspace } from '../tenancy/port.ts';
import type { Actor } from './record-keys.ts';
import type { RecordPolicy } from './record-policy.ts';
import { assertNotDenied } from './writing/record-checks.ts';
import type { RecordCall } from './writing/write-loop.ts';

/** The rights of the caller beside the call itself. Entities know that this is decided, not how. */
export interface CallerAccess {
  /** The permissions of the caller on the records that a request of its own would be about. */
  rows(request: RecordPolicyRequest): RecordPolicy | undefined;
  /** The permissions of the caller on the records that the call itself is about, now that its body is known. */
  rowsOfBody(body: unknown): RecordPolicy | undefined;
  /** Asks for a verb on the call's entity at the call's path, whatever the record. @throws Problem `access_denied`. */
  assertAllowed(verb: string): void;
}

/** A request that does one thing by one verb, with records of an entity. */
export interface RecordPolicyRequest extends Omit<NamedPolicyRequest, 'entityName'> {
  readonly entity: CompiledEntity;
  /** Whether the caller is answered alike where it is refused: it decides only how the answer is found. */
  readonly isHint?: true;
}

/** The same, of an entity that may not be there. */
export interface NamedPolicyRequest {
  readonly verb: 'get' | 'list' | 'count' | 'create' | 'update' | 'delete' | 'browse';
  readonly entityName: string;
  /** That of the record, where the request names one. */
  readonly id?: string | undefined;
  readonly body?: unknown;
  readonly query?: string;
  /** Given where a list is asked for by another route than its own. */
  readonly route?: 'aggregate';
}

/** A call that was allowed, of a caller who may ask for more than its verb. */
export interface AuthorizedCall extends RecordCall {
  readonly access: CallerAccess;
  /** The lists of which the caller may ask how they are read; left out, none. */
  readonly explains?: 'every_list' | 'lists_of_all' | undefined;
}

/** The same call, now that the body is read: what it says may decide. @throws Problem `access_denied`. */
export function authorizeBody(call: AuthorizedCall, body: unknown): AuthorizedCall {
  if (call.rows === undefined || body === undefined) return call;
  return { ...call, rows: assertNotDenied(call.access.rowsOfBody(body)) };
}

// The callers of the routes of records, as their handlers get them.

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
  mayRun(run: RunRequest): Promise<'allowed' | 'undecided'>;
  /** The reply to a request that fails so. */
  refusal(error: unknown): Reply;
}

/** A logic block, as its route names it. */
export interface RunRequest {
  readonly name: string;
  /** The contents of the path after the name. */
  readonly path: string | undefined;
  readonly input: unknown;
}
