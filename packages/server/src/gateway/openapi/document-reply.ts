import { createHash } from 'node:crypto';
import { isNoneMatch } from '../../api/headers/preconditions.ts';
import type { Reply } from '../../api/reply.ts';
import type { RequestHead } from '../../api/request.ts';

/** A document as it is sent. Its tag is of its text, so that it changes also where only the platform has changed. */
export interface DocumentText {
  readonly pieces: readonly string[];
  readonly characters: number;
  readonly etag: string;
}

export async function documentText(pieces: Iterable<string> | AsyncIterable<string>): Promise<DocumentText> {
  const kept: string[] = [];
  const digest = createHash('sha256');
  let characters = 0;
  for await (const piece of pieces) {
    kept.push(piece);
    digest.update(piece);
    characters += piece.length;
  }
  return { pieces: kept, characters, etag: `"${digest.digest('base64url')}"` };
}

/** The document, or 304 where the caller has it. */
export function documentReply(incoming: RequestHead, { pieces, etag }: DocumentText): Reply {
  const headers = { ETag: etag };
  return isNoneMatch(incoming, etag) ? { status: 304, headers } : { status: 200, stream: inPieces(pieces), headers };
}

async function* inPieces(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}
