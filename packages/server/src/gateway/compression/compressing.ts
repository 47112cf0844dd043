/** Large replies are compressed for clients that take it, where the description of the route says so. */
import type { IncomingMessage } from 'node:http';
import { isCookieCall } from '../../api/headers/console-cookie.ts';
import { gzipTag, isCopyCompressed } from '../../api/headers/preconditions.ts';
import type { Reply } from '../../api/reply.ts';
import type { Gateway } from '../app-gateway.ts';
import { codingFor } from '../pipeline/headers/accept-encoding.ts';
import { compressedText, keptCompressed } from './compressed-text.ts';

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
interface Made {
  readonly bytes?: Uint8Array | undefined;
  readonly isCompressed?: boolean;
}

/** A page of another site makes a browser send its cookie, and its length would tell of a text that the page can choose. */
async function ofBody(incoming: IncomingMessage, body: string | undefined): Promise<Made> {
  const isOfCookie = incoming.headers.cookie !== undefined && isCookieCall(incoming);
  if (body === undefined || isOfCookie) return {};
  return { bytes: await compressedText(body), isCompressed: true };
}

/** Its tag is the digest of its text, which is kept in pieces. A stream that was read can be sent as what was read alone. */
async function ofDocument(tag: string | undefined, stream: Reply['stream']): Promise<Made> {
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
