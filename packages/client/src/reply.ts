/** Reading replies. A captive portal or a proxy answers 200 with a page of its own, which is no answer of the platform. */
import { FreeholdError, mediaTypeOf } from './errors.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Of JSON the value, of everything else the text; undefined where there is none. */
  readonly body: unknown;
}

interface Call {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * @param uncertain whether an error says that a change may have been made
 * @throws FreeholdError `unexpected_reply` for a body that is neither JSON nor of a type that the call accepts
 */
export async function answerOf(
  response: Response,
  { method, headers: sent }: Call,
  uncertain: boolean,
): Promise<Answer> {
  const { status, headers } = response;
  if (status === 304 || method === 'HEAD' || (status === 204 && method !== 'GET'))
    return { status, headers, body: undefined };
  const type = mediaTypeOf(headers);
  const isJson = type === 'application/json';
  if (!isJson && !isAccepted(type, sent.accept ?? '')) {
    await response.body?.cancel();
    const found = type === '' ? 'no content type' : `the content type \`${type}\``;
    throw unexpected(status, `the reply has ${found}, so it is not from the platform`, { uncertain });
  }
  const text = await response.text();
  return { status, headers, body: isJson ? parsed(text, status, uncertain) : text };
}

function isAccepted(type: string, accept: string): boolean {
  const ranges = accept.split(',').map((range) => range.replace(/;.*/, '').trim().toLowerCase());
  return ranges.some((range) => range === '*/*' || (range === type && type !== ''));
}

function parsed(text: string, status: number, uncertain: boolean): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unexpected(status, 'the reply is no JSON, though it says so', { cause, uncertain });
  }
}

interface Expected {
  /** Whether the members are those that the caller reads. */
  readonly has?: (body: Readonly<Record<string, unknown>>) => boolean;
  readonly isChange?: boolean;
}

/** The JSON object of a reply. @throws FreeholdError `unexpected_reply` for any other. */
export function objectOf<Body>({ status, body }: Answer, { has = () => true, isChange = false }: Expected = {}): Body {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  if (isObject && has(body as Readonly<Record<string, unknown>>)) return body as Body;
  throw unexpected(status, 'the reply is JSON, but not as the platform answers', { uncertain: isChange });
}

function unexpected(
  status: number,
  detail: string,
  rest: { readonly cause?: unknown; readonly uncertain?: boolean } = {},
): FreeholdError {
  return new FreeholdError({ status, code: 'unexpected_reply', detail, ...rest });
}
