import type { RecordAccess, RecordPolicy } from './record-policy.ts';
import type { RecordCall } from './writing/write-loop.ts';

/** What the caller may do beside the call itself. Entities know that this is decided, not how. */
export interface CallerAccess extends RecordAccess {
  /** What the caller may do with the records that the call itself is about, now that its body is known. */
  rowsOfBody(body: unknown): RecordPolicy | undefined;
  /** Asks for a verb on the call's entity at the call's path, whatever the record. @throws Problem `access_denied`. */
  assertAllowed(verb: string): void;
}

/** A call that was allowed, of a caller who may ask for more than its verb. */
export interface AuthorizedCall extends RecordCall {
  readonly access: CallerAccess;
  /** The lists of which the caller may ask how they are read; left out, none. */
  readonly explains?: 'every_list' | 'lists_of_all' | undefined;
}
