import type { IncomingMessage } from 'node:http';

/**
 * The type of a body in lower case; undefined where it is missing, said twice, or not plain UTF-8. The whole value is
 * matched, never its beginning (RFC 9110, 8.3.1), with the one parameter that a text in UTF-8 may come with.
 */
export function readMediaType(request: IncomingMessage): string | undefined {
  const { headers } = request;
  if (headers['content-encoding'] !== undefined || !isAlone(request)) return undefined;
  return form.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase();
}

const form = /^([\w.+-]+\/[\w.+-]+)(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?$/i;

/** Node keeps the first of several Content-Type headers; a request with two means two things. */
function isAlone(request: IncomingMessage): boolean {
  let count = 0;
  for (let index = 0; index < request.rawHeaders.length; index += 2)
    if (request.rawHeaders[index]?.toLowerCase() === 'content-type') count += 1;
  return count === 1;
}
