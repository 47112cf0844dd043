import type { IncomingMessage } from 'node:http';
import { readAppToken } from '../../api/headers/read-token.ts';
import type { Reply } from '../../api/reply.ts';
import { type People, unverifiedActor } from '../../people/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { CallTrace } from '../call-trace.ts';
import type { ErrorReplies } from '../error-reply.ts';

/**
 * Cross-origin replies (Fetch standard, CORS protocol): the caller's origin is given back where the app's own list has
 * it, or it is the management gateway's, and nothing else ever is. Also on refusals, so that a page can read why. Tokens travel in headers and never in
 * cookies, so credentials are not allowed. That an answer depends on the origin, every reply says (`Vary`).
 */
export function withCors(pages: AllowedOrigins, request: CrossOrigin, answer: () => Promise<Reply>): Promise<Reply> {
  const { origins, managementOrigin } = pages;
  const { incoming, errors, trace } = request;
  const refused = (error: unknown): Reply => errors.reply(error, trace.requestId);
  const { origin } = incoming.headers;
  if (origin === undefined) return answer();
  const isAllowed = async (env: Environment | undefined): Promise<boolean> => {
    const orgCode = orgOf(incoming.url ?? '');
    return orgCode !== undefined && origins.isAllowed(orgCode, origin, env);
  };
  const isConsole = managementOrigin.is(origin);
  if (isPreflight(incoming)) return answerPreflight(origin, async () => isConsole || isAllowed(undefined));
  return answer()
    .catch(refused)
    .then(async (reply) =>
      (isConsole && isOfBuilder(incoming, trace, reply)) || (await isAllowed(trace.env))
        ? { ...reply, headers: { ...exposed, ...reply.headers, ...allowed(origin) } }
        : { ...reply, headers: withoutCors(reply.headers) },
    );
}

/** Which pages may read replies: those that an app lists, and the management gateway's own. */
interface AllowedOrigins {
  readonly origins: People['origins'];
  readonly managementOrigin: Pick<ManagementOrigin, 'is'>;
}

/**
 * The console calls apps by impersonation alone, so it reads no other replies. A refused token is taken at its word: the
 * refusal tells nothing of the app, and the console has to know that it needs another token.
 */
function isOfBuilder(incoming: IncomingMessage, trace: CallTrace, { status }: Reply): boolean {
  if (trace.principal !== undefined) return trace.builder !== undefined;
  return (status === 401 || status === 403) && saysActor(incoming);
}

function saysActor(incoming: IncomingMessage): boolean {
  try {
    return unverifiedActor(readAppToken(incoming)) !== undefined;
  } catch {
    return false;
  }
}

async function answerPreflight(origin: string, isAllowed: () => Promise<boolean>): Promise<Reply> {
  const headers = (await isAllowed()) ? { ...allowed(origin), ...preflightHeaders } : {};
  return { status: 204, headers };
}

interface CrossOrigin {
  readonly incoming: IncomingMessage;
  readonly errors: ErrorReplies;
  /** A call is held to its own environment once that is known. */
  readonly trace: CallTrace;
}

const exposed = {
  'Access-Control-Expose-Headers':
    'Content-Disposition, ETag, Idempotency-Replayed, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
};

const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, client_id, client-id, oauthtoken, x-service-token, If-Match, If-None-Match, Idempotency-Key, Prefer, traceparent, tracestate',
  'Access-Control-Max-Age': '600',
};

/** The CORS headers of a handler's reply are for pages that may read them. */
function withoutCors(headers: Reply['headers'] = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('Access-Control-')));
}

function allowed(origin: string): Readonly<Record<string, string>> {
  return { 'Access-Control-Allow-Origin': origin };
}

/** The question of a browser whether a page may make a call (Fetch standard, CORS-preflight request). */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  const { origin, 'access-control-request-method': requestedMethod } = headers;
  return method === 'OPTIONS' && origin !== undefined && requestedMethod !== undefined;
}

/** The app that a path is of, whatever else is wrong with it. */
function orgOf(url: string): string | undefined {
  return /^\/app\/([a-z0-9]{1,40})(?:[/?]|$)/.exec(url)?.[1];
}

/** The origin of the management gateway's own pages: of the address that was set, else of where this process listens. */
export interface ManagementOrigin {
  /** Whether a page of this origin is one of them. */
  is(origin: string): boolean;
  /** Notes where the management gateway of this process listens. */
  listening(url: string): void;
}

/** Names by which a browser on this machine may call it; none of them can be given to another one. */
const ownNames = ['localhost', '127.0.0.1', '[::1]'];

export function createManagementOrigin(managementUrl: string | undefined): ManagementOrigin {
  let origins = new Set(managementUrl === undefined ? [] : [new URL(managementUrl).origin]);
  return {
    is: (origin) => origins.has(origin),
    listening: (url) => {
      if (managementUrl === undefined) origins = new Set(originsAt(url));
    },
  };
}

function originsAt(url: string): readonly string[] {
  const { origin, protocol, port } = new URL(url);
  return [origin, ...ownNames.map((name) => new URL(`${protocol}//${name}:${port}`).origin)];
}
