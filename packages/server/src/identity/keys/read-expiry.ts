import { invalidBody } from '../../lib/problem.ts';

/**
 * When a key ends, or null for never.
 * @param at in UTC with milliseconds.
 * @throws Problem `validation_failed` for a time that has passed.
 */
export function readExpiry(at: string | undefined, now: number): string | null {
  if (at === undefined) return null;
  if (Date.parse(at) > now) return at;
  const message = '`expires_at` must be a time to come, such as `2030-01-31T12:00:00Z`';
  throw invalidBody([{ pointer: '/expires_at', code: 'invalid_value', message }]);
}
