/** One HTTP call, the way a client makes it. */
export interface CallOptions {
  readonly token?: string;
  /** Sent as JSON; a string or bytes are sent as they stand. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `Body` is what the caller expects to find; the test's own assertions are what holds the platform to it. */
export interface Reply<Body = Readonly<Record<string, unknown>>> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

export async function call<Body = Readonly<Record<string, unknown>>>(
  method: string,
  url: string,
  options: CallOptions = {},
): Promise<Reply<Body>> {
  const headers = new Headers(options.headers);
  if (options.token !== undefined) headers.set('authorization', `Bearer ${options.token}`);
  const body = requestBody(options.body);
  if (body !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
  const response = await fetch(url, { method, headers, redirect: 'manual', ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(response, text) as Body };
}

function requestBody(body: unknown): string | Uint8Array<ArrayBuffer> | undefined {
  if (body === undefined || typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return JSON.stringify(body);
}

function parsed(response: Response, text: string): unknown {
  const type = response.headers.get('content-type') ?? '';
  return /^application\/(?:problem\+)?json\b/.test(type) && text !== '' ? JSON.parse(text) : undefined;
}
