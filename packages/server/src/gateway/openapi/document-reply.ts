import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { JsonSchema } from '../../lib/json-schema.ts';
import { isNoneMatch } from '../pipeline/preconditions.ts';
import type { Reply } from '../reply.ts';

/** A document as it is sent. Its tag is of its text, so that it changes also where only the platform has changed. */
export interface DocumentText {
  readonly body: string;
  readonly etag: string;
}

export function documentText(document: JsonSchema): DocumentText {
  const body = JSON.stringify(document);
  return { body, etag: `"${hash('sha256', body, 'base64url')}"` };
}

/** The document, or 304 where the caller has it. */
export function documentReply(incoming: IncomingMessage, { body, etag }: DocumentText): Reply {
  const headers = { ETag: etag };
  return isNoneMatch(incoming, etag) ? { status: 304, headers } : { status: 200, body, headers };
}
