import pg from 'pg';
import { NoConnectionLeft, Unavailable } from '../../port.ts';

/** The server said no: what was asked has not been done, and the transaction around it can only be rolled back. */
export function isServerError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError;
}

/** A transaction that got in another one's way and was rolled back: to be made again. 40003 is an unknown outcome. */
export function isInTheWay(error: unknown): boolean {
  return isServerError(error) && /^40(?!003)/.test(error.code ?? '');
}

/** The server ended the statement because its time was over. */
export function isTimeout(error: unknown): boolean {
  return isServerError(error) && error.code === '57014';
}

/** The connection was lost, or its answer was not waited for any longer: what was asked may have been done. */
export class SessionLost extends Error {
  /** Whether another session is likely to answer; the one whose patience ended would only wait again. */
  readonly mayAskAgain: boolean;

  constructor(cause: unknown) {
    super('the session was lost', { cause });
    this.mayAskAgain = !(cause instanceof Error && cause.message === 'Query read timeout');
  }
}

/** The session is gone, or cannot serve any more; another one may. */
export function endsSession(error: unknown): boolean {
  if (error instanceof SessionLost) return error.mayAskAgain;
  return isServerError(error) && (/^(57P|08|25006|26000)/.test(error.code ?? '') || hasStalePlan(error));
}

/**
 * A table was changed since the session prepared a statement. The same code says that a server cannot do what a
 * statement asks, which no other session mends.
 */
function hasStalePlan({ code, routine }: pg.DatabaseError): boolean {
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

/**
 * The part of a failure that may be logged. The driver's own errors carry more: the values of a key that was refused,
 * the settings of the connection.
 */
export function describeError(error: unknown): Error {
  if (error instanceof SessionLost) return describeError(error.cause);
  const message = error instanceof Error && error.message !== '' ? error.message : String(codeOf(error));
  return new Error(isServerError(error) ? `${message} (SQLSTATE ${error.code})` : message);
}

/** Why no session could be begun. Its words show neither the address nor the user. */
export function whyNoSession(error: unknown): Unavailable {
  const options = { cause: describeError(error) };
  const code = isServerError(error) ? (error.code ?? '') : '';
  if (code === '53300')
    return new NoConnectionLeft(
      'the PostgreSQL server takes no more connections: raise its `max_connections`, or lower `reads` and `commits` in the address',
      options,
    );
  if (code.startsWith('28')) return new Unavailable('the PostgreSQL server refuses the user or the password', options);
  if (code === '3D000') return new Unavailable('the PostgreSQL server has no database of that name', options);
  if (code === '57P03') return new Unavailable('the PostgreSQL server is starting or shutting down', options);
  return new Unavailable('the PostgreSQL server cannot be reached', options);
}

/** If several addresses of a host were tried, the message is empty and the code says what went wrong. */
function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : error;
}
