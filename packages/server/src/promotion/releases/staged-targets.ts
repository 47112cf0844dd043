import { itemKey } from '../../config/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import { type Bodies, itemOf, readAll } from '../differences/compare.ts';
import { MissingBody } from '../items/item-bodies.ts';
import { type BodyPlace, readBodies } from '../items/read-items.ts';
import type { ItemTarget } from '../kind-records.ts';
import type { PromotionContext } from '../promotion-deps.ts';
import { readStaged, type StagedRow } from './staging.ts';

/** What is live in production and what would be, were all that is staged activated. */
export interface StagedTargets {
  readonly rows: readonly StagedRow[];
  readonly before: Bodies;
  readonly targets: readonly ItemTarget[];
}

export async function stagedTargets(place: PromotionContext): Promise<StagedTargets> {
  const staged = await readStagedTargets(place);
  return { ...staged, before: await readAll(place) };
}

/** All that is staged, with the bodies that it was frozen as. */
export async function readStagedTargets(place: BodyPlace): Promise<Pick<StagedTargets, 'rows' | 'targets'>> {
  const scope = place.store.scope(orgScopeName(place.orgCode));
  for (let rows = await readStaged(scope); ; ) {
    try {
      return { rows, targets: await targetsOf(place, rows) };
    } catch (error) {
      const now = await readStaged(scope);
      // Others withdrew or staged again in between, and the bodies went with that.
      if (!(error instanceof MissingBody) || versionsOf(now) === versionsOf(rows)) throw error;
      rows = now;
    }
  }
}

async function targetsOf(place: BodyPlace, rows: readonly StagedRow[]): Promise<readonly ItemTarget[]> {
  const puts = rows.flatMap(({ staged }) =>
    staged.change === 'put' ? [{ ...itemOf(staged), versions: staged.body }] : [],
  );
  const bodies = await readBodies(place, puts);
  const contents = new Map(bodies.map((body) => [itemKey(body), body.content]));
  return rows.map(({ staged }): ItemTarget => {
    if (staged.change === 'remove') return { ...itemOf(staged), wanted: undefined };
    return { ...itemOf(staged), wanted: { content: contents.get(itemKey(staged)), versions: staged.body } };
  });
}

function versionsOf(rows: readonly StagedRow[]): string {
  return rows.map(({ rowVersion }) => rowVersion).join();
}
