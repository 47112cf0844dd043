import { indexProgress } from '../../maintenance/port.ts';
import { countStoredRecords } from '../../records/port.ts';
import type { Duplicate, EntityState, IndexKind, IndexState } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';

/** An index that the definition asks for, or that each entity has. */
export interface ShownIndex {
  readonly name: string;
  readonly kind: IndexKind;
  readonly state: 'building' | 'ready' | 'failed';
  /** How many of the records it holds, while it is being built. */
  readonly done?: number;
  readonly total?: number;
  /** Of a failed unique index some records that have the same values. */
  readonly duplicates?: readonly Duplicate[];
}

export async function showIndexes(
  store: Store,
  orgCode: string,
  { entityName, state }: { readonly entityName: string; readonly state: Pick<EntityState, 'indexes'> },
): Promise<readonly ShownIndex[]> {
  const isBuilding = state.indexes.some((index) => index.state === 'building');
  const progress = isBuilding ? await readProgress(store, orgCode, entityName) : undefined;
  return state.indexes.flatMap((index) => showIndex(index, progress));
}

function showIndex(
  { name, kind, state, duplicates }: IndexState,
  progress: Progress | undefined,
): readonly ShownIndex[] {
  switch (state) {
    case 'building':
      return [{ name, kind, state, ...progress }];
    case 'ready':
      return [{ name, kind, state }];
    case 'failed':
      return [{ name, kind, state, ...(duplicates === undefined ? {} : { duplicates }) }];
    case 'dropping':
    case 'erasing':
      return [];
  }
}

interface Progress {
  readonly done: number;
  readonly total: number;
}

/** As the job that builds says; before it has begun nothing is done. */
async function readProgress(store: Store, orgCode: string, entityName: string): Promise<Progress> {
  const noted = await indexProgress.read(store.scope(orgScopeName(orgCode)), entityName);
  if (noted !== undefined) return { done: noted.value.done, total: noted.value.total };
  const [total = 0] = await countStoredRecords(store, orgCode, [entityName]);
  return { done: 0, total };
}
