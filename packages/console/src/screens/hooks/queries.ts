import type { hooksApi } from '@freehold/contract/features/hooks';
import type { runsApi } from '@freehold/contract/management/runs';
import type { ReplyOf } from '@freehold/contract/route';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Environment } from '../../api/session.ts';

export type ListedHook = ReplyOf<typeof hooksApi.listHooks>['items'][number];
export type HookDetails = ReplyOf<typeof hooksApi.readHook>;
export type ListedRun = ReplyOf<typeof runsApi.listRuns>['items'][number];

/** The common prefix of query keys about hooks. */
export const hooksKey = 'hooks';

export const hooksQuery = (env: Environment) =>
  queryOptions({
    queryKey: [hooksKey, 'list', env],
    queryFn: ({ signal }) => call('listHooks', { query: { env }, signal }),
  });

export const hookQuery = (env: Environment, name: string) =>
  queryOptions({
    queryKey: [hooksKey, 'one', env, name],
    queryFn: ({ signal }) => call('readHook', { params: { name }, query: { env }, signal }),
  });

const runsShown = 20;

/** The last messages that a hook has accepted: each began a run. */
export const acceptedQuery = (env: Environment, block: string) =>
  queryOptions({
    queryKey: [hooksKey, 'accepted', env, block],
    queryFn: ({ signal }) => call('listRuns', { query: { env, block, trigger: 'hook', pagesize: runsShown }, signal }),
  });
