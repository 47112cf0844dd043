/** A text that stands for itself, or a wildcard. */
export type GlobPart = string | typeof anyRun | typeof anyOne;
export const anyRun = -1;
export const anyOne = -2;

/** The texts and wildcards of a pattern; several `*` in a row say no more than one. */
export function partsOf(pattern: string): readonly GlobPart[] {
  const parts = pattern.match(/\*+|\?|[^*?]+/g) ?? [];
  return parts.map((part) => (part.startsWith('*') ? anyRun : part === '?' ? anyOne : part));
}

/** Each wildcard, and each UTF-16 unit of the texts. */
export function symbolsOf(parts: readonly GlobPart[]): readonly number[] {
  const symbols: number[] = [];
  for (const part of parts) {
    if (typeof part === 'number') symbols.push(part);
    else for (let index = 0; index < part.length; index++) symbols.push(part.charCodeAt(index));
  }
  return symbols;
}
