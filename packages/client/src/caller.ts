/** Calls of one app with the token of its session. */
import { FreeholdError } from './errors.ts';
import { type QueryValues, withQuery } from './query.ts';
import type { Answer } from './reply.ts';
import type { ExchangedToken, SessionHolder } from './session.ts';
import { isStream, type RequestBody, send, type Transport } from './transport.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface RequestOptions extends CallOptions {
  readonly query?: QueryValues | undefined;
  /** Sent as JSON, unless `headers` have a `Content-Type`: then as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Of a POST: makes it count once also if the program calls again. Left out, each call has a key of its own. */
  readonly idempotencyKey?: string | undefined;
}

export interface CallerOptions {
  /** The address of the app, `{url}/app/{org}`. */
  readonly base: string;
  readonly transport: Transport;
  readonly session: SessionHolder;
}

/** Routes where a POST does not count once by a key: imports, mails to unknown callers, and what can be done once alone. */
const withoutKey = /^\/(?:import\/|hooks\/|password\/|verify-email$|user\/(?:password|logout)$)/;

export class Caller {
  readonly #options: CallerOptions;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  /** @throws FreeholdError. */
  async call(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const { base, transport, session } = this.#options;
    const request = { ...requestOf(method, path, options), url: withQuery(`${base}${path}`, options.query) };
    const used = session.token();
    const withToken = ({ token }: ExchangedToken) => ({
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${token}` },
    });
    try {
      return await send(transport, used === undefined ? request : withToken(used));
    } catch (error) {
      if (used === undefined || !isRefusedToken(error) || isStream(request.body)) throw error;
      return await send(transport, withToken(await session.replacementOf(used, error)));
    }
  }
}

function isRefusedToken(error: unknown): error is FreeholdError {
  return error instanceof FreeholdError && (error.code === 'token_expired' || error.code === 'token_invalid');
}

/** The data that are sent to any gateway: the body as JSON, and a key for a POST. */
export function requestOf(method: string, path: string, options: RequestOptions = {}) {
  const { body, signal, idempotencyKey } = options;
  const accept = path.startsWith('/export/') ? 'text/csv, application/x-ndjson' : 'application/json';
  const headers: Record<string, string> = { accept };
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = value;
  const isJson = body !== undefined && !('content-type' in headers);
  if (isJson) headers['content-type'] = 'application/json';
  const hasKey = method === 'POST' && !withoutKey.test(path);
  if (hasKey) headers['idempotency-key'] ??= idempotencyKey ?? crypto.randomUUID();
  const isRead = method === 'GET' || method === 'HEAD';
  return {
    method,
    headers,
    body: isJson ? JSON.stringify(body) : (body as RequestBody | undefined),
    signal,
    countsOnce: isRead || hasKey || 'if-match' in headers,
  };
}
