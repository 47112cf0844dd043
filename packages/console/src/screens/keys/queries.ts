import type { deployApi } from '@freehold/contract/management/deploy';
import type { serviceKeysApi } from '@freehold/contract/management/service-keys';
import type { ReplyOf } from '@freehold/contract/route';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Environment } from '../../api/session.ts';

export type ServiceKey = ReplyOf<typeof serviceKeysApi.listServiceKeys>['items'][number];
export type DeployKey = ReplyOf<typeof deployApi.listDeployKeys>['items'][number];

/** The oldest first. */
export const serviceKeysQuery = (env: Environment) =>
  infiniteQueryOptions({
    queryKey: ['service-keys', env],
    queryFn: ({ pageParam, signal }) => call('listServiceKeys', { query: { env, nexttoken: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nexttoken }) => nexttoken ?? undefined,
  });

export const deployKeysQuery = queryOptions({
  queryKey: ['deploy-keys'],
  queryFn: ({ signal }) => call('listDeployKeys', { signal }),
  staleTime: 30_000,
});

/** The end of a day in UTC, as a key takes it; undefined if no day is chosen. */
export function endOfDay(day: string): string | undefined {
  return day === '' ? undefined : `${day}T23:59:59Z`;
}
