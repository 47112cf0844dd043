import { counted } from '../words/counted.ts';

/** The number of a list a search leaves, such as `1 entity` or `2 of 7 entities`. */
export function foundText(found: number, all: number, [one, many]: readonly [string, string]): string {
  const text = counted(all, one, many);
  return found === all ? text : `${found.toLocaleString('en')} of ${text}`;
}

export const entityWords = ['entity', 'entities'] as const;
