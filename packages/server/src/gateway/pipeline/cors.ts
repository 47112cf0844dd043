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
  if (origin === undefined) return varied(await answer({}));
  const orgCode = orgOf(incoming.url ?? '');
  if (isPreflight(incoming)) {
    const isAllowed = orgCode !== undefined && (await origins.isAllowed(orgCode, origin, undefined));
    return { status: 204, headers: { ...vary, ...(isAllowed ? { ...allowed(origin), ...preflightHeaders } : {}) } };
  }
  const trace: CallTrace = {};
  const reply = await answer(trace).catch((error: unknown) => errors.reply(error, requestId));
  const isAllowed = orgCode !== undefined && (await origins.isAllowed(orgCode, origin, trace.env));
  return isAllowed
    ? { ...reply, headers: { ...exposed, ...reply.headers, ...vary, ...allowed(origin) } }
    : varied(reply);
}

export interface CrossOrigin {
  readonly incoming: IncomingMessage;
  readonly errors: ErrorReplies;
  readonly requestId: string;
}

const vary = { Vary: 'Origin' };
const exposed = {
  'Access-Control-Expose-Headers':
    'ETag, Location, Retry-After, X-Request-Id, Idempotency-Replayed, Preference-Applied',
};

const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, client_id, oauthtoken, x-service-token, If-Match, If-None-Match, Idempotency-Key, Prefer',
  'Access-Control-Max-Age': '600',
};

function varied(reply: Reply): Reply {
  return { ...reply, headers: { ...reply.headers, ...vary } };
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
