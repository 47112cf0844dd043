import type { IncomingMessage } from 'node:http';
import type { IfMatch } from '../../entities/update-record.ts';
import { Problem } from '../../lib/problem.ts';

/** `If-Match` (RFC 9110, 13.1.1). A weak tag never matches. @throws Problem `invalid_request`. */
export function readIfMatch(request: IncomingMessage): IfMatch | undefined {
  const header = request.headers['if-match'];
  if (header === undefined) return undefined;
  const read = parseIfMatch(header);
  if (read === undefined) throw new Problem('invalid_request', '`If-Match` must be `*` or a list of entity tags');
  return read;
}

/** What such a header says; undefined where it is none. */
export function parseIfMatch(header: string): IfMatch | undefined {
  if (header.trim() === '*') return '*';
  const tags = readTags(header);
  return tags === undefined || tags.length === 0 ? undefined : tags;
}

/** The tags of a list (RFC 9110, 8.8.3 and 5.6.1), in which a tag may hold a comma and an element may be empty. */
function readTags(header: string): readonly string[] | undefined {
  const tags: string[] = [];
  const element = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y;
  while (element.lastIndex < header.length) {
    const found = element.exec(header);
    if (found === null) return undefined;
    if (found[1] !== undefined) tags.push(found[1]);
  }
  return tags;
}

/** `If-None-Match` (RFC 9110, 13.1.2): true where the caller's copy is the current one. */
export function isNoneMatch(request: IncomingMessage, tag: string): boolean {
  const header = request.headers['if-none-match'];
  if (header === undefined) return false;
  return header.split(',').some((candidate) => {
    const given = candidate.trim();
    return given === '*' || given === tag || given === `W/${tag}`;
  });
}
