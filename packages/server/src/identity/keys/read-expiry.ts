import { readInstant } from '@freehold/contract/value-texts';
import { invalidBody } from '../../lib/problem.ts';

/**
 * When a key ends, or null for never.
 * @throws Problem `validation_failed` for what is no time in the form of RFC 3339, or none to come.
 */
export function readExpiry(text: string | undefined, now: number): string | null {
  if (text === undefined) return null;
  const at = readInstant(text);
  if (at !== undefined && Date.parse(at) > now) return at;
  const message = '`expires_at` must be a time to come, such as `2030-01-31T12:00:00Z`';
  throw invalidBody([{ pointer: '/expires_at', code: 'invalid_value', message }]);
}
