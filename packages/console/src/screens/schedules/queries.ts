import type { schedulesApi } from '@freehold/contract/management/automation/schedules';
import type { ReplyOf } from '@freehold/contract/route';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Environment } from '../../api/session.ts';
import { untilNext } from './until-next.ts';

export type Schedule = ReplyOf<typeof schedulesApi.listSchedules>['items'][number];

/** The key of the queries of schedules. */
export const schedulesKey = 'schedules';

export const schedulesQuery = (env: Environment) =>
  queryOptions({
    queryKey: [schedulesKey, env],
    queryFn: async ({ signal }) => (await call('listSchedules', { query: { env }, signal })).items,
    // What was next is past then, and its run has begun.
    refetchInterval: ({ state: { data } }) => untilNext(data ?? [], Date.now()),
  });
