import type { IncomingMessage } from 'node:http';
import { decodeUtf8, parseStrictJson } from '../../lib/formats/strict-json.ts';
import { type GuardedRequest, unansweredReason } from '../../lib/network/guarded-request.ts';
import { Problem } from '../../lib/problem.ts';
import type { FairSlots } from '../../lib/scheduling/fair-slots.ts';
import { blockFailure } from '../blocks/block-failure.ts';
import type { HttpAsk, HttpValue } from '../blocks/outside.ts';

export interface HttpCallDeps {
  readonly request: GuardedRequest;
  readonly slots: FairSlots;
  /** Ends what is under way. */
  readonly closing: AbortSignal;
  /** From the wait for a turn to the last byte of the answer. */
  readonly timeoutMilliseconds?: number;
}

export interface HttpCall extends Pick<HttpAsk, 'method' | 'headers' | 'body'> {
  readonly url: URL;
  /** Whose turn it takes. */
  readonly org: string;
}

const bytesMax = 256 * 1024;
const headerCharactersMax = 4096;
const answerHeaders = ['content-type', 'location', 'retry-after', 'etag'];

/**
 * Does one call. Each status is an answer; no redirect is followed.
 * @throws Problem `block_failed` where there is no answer, or the answer is too large; `rate_limited` where too many calls of
 * the org wait; `unavailable` where the platform is closing.
 */
export async function callHttp(deps: HttpCallDeps, { org, url, method, body, ...call }: HttpCall): Promise<HttpValue> {
  const { request, slots, closing, timeoutMilliseconds = 20_000 } = deps;
  const sent = textOf(body);
  if (Buffer.byteLength(sent ?? '') > bytesMax) throw blockFailure(`a call sends at most ${bytesMax} bytes`);
  const headers = headersOf(call.headers, body, sent);
  const timeout = AbortSignal.timeout(timeoutMilliseconds);
  const signal = AbortSignal.any([timeout, closing]);
  const ask = { method, headers, signal, ...(sent === undefined ? {} : { body: sent }) };
  try {
    return await slots.run(org, async () => answerOf(await request(url.href, ask)), signal);
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (closing.aborted) throw new Problem('unavailable', 'the platform is closing', {}, error);
    throw blockFailure(timeout.aborted ? `no answer within ${timeoutMilliseconds / 1000} s` : unansweredReason(error));
  }
}

/** A text is sent as it is. */
function textOf(body: unknown): string | undefined {
  return body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
}

function headersOf(
  given: Readonly<Record<string, string>>,
  body: unknown,
  sent: string | undefined,
): Record<string, string | number> {
  for (const [name, value] of Object.entries(given))
    if (value.length > headerCharactersMax || !/^[\t\x20-\x7e]*$/.test(value))
      throw blockFailure(`the header \`${name}\` takes at most ${headerCharactersMax} printable ASCII characters`);
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  return {
    ...(sent === undefined ? {} : { 'content-type': type }),
    ...given,
    ...(sent === undefined ? {} : { 'content-length': Buffer.byteLength(sent) }),
    'accept-encoding': 'identity',
    'user-agent': 'freehold',
  };
}

async function answerOf(response: IncomingMessage): Promise<HttpValue> {
  const bytes = await bytesOf(response);
  const headers = answerHeaders.flatMap((name) => {
    const value = response.headers[name];
    return typeof value === 'string' ? [[name, value.toWellFormed()]] : [];
  });
  const isEncoded = !['identity', undefined].includes(response.headers['content-encoding']);
  const body = isEncoded ? null : bodyOf(bytes, response.headers['content-type'] ?? '');
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(headers), body };
}

async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let read = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    read += chunk.length;
    if (read > bytesMax) throw blockFailure(`an answer has at most ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** JSON where it says that it is, and could be stored; a text; null for what is neither. */
function bodyOf(bytes: Buffer, type: string): unknown {
  const text = refused(() => decodeUtf8(bytes));
  if (text === undefined || text.includes('\0')) return null;
  if (!/^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) return text;
  const json = refused(() => ({ value: parseStrictJson(text) }));
  return json === undefined ? text : json.value;
}

function refused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
