import type { RequestHead } from '../request.ts';

/**
 * The value of a header that must come exactly once, or undefined where it is missing, empty or doubled. Node joins
 * doubled headers with a comma, so the raw list is asked how many there were.
 */
export function singleHeader(request: RequestHead, name: string): string | undefined {
  let value: string | undefined;
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    if (request.rawHeaders[index]?.toLowerCase() !== name) continue;
    if (value !== undefined) return undefined;
    value = request.rawHeaders[index + 1];
  }
  const trimmed = value?.trim();
  return trimmed === '' ? undefined : trimmed;
}
