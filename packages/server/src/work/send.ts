/** Messages to receivers that outside parties have chosen: signed, and of their answers a bounded part is read. */
import type { IncomingMessage } from 'node:http';
import { type GuardedRequest, unansweredReason } from '../lib/network/guarded-request.ts';
import { type Message, signedHeaders } from '../lib/network/signature.ts';

export interface SendDeps {
  readonly request: GuardedRequest;
  readonly now: () => number;
  /** Ends what is under way. */
  readonly closing: AbortSignal;
}

export interface MessageToSend extends Message {
  readonly url: string;
  /** The keys that sign, the present one first. */
  readonly keys: readonly Buffer[];
  readonly headers?: Readonly<Record<string, string>>;
  /** From the look-up of the name to the end of what is read. */
  readonly timeoutMilliseconds: number;
  /** Reads the beginning of the answer, and leaves the connection open; left out, the head alone is read. */
  readonly isAnswerRead?: true;
}

/** The outcome of one attempt. */
export interface SendOutcome {
  /** `refused` is final: it is not sent again. */
  readonly state: 'delivered' | 'failed' | 'refused';
  /** That of the answer; null where there was none. */
  readonly status: number | null;
  /** The duration in milliseconds. */
  readonly ms: number;
  /** The beginning of the answer, without secrets, or why there is none. */
  readonly answer: string;
  readonly retryAfterSeconds?: number;
}

const answerBytesMax = 1024;
/** A longer answer is not read to its end, and its connection not used again. */
const readBytesMax = 16 * 1024;
const statusGone = 410;

/** Posts JSON, signed as Standard Webhooks 1.0.0 has it. Only a 2xx says that it has arrived; a redirect is followed nowhere. */
export async function send({ request, now, closing }: SendDeps, message: MessageToSend): Promise<SendOutcome> {
  const { url, keys, body, timeoutMilliseconds, isAnswerRead } = message;
  const startedAt = now();
  const signed = signedHeaders(keys, message, startedAt);
  const headers = {
    ...message.headers,
    ...signed,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'freehold',
  };
  const timeout = AbortSignal.timeout(timeoutMilliseconds);
  const signal = AbortSignal.any([timeout, closing]);
  const took = (): number => Math.max(now() - startedAt, 0);
  try {
    const response = await request(url, {
      ...{ method: 'POST', headers, body, signal },
      ...(isAnswerRead && { keepAlive: true }),
    });
    if (isAnswerRead === undefined) response.destroy();
    const answer = isAnswerRead === undefined ? '' : await beginningOf(response);
    // A receiver may send back the request, whose signature others must not use.
    const redacted = signed['webhook-signature']
      .split(' ')
      .reduce((text, signature) => text.replaceAll(signature.slice('v1,'.length), '***'), answer);
    return { ...outcomeOf(response), ms: took(), answer: redacted };
  } catch (error) {
    const answer = timeout.aborted ? `no answer within ${timeoutMilliseconds / 1000} s` : unansweredReason(error);
    return { state: 'failed', status: null, ms: took(), answer };
  }
}

function outcomeOf({
  statusCode = 0,
  headers,
}: IncomingMessage): Pick<SendOutcome, 'state' | 'status' | 'retryAfterSeconds'> {
  if (statusCode >= 200 && statusCode < 300) return { state: 'delivered', status: statusCode };
  if (statusCode === statusGone) return { state: 'refused', status: statusCode };
  const wait = headers['retry-after'];
  const retryAfterSeconds = wait !== undefined && /^\d{1,6}$/.test(wait) ? Number(wait) : 0;
  return { state: 'failed', status: statusCode, retryAfterSeconds };
}

async function beginningOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let kept = 0;
  let read = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (kept < answerBytesMax) chunks.push(chunk.subarray(0, answerBytesMax - kept));
    kept = Math.min(kept + chunk.length, answerBytesMax);
    read += chunk.length;
    if (read > readBytesMax) break;
  }
  // The last character may have been cut in two.
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\uFFFD$/, '');
}

/** The pauses after failed attempts, in milliseconds. */
export interface RetryPauses {
  /** After so many attempts; undefined where there is no further one. */
  readonly after: (attempts: number) => number | undefined;
  /** The shortest and the longest of those among which one is drawn; left out, it is the same each time. */
  readonly between?: (pause: number) => readonly [number, number];
}

/** Grows by a factor from the first one on. */
export function growing(first: number, factor: number, most: number): RetryPauses['after'] {
  return (attempts) => Math.min(first * factor ** Math.max(attempts - 1, 0), most);
}

const requestedSecondsMax = 6 * 3600;

/**
 * The pause after so many attempts, and at least as long as the receiver asks.
 * @param random from 0 to 1. @param askedSeconds at most six hours of it count.
 */
export function pauseAfter(
  { after, between }: RetryPauses,
  attempts: number,
  random = 0,
  requestedSeconds = 0,
): number | undefined {
  const pause = after(attempts);
  if (pause === undefined) return undefined;
  const [least, most] = between?.(pause) ?? [pause, pause];
  return Math.round(Math.max(least + random * (most - least), Math.min(requestedSeconds, requestedSecondsMax) * 1000));
}
