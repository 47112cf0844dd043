import type { overviewApi } from '@freehold/contract/management/overview';
import type { ReplyOf } from '@freehold/contract/route';
import { countStoredRecords, indexProgress } from '../../records/port.ts';
import {
  type EntityDefinition,
  type EntityState,
  type FillState,
  type IndexState,
  StoredNames,
} from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import type { EntityAdminDeps } from '../plan-migration.ts';

/** An index that the definition asks for, or that each entity has. */
interface ShownIndex {
  readonly name: string;
  readonly kind: IndexState['kind'];
  readonly state: 'building' | 'ready' | 'failed';
  /** Number of records that it holds, while it is being built. */
  readonly done?: number;
  readonly total?: number;
  /** Of a failed unique index some records that have the same values. */
  readonly duplicates?: NonNullable<IndexState['duplicates']>;
  /** Of a failed aggregate the code of a workspace in which it has too many groups. */
  readonly crowded_in?: string;
}

/** A field that records without a value are being given one of, or that some could not be given one of. */
interface ShownFill {
  readonly field: string;
  readonly state: FillState['state'];
  /** Number of records that have been gone through, while it is being filled. */
  readonly done?: number;
  readonly total?: number;
  readonly failed?: NonNullable<FillState['failed']>;
}

/** The work on existing records: fields are filled first, indexes built then. */
export interface ShownBuilds {
  readonly indexes: readonly ShownIndex[];
  readonly fills?: readonly ShownFill[];
}

interface EntityWithBuilds {
  readonly definition: EntityDefinition;
  readonly state: Pick<EntityState, 'indexes' | 'fills'>;
}

export async function showBuilds(
  store: Store,
  orgCode: string,
  { definition, state }: EntityWithBuilds,
): Promise<ShownBuilds> {
  const { indexes, fills = [] } = state;
  const names = new StoredNames(definition.UpdateParams);
  const isFilling = fills.some((fill) => fill.state === 'filling');
  const isBuilding = indexes.some((index) => index.state === 'building');
  const progress = isFilling || isBuilding ? await readProgress(store, orgCode, definition.entityName) : undefined;
  const waiting = progress === undefined ? undefined : { done: 0, total: progress.total };
  const shown = indexes.flatMap((index) =>
    showIndex({ ...index, name: names.indexName(index) }, isFilling ? waiting : progress),
  );
  if (fills.length === 0) return { indexes: shown };
  const named = fills.map((fill) => ({ ...fill, field: names.inMemory(fill.field) }));
  return { indexes: shown, fills: named.map((fill) => showFill(fill, progress)) };
}

function showFill({ field, state, failed }: FillState, progress: Progress | undefined): ShownFill {
  if (state === 'filling') return { field, state, ...progress };
  return { field, state, ...(failed === undefined ? {} : { failed }) };
}

function showIndex(
  { name, kind, state, duplicates, crowdedIn }: IndexState,
  progress: Progress | undefined,
): readonly ShownIndex[] {
  // Until no list reads it any more, its rows stay.
  if (crowdedIn !== undefined) return [{ name, kind, state: 'failed', crowded_in: crowdedIn }];
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

export interface Progress {
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
