import { randomBytes } from 'node:crypto';

/** The trace that the demo's own calls belong to. */
export const demoTraceId = randomBytes(16).toString('hex');

export interface Call {
  readonly method?: string;
  readonly url: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is if it is a text. */
  readonly body?: unknown;
}

export type Reply = Readonly<Record<string, unknown>>;

/** A reply that is no success. */
export class Refused extends Error {
  readonly code: string;
  constructor(path: string, { code, detail }: Reply) {
    super(`${path} answered ${String(code)}: ${String(detail)}`);
    this.code = String(code);
  }
}

/** @throws {Refused} if the reply is no success. */
export async function call(options: Call): Promise<Reply> {
  const response = await send(options);
  const reply = response.status === 204 ? {} : ((await response.json()) as Reply);
  if (!response.ok) throw new Refused(new URL(options.url).pathname, reply);
  return reply;
}

/** The items of a list of the platform. */
export async function itemsOf(options: Call): Promise<readonly Reply[]> {
  return (await call(options)).items as readonly Reply[];
}

/** @returns the reply, whatever its status is. */
export function send({ method, url, token, headers, body }: Call): Promise<Response> {
  const isText = typeof body === 'string';
  return fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      traceparent: `00-${demoTraceId}-${demoTraceId.slice(16)}-00`,
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': isText ? 'application/x-ndjson' : 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
  });
}
