import type { InputError } from '@freehold/contract/problem';

/** When a key ends: null is never, undefined no time that can be understood. */
export function readExpiry(text: string | undefined): string | null | undefined {
  if (text === undefined) return null;
  // RFC 3339, without leap seconds.
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

export function expiryErrors(expiry: string | null | undefined, now: number): readonly InputError[] {
  if (expiry === null || (expiry !== undefined && Date.parse(expiry) > now)) return [];
  const message = '`expires_at` has to be a time to come, such as `2030-01-31T12:00:00Z`';
  return [{ pointer: '/expires_at', code: 'invalid_value', message }];
}
