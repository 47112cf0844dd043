import { Problem } from '../lib/problem.ts';
import { Conflict, NoConnectionLeft, OutcomeUnknown, ScopeClosed, TooLarge, Unavailable } from './port.ts';
import { overtaken } from './transact.ts';

/** What a caller may know of a store's failure; undefined for what is not one. */
export function explainStoreFailure(error: unknown): Problem | undefined {
  if (error instanceof TooLarge)
    return new Problem('body_too_large', 'the request would write more than one commit takes: split it', {}, error);
  if (error instanceof Conflict || error instanceof ScopeClosed) return overtaken(error);
  if (error instanceof NoConnectionLeft)
    return new Problem('unavailable', 'the server that keeps the data takes no more connections', {}, error);
  if (error instanceof Unavailable) return new Problem('unavailable', 'the store cannot serve this now', {}, error);
  if (error instanceof OutcomeUnknown)
    return new Problem(
      'outcome_unknown',
      'the store failed while writing: the write may or may not be stored',
      {},
      error,
    );
  return undefined;
}
