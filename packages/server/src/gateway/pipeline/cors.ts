import type { IncomingMessage } from 'node:http';
import type { Environment } from '../../entities/workspace.ts';
import type { AppOrigins } from '../../identity/app-origins.ts';
import type { ErrorReplies } from '../error-reply.ts';
import type { Reply } from '../reply.ts';

/** What a request has shown of itself so far: a call is held to its own environment once that is known. */
export interface CallTrace {
  env?: Environment | undefined;
}

/**
 * Cross-origin replies (Fetch standard, CORS protocol): the caller's origin is given back where the app's own list has
 * it, and nothing else ever is. Also on refusals, so that a page can read why. Tokens travel in headers and never in
 * cookies, so credentials are not allowed.
 */
export async function withCors(
  origins: AppOrigins,
  { incoming, errors, requestId }: CrossOrigin,
  answer: (trace: CallTrace) => Promise<Reply>,
): Promise<Reply> {
  const { origin } = incoming.headers;
  const isAllowed = async (env: Environment | undefined): Promise<boolean> => {
    const orgCode = orgOf(incoming.url ?? '');
    return origin !== undefined && orgCode !== undefined && origins.isAllowed(orgCode, origin, env);
  };
  if (origin !== undefined && isPreflight(incoming)) {
    const headers = (await isAllowed(undefined)) ? { ...allowed(origin), ...preflightHeaders } : {};
    return { status: 204, headers: { ...vary, ...headers } };
  }
  const trace: CallTrace = {};
  const reply = await answer(trace).catch((error: unknown) => errors.reply(error, requestId));
  if (origin === undefined) return { ...reply, headers: { ...reply.headers, ...vary } };
  if (await isAllowed(trace.env))
    return { ...reply, headers: { ...exposed, ...reply.headers, ...vary, ...allowed(origin) } };
  return { ...reply, headers: { ...withoutCors(reply.headers), ...vary } };
}

export interface CrossOrigin {
  readonly incoming: IncomingMessage;
  readonly errors: ErrorReplies;
  readonly requestId: string;
}

const vary = { Vary: 'Origin' };
const exposed = {
  'Access-Control-Expose-Headers':
    'Content-Disposition, ETag, Idempotency-Replayed, Location, Preference-Applied, Retry-After, X-Request-Id',
};

const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, client_id, oauthtoken, x-service-token, If-Match, If-None-Match, Idempotency-Key, Prefer',
  'Access-Control-Max-Age': '600',
};

/** What a handler says of such replies is for pages that may read them. */
function withoutCors(headers: Reply['headers'] = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('Access-Control-')));
}

function allowed(origin: string): Readonly<Record<string, string>> {
  return { 'Access-Control-Allow-Origin': origin };
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** The app that a path is of, whatever else is wrong with it. */
function orgOf(url: string): string | undefined {
  return /^\/app\/([a-z0-9]{1,40})(?:[/?]|$)/.exec(url)?.[1];
}
