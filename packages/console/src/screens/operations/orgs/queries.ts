import type { platformOrgsApi } from '@freehold/contract/management/operator/orgs';
import type { ReplyOf } from '@freehold/contract/route';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { operate } from '../operate.ts';

export type ListedOrg = ReplyOf<typeof platformOrgsApi.listPlatformOrgs>['items'][number];
export type OrgDetails = ReplyOf<typeof platformOrgsApi.readPlatformOrg>;

/** What was read of orgs, which a change of one makes old. */
export const orgKey = 'operated orgs';

/** What the code of an org may begin with. */
const beginning = /^[a-z0-9]{1,32}$/;

export const orgsQuery = (search: string) => {
  const q = search.toLowerCase();
  return infiniteQueryOptions({
    queryKey: [orgKey, 'list', q],
    queryFn: async ({ pageParam, signal }) => {
      if (q !== '' && !beginning.test(q)) return { items: [], nexttoken: null };
      return await operate('listPlatformOrgs', { query: { q, nexttoken: pageParam }, signal });
    },
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
