/** A value where a text is asked for: scalars as JSON has them, and nothing of others, which name no record. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
