import type { RecordCall } from './write-loop.ts';

/** What the caller may do beside the call itself. Entities know that this is decided, not how. */
export interface CallerAccess {
  /** @param resource the path below the app, as policies name it. */
  may(verb: string, entityName: string, resource: string): boolean;
  /** Asks for a verb on the call's entity, at the call's path or another. @throws Problem `access_denied`. */
  demand(verb: string, resource?: string): void;
}

/** A call that was allowed, of a caller who may ask for more than its verb. */
export interface AuthorizedCall extends RecordCall {
  readonly access: CallerAccess;
}
