import { Problem } from '../../lib/problem.ts';
import type { Reply } from '../reply.ts';
import type { RequestHead } from '../request.ts';

/** The versions that a caller holds to be current, or not to be, for a change to be made. */
export interface Preconditions {
  readonly ifMatch?: IfMatch | undefined;
  readonly ifNoneMatch?: IfMatch | undefined;
}

/** Entity tags; `*` is any. */
export type IfMatch = '*' | readonly string[];

/** `If-Match` and `If-None-Match` of a change (RFC 9110, 13.1). @throws Problem `invalid_request`. */
export function readPreconditions({ headers }: RequestHead): Preconditions {
  const ifMatch = headers['if-match'];
  const ifNoneMatch = headers['if-none-match'];
  return {
    ifMatch: ifMatch === undefined ? undefined : readMatch('If-Match', ifMatch),
    ifNoneMatch: ifNoneMatch === undefined ? undefined : readMatch('If-None-Match', ifNoneMatch),
  };
}

function readMatch(name: string, header: string): IfMatch {
  const read = parseIfMatch(header);
  if (read === undefined) throw new Problem('invalid_request', `\`${name}\` must be \`*\` or a list of entity tags`);
  return read;
}

/** Reads the tags of such a header; undefined where it is malformed. A weak tag never matches in `If-Match`. */
export function parseIfMatch(header: string): IfMatch | undefined {
  if (header.trim() === '*') return '*';
  const tags = readTags(header);
  return tags === undefined || tags.length === 0 ? undefined : tags;
}

const compressedEnd = /\.gz"$/;

/** The tag of a reply once it is compressed: of other bytes, but of the same version, which is what requests are read for. */
export function gzipTag(tag: string): string {
  return tag.replace(/"$/, '.gz"');
}

/** Whether a caller who has the version of this tag has it compressed; where it has both, what it takes now decides. */
export function isCopyCompressed({ headers }: RequestHead, tag = '', takesGzip: boolean): boolean {
  const named = headers['if-none-match'] ?? '';
  return tag !== '' && named.includes(gzipTag(tag)) && (takesGzip || !named.includes(tag));
}

/**
 * The tags of a list (RFC 9110, 8.8.3 and 5.6.1), in which a tag may hold a comma and an element may be empty. That of a
 * compressed reply means that of its version.
 */
function readTags(header: string): readonly string[] | undefined {
  const tags: string[] = [];
  const element = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y;
  while (element.lastIndex < header.length) {
    const found = element.exec(header);
    if (found === null) return undefined;
    if (found[1] !== undefined) tags.push(found[1].replace(compressedEnd, '"'));
  }
  return tags;
}

/**
 * A change of what has no entity tag: what is to match it cannot, so nothing is done (RFC 9110, 13.1.1).
 * @throws Problem `version_mismatch`, `invalid_request`.
 */
export function refuseTags(incoming: RequestHead): void {
  if (incoming.headers['if-match'] === undefined) return;
  const { ifMatch } = readPreconditions(incoming);
  if (ifMatch !== '*')
    throw new Problem('version_mismatch', '`If-Match` cannot be met: this resource has no entity tag');
}

/**
 * Whether the caller's copy of what it reads is the current one, so that nothing need be made. Where the caller asks for
 * more than that, what is made decides (`conditional`).
 */
export function isNoneMatch({ headers }: RequestHead, tag: string): boolean {
  const header = headers['if-none-match'];
  if (header === undefined || headers['if-match'] !== undefined) return false;
  return isNamed(header, tag);
}

/** Weak comparison (RFC 9110, 8.8.3.2); a header that is none names nothing. */
function isNamed(header: string, tag: string): boolean {
  const read = parseIfMatch(header);
  if (read === undefined) return false;
  return read === '*' || read.some((given) => given === tag || given === `W/${tag}`);
}

/**
 * A reply to a GET, as far as the caller wants it (RFC 9110, 13.2.2): 304 where it has it.
 * @throws Problem `version_mismatch` where `If-Match` names none of its tags, `invalid_request`.
 */
export function conditional(incoming: RequestHead, reply: Reply): Reply {
  const tag = reply.headers?.ETag;
  const { method, headers } = incoming;
  if (tag === undefined || reply.status !== 200 || (method !== 'GET' && method !== 'HEAD')) return reply;
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined) {
    const read = readMatch('If-Match', ifMatch);
    if (read !== '*' && !read.includes(tag))
      throw new Problem('version_mismatch', '`If-Match` does not name the current version', { etag: tag });
  }
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch === undefined || !isNamed(ifNoneMatch, tag)) return reply;
  return { status: 304, ...(reply.headers === undefined ? {} : { headers: reply.headers }) };
}
