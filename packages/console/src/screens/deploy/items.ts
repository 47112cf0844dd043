import type { Difference } from './queries.ts';

export interface Item {
  readonly kind: Difference['kind'];
  readonly name: string;
}

export function keyOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind} ${name}`;
}

export const kindNames: Readonly<Record<Item['kind'], string>> = {
  entity: 'Entity',
  logicblock: 'Logic block',
  event: 'Event',
  settings: 'Setting',
  crew: 'Crew',
};

/** A content that is staged as it is now in test has nothing left to publish. */
export function mayBePublished({ staged, edited_since_staged }: Difference): boolean {
  return !staged || edited_since_staged === true;
}

/** The items that production lacks and without which an item cannot be there. */
export function missingFor(
  { depends_on }: Difference,
  differences: ReadonlyMap<string, Difference>,
): Difference['depends_on'] {
  return depends_on.filter((needed) => {
    const difference = differences.get(keyOf(needed));
    return !needed.in_production && difference !== undefined && !difference.staged;
  });
}

/** What a publication of the chosen items takes along, by key, each with the reason. */
export function comesAlong(
  differences: ReadonlyMap<string, Difference>,
  chosen: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  const open = [...chosen];
  for (const key of open) {
    const difference = differences.get(key);
    if (difference === undefined) continue;
    for (const needed of missingFor(difference, differences)) {
      const neededKey = keyOf(needed);
      if (chosen.has(neededKey) || reasons.has(neededKey)) continue;
      reasons.set(neededKey, `${difference.kind} \`${difference.name}\` ${needed.reason}`);
      open.push(neededKey);
    }
  }
  return reasons;
}
