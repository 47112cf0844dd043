import type { IncomingMessage } from 'node:http';
import type { IfMatch } from '../../entities/update-record.ts';
import { Problem } from '../../lib/problem.ts';

/** `If-Match` (RFC 9110, 13.1.1). A weak tag never matches. @throws Problem `invalid_request`. */
export function readIfMatch(request: IncomingMessage): IfMatch | undefined {
  const header = request.headers['if-match'];
  if (header === undefined) return undefined;
  const tags = header.split(',').map((tag) => tag.trim());
  if (tags.length === 1 && tags[0] === '*') return '*';
  if (tags.every((tag) => /^(W\/)?"[\x21\x23-\x7e]*"$/.test(tag))) return tags;
  throw new Problem('invalid_request', '`If-Match` must be `*` or a list of entity tags');
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
