import type { overviewApi } from '@freehold/contract/management/overview';
import type { ReplyOf } from '@freehold/contract/route';
import { indexProgress } from '../../maintenance/port.ts';
import type { EntityState } from '../../schema/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import type { EntityAdminDeps } from '../admin-deps.ts';

/** The entities whose indexes or fields are not ready; of many the first of them by name. */
export type BuildsOfOrg = ReplyOf<typeof overviewApi.showOverview>['builds'];

const entitiesShown = 20;

export async function listBuilds({ store, configs }: EntityAdminDeps, orgCode: string): Promise<BuildsOfOrg> {
  const set = await configs.current(orgCode);
  const unready = set.entityNames.flatMap((entity) => {
    const work = workOf(set.active(entity)?.state);
    return work === undefined ? [] : [{ entity, ...work }];
  });
  const shown = unready.slice(0, entitiesShown);
  const notes = await indexProgress.readMany(
    store.scope(orgScopeName(orgCode)),
    shown.map(({ entity }) => entity),
  );
  const items = shown.map((build, index) => {
    const note = notes[index]?.value;
    return { ...build, progress: note === undefined ? null : { done: note.done, total: note.total } };
  });
  return { entities: unready.length, items };
}

function workOf(state: Pick<EntityState, 'indexes' | 'fills'> | undefined) {
  if (state === undefined) return undefined;
  const { indexes, fills = [] } = state;
  const work = {
    indexes: { building: countOf(indexes, 'building'), failed: countOf(indexes, 'failed') },
    fills: { filling: countOf(fills, 'filling'), failed: countOf(fills, 'failed') },
  };
  const counts = [work.indexes.building, work.indexes.failed, work.fills.filling, work.fills.failed];
  return counts.some((count) => count > 0) ? work : undefined;
}

function countOf<S extends string>(states: readonly { readonly state: S }[], state: NoInfer<S>): number {
  return states.filter((one) => one.state === state).length;
}
