import type {
  ConfigDifference,
  ConfigImport,
  DeployCheck,
  Release as ReleaseSchema,
  StagedItem as StagedItemSchema,
} from '@freehold/contract/management/deploy-schemas';
import type { Overview } from '@freehold/contract/management/overview';
import type { Read } from '@freehold/contract/schema';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';

export type Difference = Read<typeof ConfigDifference>;
export type StagedItem = Read<typeof StagedItemSchema>;
export type Check = Read<typeof DeployCheck>;
export type Release = Read<typeof ReleaseSchema>;
export type Import = Read<typeof ConfigImport>;
export type Build = Read<typeof Overview>['builds']['items'][number];

export interface AllStaged {
  readonly base: string;
  readonly items: readonly StagedItem[];
  readonly checks: readonly Check[];
}

const progressMilliseconds = 1_500;

export const diffQuery = queryOptions({
  queryKey: ['deploy', 'diff'],
  queryFn: ({ signal }) => call('readDiff', { signal }),
});

export const stagedQuery = queryOptions({
  queryKey: ['deploy', 'staged'],
  queryFn: ({ signal }) => call('readStaged', { signal }),
});

/** The latest first. */
export const releasesQuery = infiniteQueryOptions({
  queryKey: ['deploy', 'releases'],
  queryFn: ({ pageParam, signal }) => call('listReleases', { query: { pagesize: 10, nexttoken: pageParam }, signal }),
  initialPageParam: '',
  getNextPageParam: ({ nexttoken }) => nexttoken ?? undefined,
});

/** A release, and what a rollback to it would change; `live` is the release that this was asked for. */
export const comparedQuery = (version: number, live: number) =>
  queryOptions({
    queryKey: ['deploy', 'compared', version, live],
    queryFn: ({ signal }) =>
      call('readRelease', { params: { version: String(version) }, query: { compare: 'live' }, signal }),
  });

export const retiredQuery = queryOptions({
  queryKey: ['deploy', 'retired'],
  queryFn: ({ signal }) => call('listRetired', { signal }),
});

/** What goes on in production, read again and again while an index is built or a field filled. */
export const productionWorkQuery = queryOptions({
  queryKey: ['overview', 'prod'],
  queryFn: ({ signal }) => call('showOverview', { query: { env: 'prod' }, signal }),
  refetchInterval: ({ state }) => (state.data?.builds.items.some(isAtWork) === true ? progressMilliseconds : false),
});

export function isAtWork({ indexes, fills }: Build): boolean {
  return indexes.building + fills.filling > 0;
}

/** After another release is live: entities, records and this screen are read again. */
export async function readAgain(): Promise<void> {
  await queryClient.invalidateQueries();
}
