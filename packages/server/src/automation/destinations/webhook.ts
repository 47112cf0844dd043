import type { IncomingMessage } from 'node:http';
import { timestamp } from '../../lib/clock.ts';
import {
  type CallRules,
  type GuardedRequest,
  unansweredReason,
  whyNeverCalled,
} from '../../lib/network/guarded-request.ts';
import { type SignedHeaders, signedHeaders } from '../../lib/network/signature.ts';
import { type ChainHeader, chainHeaderName } from '../chain-header.ts';
import type { Delivery, Destination, Outcome } from './destination.ts';

export interface WebhookDeps {
  readonly request: GuardedRequest;
  /** Those of the request. */
  readonly rules: CallRules;
  readonly now: () => number;
  readonly chain: Pick<ChainHeader, 'write'>;
  /** Ends what is under way. */
  readonly closing: AbortSignal;
}

/** From the look-up of the name to the end of what is kept of the answer. */
const timeoutMilliseconds = 15_000;
const answerBytesMax = 1024;
/** A longer answer is not read to its end, and its connection not used again. */
const readBytesMax = 16 * 1024;
const statusGone = 410;

/** Posts the write as JSON, signed as Standard Webhooks 1.0.0 has it. Only a 2xx says that it has arrived. */
export function webhookDestination(deps: WebhookDeps): Destination<'webhook'> {
  return {
    deliver: async (delivery, keys) => {
      const { url, headers: configured = {} } = delivery.content.destination_config;
      const never = whyNeverCalled(url, deps.rules);
      // It would be so at each further attempt.
      if (never !== undefined) return { state: 'refused', status: null, ms: 0, answer: never };
      const body = bodyOf(delivery);
      const startedAt = deps.now();
      const signed = signedHeaders(await keys(), { id: delivery.item.id, body }, startedAt);
      const headers = {
        ...configured,
        ...signed,
        [chainHeaderName]: deps.chain.write(delivery.item.depth, startedAt),
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'freehold',
      };
      const timeout = AbortSignal.timeout(timeoutMilliseconds);
      const signal = AbortSignal.any([timeout, deps.closing]);
      const took = (): number => Math.max(deps.now() - startedAt, 0);
      try {
        const response = await deps.request(url, { method: 'POST', headers, body, signal, keepAlive: true });
        const answer = redacted(await beginningOf(response), signed);
        return { ...outcomeOf(response), ms: took(), answer };
      } catch (error) {
        const answer = timeout.aborted ? `no answer within ${timeoutMilliseconds / 1000} s` : unansweredReason(error);
        return { state: 'failed', status: null, ms: took(), answer };
      }
    },
  };
}

function bodyOf({ item: { entity, op, at, isTest }, record, before }: Delivery): string {
  const data = before === undefined ? { record } : { record, before };
  return JSON.stringify({ type: `${entity}.${op}`, timestamp: timestamp(at), data, ...(isTest && { test: true }) });
}

function outcomeOf({
  statusCode = 0,
  headers,
}: IncomingMessage): Pick<Outcome, 'state' | 'status' | 'retryAfterSeconds'> {
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

/** A receiver may send back the request, whose signature others must not use. */
function redacted(answer: string, { 'webhook-signature': signatures }: SignedHeaders): string {
  return signatures
    .split(' ')
    .reduce((text, signature) => text.replaceAll(signature.slice('v1,'.length), '***'), answer);
}
