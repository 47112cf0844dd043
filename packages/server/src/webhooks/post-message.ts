import { type GuardedRequest, unansweredReason } from '../lib/network/guarded-request.ts';
import { type Message, signedHeaders } from '../lib/network/signature.ts';

/** What became of one attempt. Of the answer nothing is kept but its status. */
export interface Attempt {
  readonly isDelivered: boolean;
  /** Null where there was no answer. */
  readonly status: number | null;
  /** Why it counts as not delivered. */
  readonly failure: string | null;
  /** How long the receiver asks to be left alone. */
  readonly retryAfterSeconds: number;
}

export interface PostDeps {
  readonly request: GuardedRequest;
  readonly now: () => number;
  /** From the look-up of the name to the head of the answer. */
  readonly timeoutMilliseconds: number;
  /** Ends what is under way. */
  readonly closing: AbortSignal;
}

export interface Receiver {
  readonly url: string;
  readonly key: Buffer;
}

/** Only a 2xx says that the message has arrived; a redirect is followed nowhere. */
export async function postMessage(deps: PostDeps, { url, key }: Receiver, message: Message): Promise<Attempt> {
  const headers = {
    ...signedHeaders([key], message, deps.now()),
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(message.body),
    'user-agent': 'freehold',
  };
  const timeout = AbortSignal.timeout(deps.timeoutMilliseconds);
  const signal = AbortSignal.any([timeout, deps.closing]);
  try {
    const response = await deps.request(url, { method: 'POST', headers, body: message.body, signal });
    response.destroy();
    const status = response.statusCode ?? 0;
    const retryAfterSeconds = readSeconds(response.headers['retry-after']);
    if (status >= 200 && status < 300) return { isDelivered: true, status, failure: null, retryAfterSeconds: 0 };
    return { isDelivered: false, status, failure: `the answer has status ${status}`, retryAfterSeconds };
  } catch (error) {
    const failure = timeout.aborted ? `no answer within ${deps.timeoutMilliseconds / 1000} s` : unansweredReason(error);
    return { isDelivered: false, status: null, failure, retryAfterSeconds: 0 };
  }
}

function readSeconds(text: string | undefined): number {
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : 0;
}
