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
  const request = { method, headers, redirect: 'manual', ...(body === undefined ? {} : { body }) } as const;
  const response = await onceHeard(() => fetch(url, request), body?.length ?? 0);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(response, text) as Body };
}

/** What a body may have. */
const bodyLengthMax = 1024 * 1024;
const attemptsMax = 5;

/**
 * The connection ends with the refusal of a body that is too long, and the reset may overtake the refusal while the body is
 * still being sent: it is sent again.
 */
async function onceHeard(send: () => Promise<Response>, bodyLength: number): Promise<Response> {
  for (let attempts = 1; ; attempts++)
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof TypeError) || bodyLength <= bodyLengthMax || attempts === attemptsMax) throw error;
    }
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
