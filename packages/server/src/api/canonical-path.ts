import { Problem } from '../lib/problem.ts';

/** A request target, taken apart. The path is what the router, the policies and the log all see. */
export interface RequestTarget {
  readonly path: string;
  readonly query: string;
}

/**
 * Takes only paths that have one spelling: segments of `A-Z a-z 0-9 - . _ ~` with single slashes between them. What
 * else could mean a path (escapes, empty or dot segments, `;`, `\`, a slash at the end) is refused, never rewritten,
 * so no two readers can see two paths in one request.
 * @throws Problem `invalid_request`.
 */
export function readTarget(url: string): RequestTarget {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  if (path.length > pathCharactersMax || !isCanonical(path))
    throw new Problem('invalid_request', 'the path is not in its canonical form');
  return { path, query: mark === -1 ? '' : url.slice(mark + 1) };
}

/** Longer than any route with the longest names; a policy is matched against the whole of it. */
const pathCharactersMax = 512;

const slash = 0x2f;
const dot = 0x2e;

function isCanonical(path: string): boolean {
  if (path === '/') return true;
  if (path.charCodeAt(0) !== slash) return false;
  let segmentStart = 1;
  for (let index = 1; index <= path.length; index++) {
    const unit = index === path.length ? slash : path.charCodeAt(index);
    if (unit === slash) {
      if (!isSegment(path, segmentStart, index)) return false;
      segmentStart = index + 1;
    } else if (!isUnreserved(unit)) return false;
  }
  return true;
}

function isSegment(path: string, start: number, end: number): boolean {
  if (end === start) return false;
  if (path.charCodeAt(start) !== dot) return true;
  return end - start > 2 || (end - start === 2 && path.charCodeAt(start + 1) !== dot);
}

/** RFC 3986, 2.3. */
function isUnreserved(unit: number): boolean {
  if (unit >= 0x61 && unit <= 0x7a) return true;
  if (unit >= 0x30 && unit <= 0x39) return true;
  if (unit >= 0x41 && unit <= 0x5a) return true;
  return unit === 0x2d || unit === dot || unit === 0x5f || unit === 0x7e;
}
