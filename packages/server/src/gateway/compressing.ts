import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { isCookieCall } from '../api/headers/console-cookie.ts';
import { gzipTag, isCopyCompressed } from '../api/headers/preconditions.ts';
import type { Reply } from '../api/reply.ts';
import type { RequestHead } from '../api/request.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import { singleFlight } from '../lib/scheduling/single-flight.ts';
import type { Gateway } from './app-gateway.ts';

/** Large replies are compressed for clients that take it, where the description of the route says so. */
export function compressing(gateway: Gateway): Gateway {
  return async (incoming, trace, errors) => {
    const reply = await gateway(incoming, trace, errors);
    if (trace.compressed === undefined || (reply.status !== 200 && reply.status !== 304)) return reply;
    const { Vary, ...headers } = reply.headers ?? {};
    const varied = Vary === undefined ? 'Accept-Encoding' : `${Vary}, Accept-Encoding`;
    return compressed(incoming, trace.compressed, { ...reply, headers: { ...headers, Vary: varied } });
  };
}

async function compressed(
  incoming: IncomingMessage,
  kind: 'reply' | 'document',
  plain: Reply & { readonly headers: Readonly<Record<string, string>> },
): Promise<Reply> {
  const { body, stream, ...reply } = plain;
  const { ETag, ...headers } = reply.headers;
  const tagged = ETag === undefined ? headers : { ...headers, ETag: gzipTag(ETag) };
  const takesGzip = codingFor(incoming, ['gzip']) !== undefined;
  if (reply.status === 304) return isCopyCompressed(incoming, ETag, takesGzip) ? { ...reply, headers: tagged } : reply;
  if (!takesGzip) return plain;
  const { bytes, isCompressed } = await (kind === 'document' ? ofDocument(ETag, stream) : ofBody(incoming, body));
  if (bytes === undefined) return plain;
  return { ...reply, bytes, ...(isCompressed ? { headers: { ...tagged, 'Content-Encoding': 'gzip' } } : {}) };
}

/** In place of what a reply has; left out where that is sent as it is. */
interface CompressedBody {
  readonly bytes?: Uint8Array | undefined;
  readonly isCompressed?: boolean;
}

/** A page of another site makes a browser send its cookie, and its length would tell of a text that the page can choose. */
async function ofBody(incoming: IncomingMessage, body: string | undefined): Promise<CompressedBody> {
  const isOfCookie = incoming.headers.cookie !== undefined && isCookieCall(incoming);
  if (body === undefined || isOfCookie) return {};
  return { bytes: await compressedText(body), isCompressed: true };
}

/** Its tag is the digest of its text, which is kept in pieces. A stream that was read can be sent as what was read alone. */
async function ofDocument(tag: string | undefined, stream: Reply['stream']): Promise<CompressedBody> {
  if (tag === undefined || stream === undefined) return {};
  let whole: Uint8Array | undefined;
  const made = await keptCompressed(tag, async () => {
    const pieces: Buffer[] = [];
    for await (const piece of stream) pieces.push(Buffer.from(piece));
    whole = Buffer.concat(pieces);
    return whole;
  });
  return made === undefined ? { bytes: whole } : { bytes: made, isCompressed: true };
}

const inThreadPool = promisify(gzip);

/** The thread pool has four threads for all that a process does: it hashes passwords and reads files too. */
const atOnceMax = 2;
let underWay = 0;

/** Below, it saves a packet or two. */
const bytesMin = 16 * 1024;

/** Undefined for a short text, and where as many as may be are being compressed: to wait would take longer than to send it. */
async function compressedText(text: string | Uint8Array): Promise<Uint8Array | undefined> {
  if (underWay >= atOnceMax || Buffer.byteLength(text) < bytesMin) return undefined;
  underWay++;
  try {
    return await inThreadPool(text);
  } finally {
    underWay--;
  }
}

const keptBytesMax = 16 * 1024 * 1024;
const kept = new BoundedMap<string, Uint8Array>(keptBytesMax, ({ byteLength }) => byteLength);
const flights = singleFlight<string, Uint8Array | undefined>();

/**
 * A text that many ask for, compressed once. Undefined where it is not compressed now.
 * @param digest of the text, by which it is kept.
 */
async function keptCompressed(digest: string, read: () => Promise<Uint8Array>): Promise<Uint8Array | undefined> {
  const known = kept.get(digest);
  if (known !== undefined) return known;
  return flights(digest, async () => {
    const made = await compressedText(await read());
    if (made !== undefined) kept.set(digest, made);
    return made;
  });
}

/** Content codings, the preferred one first. */
export const codings = ['br', 'gzip'] as const;
export type Coding = (typeof codings)[number];

/** The coding that the client wants most of these; undefined where it wants none, or would rather have none (RFC 9110, 12.5.3). */
export function codingFor({ headers }: RequestHead, available: readonly Coding[]): Coding | undefined {
  const weights = readWeights(headers['accept-encoding'] ?? '');
  const ofOthers = weights.get('*') ?? 0;
  let most = weights.get('identity') ?? ofOthers;
  let wanted: Coding | undefined;
  for (const coding of available) {
    const weight = weights.get(coding) ?? ofOthers;
    if (weight === 0 || weight < most || (weight === most && wanted !== undefined)) continue;
    most = weight;
    wanted = coding;
  }
  return wanted;
}

/** A weight that cannot be read is none. */
function readWeights(header: string | readonly string[]): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of String(header).toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(
      name,
      weight === undefined ? 1 : /^q=(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 0,
    );
  }
  return weights;
}
