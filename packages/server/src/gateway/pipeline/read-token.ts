import type { IncomingMessage } from 'node:http';
import { Problem } from '../../lib/problem.ts';

/** `Authorization: Bearer <token>`. @throws Problem `token_missing`, `token_invalid`. */
export function readBearerToken(request: IncomingMessage): string {
  const header = request.headers.authorization;
  if (header === undefined) throw missing();
  return bearer(header);
}

/** An app JWT: as a bearer token, bare in `Authorization`, or in `x-service-token`. */
export function readAppToken(request: IncomingMessage): string {
  const header = request.headers.authorization;
  if (header !== undefined) return header.includes(' ') ? bearer(header) : header;
  const own = request.headers['x-service-token'];
  if (own === undefined) throw missing();
  if (typeof own !== 'string' || own === '') throw invalid();
  return own;
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
