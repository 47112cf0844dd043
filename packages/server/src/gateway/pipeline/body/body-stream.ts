import type { IncomingMessage } from 'node:http';
import type { BodyStream } from '../../../api/request.ts';
import { Problem } from '../../../lib/problem.ts';
import { bodyRequired, hasBody } from './has-body.ts';
import { readMediaType } from './media-type.ts';

/**
 * Takes a body of one of these types, of which nothing is read yet: whether an empty one is a file is for its reader to say.
 * @throws Problem `unsupported_media_type`, and `invalid_request` without a body.
 */
export function openBodyStream(request: IncomingMessage, mediaTypes: readonly string[]): BodyStream {
  const mediaType = readMediaType(request);
  if (mediaType === undefined || !mediaTypes.includes(mediaType)) {
    if (!hasBody(request)) throw bodyRequired();
    const types = mediaTypes.map((type) => `\`${type}\``).join(' or ');
    throw new Problem('unsupported_media_type', `the body must be ${types} in UTF-8, without a content coding`);
  }
  opened.add(request);
  return { mediaType, bytes: bytesOf(request) };
}

const opened = new WeakSet<IncomingMessage>();

/** Whether a request may take as long as bytes arrive. */
export function isStreamed(request: IncomingMessage): boolean {
  return opened.has(request);
}

async function* bytesOf(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  if (request.readableEnded) return;
  try {
    // The request outlives the reading, so that what is left of it can be read and dropped.
    yield* request.iterator({ destroyOnReturn: false });
  } catch (cause) {
    throw new Problem('invalid_request', 'the request ended before its body did', {}, cause);
  }
}
