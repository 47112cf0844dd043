/** Sends requests as they stand, and does as little as can be with the answers. */
import { randomBytes } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import type { Store } from '../../store/port.ts';

export interface Gateways {
  readonly app: string;
  readonly management: string;
  /** The address for metrics alone. */
  readonly metrics: string;
  /** The data of the test environment, where the platform is in this process. */
  readonly testStore?: Store;
}

export type GatewayName = 'app' | 'management' | 'metrics';

/** The caller. */
export type Caller = 'anyone' | 'member' | 'restricted' | 'builder' | 'operator';

/** A request as it goes over the wire. */
export interface SentRequest {
  /** The one that the beginning of the target says, unless it is said. */
  readonly gateway?: GatewayName;
  readonly as: Caller;
  readonly method: string;
  /** With its query, from the root of the gateway. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface RawRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

export interface Answer {
  readonly status: number;
  readonly bytes: number;
  /** The first of it, enough to tell what went wrong. */
  readonly beginning: string;
}

const beginningBytes = 2000;

/** Takes the answer as it comes and lets it go. Where the connection ends before there is one, the status is 0. */
export async function send(raw: RawRequest): Promise<Answer> {
  const answer = await open(raw).catch(isEnded);
  if (answer === undefined) return { status: 0, bytes: 0, beginning: '' };
  let bytes = 0;
  let beginning = '';
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    if (bytes < beginningBytes) beginning += chunk.subarray(0, beginningBytes).toString('latin1');
    bytes += chunk.length;
  }
  return { status: answer.statusCode ?? 0, bytes, beginning };
}

/** Who refuses a long body does not read all of it, and its end may overtake the answer. */
function isEnded(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') throw error;
}

/** Takes all of the answer. */
export async function ask(raw: RawRequest): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await open(raw);
  let text = '';
  answer.setEncoding('utf8');
  for await (const chunk of answer) text += chunk;
  return { status: answer.statusCode ?? 0, text };
}

function open({ method, url, headers = {}, body }: RawRequest): Promise<IncomingMessage> {
  // A network of its own: what is held against networks is no part of this.
  const from = `2001:${[1, 2, 3].map(() => randomBytes(2).toString('hex')).join(':')}::1`;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // Node says neither the length nor the end of the body of a DELETE.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const typed = body === undefined ? {} : { 'content-type': 'application/json', ...length };
  const outgoing = request(url, { method, headers: { 'x-forwarded-for': from, ...typed, ...headers } }, resolve);
  // An answer may come, and end the connection, before all was sent.
  outgoing.once('error', reject);
  outgoing.end(body);
  return promise;
}
