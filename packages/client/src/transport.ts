/**
 * One call as it leaves the program: sent, sent again where that is safe, and answered or refused.
 *
 * When a call is sent again: a refusal by 429 `rate_limited` says that nothing was done, so any call is. If there was no
 * reply, or a 502, 503 or 504, the call may have been done, so it is sent again only if it counts once: reads, a POST with
 * its `Idempotency-Key`, and a change with `If-Match`, which holds for one version of the record and so cannot be done
 * twice. Other changes could undo what another caller wrote in between.
 */
import { errorOf, FreeholdError } from './errors.ts';
import { type Answer, answerOf } from './reply.ts';

export type RequestBody = NonNullable<RequestInit['body']>;

export interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RequestBody | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether the platform counts the call once, however often it arrives. */
  readonly countsOnce: boolean;
}

export interface Transport {
  readonly fetch: typeof globalThis.fetch;
  /** The number of times that a call is sent again at most. */
  readonly retries: number;
  /** Resolves after the time, or rejects when the signal is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly now: () => number;
}

/** Longer waits are the caller's to decide on: the error says in `retryAfter` what the platform asks for. */
const waitSecondsMax = 30;
const backoffMilliseconds = 250;

export interface TransportOptions {
  readonly fetch?: Transport['fetch'] | undefined;
  readonly retries?: number | undefined;
}

export function transport(options: TransportOptions): Transport {
  return {
    // A browser refuses its `fetch` under another `this`.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    retries: options.retries ?? 3,
    wait: delay,
    random: Math.random,
    now: () => Date.now(),
  };
}

/** @throws FreeholdError; the reason of the signal, if the call was aborted. */
export async function send(transport: Transport, request: Request): Promise<Answer> {
  let uncertain = false;
  const retries = isStream(request.body) ? 0 : transport.retries;
  for (let sent = 0; ; sent++) {
    request.signal?.throwIfAborted();
    const { answer, error } = await attempt(transport, request, uncertain);
    if (answer !== undefined) return answer;
    uncertain = error.uncertain;
    const seconds = sent < retries ? waitSeconds(transport, request, { error, sent }) : undefined;
    if (seconds === undefined) throw error;
    await transport.wait(seconds * 1000, request.signal);
  }
}

type Attempt =
  | { readonly answer: Answer; readonly error?: undefined }
  | { readonly answer?: undefined; readonly error: FreeholdError };

async function attempt(transport: Transport, request: Request, wasUncertain: boolean): Promise<Attempt> {
  const { method, url, headers, body, signal } = request;
  const changes = method !== 'GET' && method !== 'HEAD';
  const uncertainIfLost = wasUncertain || changes;
  try {
    const init = {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(isStream(body) ? { duplex: 'half' as const } : {}),
      ...(signal === undefined ? {} : { signal }),
    };
    const response = await transport.fetch(url, init);
    if (response.ok || response.status === 304) return { answer: await answerOf(response, request, uncertainIfLost) };
    const uncertain = wasUncertain || (changes && response.status >= 500);
    const retryAfter = secondsOf(response.headers, transport.now());
    const error = await errorOf(response, { retryAfter, uncertain });
    signal?.throwIfAborted();
    return { error };
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason;
    if (cause instanceof FreeholdError) return { error: cause };
    return {
      error: new FreeholdError({
        code: 'network',
        detail: 'the platform cannot be reached',
        cause,
        uncertain: uncertainIfLost,
      }),
    };
  }
}

/** A stream can be sent once. */
export function isStream(body: unknown): boolean {
  return typeof ReadableStream === 'function' && body instanceof ReadableStream;
}

/** Statuses that do not say whether the call was done. */
function isWithoutProof(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

/** After how many seconds the call is sent again; undefined if it is not. */
function waitSeconds(
  { random }: Transport,
  request: Request,
  { error, sent }: { readonly error: FreeholdError; readonly sent: number },
): number | undefined {
  const { status, code, retryAfter } = error;
  const isRefused = status === 429 && code !== 'plan_limit_exceeded';
  const mayBeDone = status === 0 || isWithoutProof(status);
  if (!(isRefused || (mayBeDone && request.countsOnce))) return undefined;
  const backoff = (backoffMilliseconds / 1000) * 2 ** sent;
  if (retryAfter === undefined) return backoff * (0.5 + random());
  return retryAfter > waitSecondsMax ? undefined : retryAfter + backoff * random();
}

/** `Retry-After` is a number of seconds or a date (RFC 9110, section 10.2.3). */
function secondsOf(headers: Headers, now: number): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const at = Date.parse(text);
  const date = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(at) ? undefined : Math.max(0, (at - (Number.isNaN(date) ? now : date)) / 1000);
}

function delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', end, { once: true });
  });
}
