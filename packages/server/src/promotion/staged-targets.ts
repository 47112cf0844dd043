import { itemKey } from '../entities/config-item.ts';
import { orgScopeName } from '../entities/workspace.ts';
import { type Bodies, itemOf, readAll } from './compare.ts';
import type { ItemTarget } from './plan-items.ts';
import type { Place } from './promotion-parts.ts';
import { readBodies } from './read-items.ts';
import { readStaged, type StagedRow } from './staging.ts';

/** What is live in production and what would be, were all that is staged activated. */
export interface StagedTargets {
  readonly rows: readonly StagedRow[];
  readonly before: Bodies;
  readonly targets: readonly ItemTarget[];
}

export async function stagedTargets(place: Place): Promise<StagedTargets> {
  const { store, orgCode } = place;
  const rows = await readStaged(store.scope(orgScopeName(orgCode)));
  const puts = rows.flatMap(({ staged }) =>
    staged.change === 'put' ? [{ ...itemOf(staged), versions: staged.body }] : [],
  );
  const bodies = await readBodies(store, orgCode, puts);
  const contents = new Map(bodies.map((body) => [itemKey(body), body.content]));
  const targets = rows.map(({ staged }): ItemTarget => {
    if (staged.change === 'remove') return { ...itemOf(staged), wanted: undefined };
    return { ...itemOf(staged), wanted: { content: contents.get(itemKey(staged)), versions: staged.body } };
  });
  return { rows, before: await readAll(place), targets };
}
