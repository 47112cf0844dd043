/** How many of a list a search leaves, such as `1 entity` or `2 of 7 entities`. */
export function foundText(found: number, all: number, [one, many]: readonly [string, string]): string {
  const counted = `${all} ${all === 1 ? one : many}`;
  return found === all ? counted : `${found} of ${counted}`;
}

export const entityWords = ['entity', 'entities'] as const;
