import type { IncomingMessage } from 'node:http';
import { Problem } from '../../../lib/problem.ts';

/** Whether the head says that a body may follow (RFC 9112, 6). One in chunks may still turn out to be empty. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

export function bodyRequired(): Problem {
  return new Problem('invalid_request', 'a body is required');
}
