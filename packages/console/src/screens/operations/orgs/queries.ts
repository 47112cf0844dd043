import type { platformOrgsApi } from '@freehold/contract/management/operator/orgs';
import type { ReplyOf } from '@freehold/contract/route';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { operate } from '../operate.ts';

export type ListedOrg = ReplyOf<typeof platformOrgsApi.listPlatformOrgs>['items'][number];
export type OrgDetails = ReplyOf<typeof platformOrgsApi.readPlatformOrg>;

/** The data that were read of orgs, which a change of one makes old. */
export const orgKey = 'operated orgs';

/** What is searched for may be as long; the name of no org is much longer. */
const partMax = 64;

export const orgsQuery = (search: string) => {
  const part = search.slice(0, partMax);
  return infiniteQueryOptions({
    queryKey: [orgKey, 'list', part],
    queryFn: ({ pageParam, signal }) => operate('listPlatformOrgs', { query: { part, nexttoken: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nexttoken }) => nexttoken ?? undefined,
    placeholderData: keepPreviousData,
  });
};

export const orgQuery = (org: string) =>
  queryOptions({
    queryKey: [orgKey, 'one', org],
    queryFn: ({ signal }) => operate('readPlatformOrg', { params: { org }, signal }),
  });
