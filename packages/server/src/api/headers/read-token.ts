import { Problem } from '../../lib/problem.ts';
import type { RequestHead } from '../request.ts';

/** `Authorization: Bearer <token>`. @throws Problem `invalid_request`, `token_missing`, `token_invalid`. */
export function readBearerToken(request: RequestHead): string {
  const header = onlyValue(request, 'authorization');
  if (header === undefined) throw missing();
  return bearer(header);
}

/** An app JWT: as a bearer token, bare in `Authorization`, or in `x-service-token`. */
export function readAppToken(request: RequestHead): string {
  const header = onlyValue(request, 'authorization');
  const own = onlyValue(request, 'x-service-token');
  if (header !== undefined) {
    if (own !== undefined && own !== '' && own !== header.replace(/^bearer /i, '')) throw twoCredentials();
    return header.includes(' ') ? bearer(header) : header;
  }
  if (own === undefined) throw missing();
  if (own === '') throw invalid();
  return own;
}

/** A request is of one caller: no two readers of it may see two. */
export function twoCredentials(): Problem {
  return new Problem('invalid_request', 'the request carries two credentials that differ');
}

/** The value of a header, however often it is sent. @throws Problem `invalid_request` where it has two values. */
function onlyValue({ headers, rawHeaders }: RequestHead, name: string): string | undefined {
  if (headers[name] === undefined) return undefined;
  let value: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const other = rawHeaders[index];
    if (other?.length !== name.length || other.toLowerCase() !== name) continue;
    if (value !== undefined && value !== rawHeaders[index + 1]) throw twoCredentials();
    value = rawHeaders[index + 1];
  }
  return value;
}

function bearer(header: string): string {
  const token = header.slice(7);
  if (header.slice(0, 7).toLowerCase() !== 'bearer ' || token === '' || token.includes(' ')) throw invalid();
  return token;
}

function missing(): Problem {
  return new Problem('token_missing', 'the request needs a token');
}

function invalid(): Problem {
  return new Problem('token_invalid', 'the token is not valid');
}
