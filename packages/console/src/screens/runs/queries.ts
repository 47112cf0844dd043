import type { runsApi } from '@freehold/contract/management/runs';
import type { ReplyOf } from '@freehold/contract/route';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Environment } from '../../api/session.ts';
import { beginOf, type RunFilters, type RunState } from './run-filters.ts';
import { isOpen } from './run-words.ts';

export type RunDetails = ReplyOf<typeof runsApi.readRun>;

export type RunStep = RunDetails['steps'][number];

/** The key of the queries of runs. */
export const runsKey = 'runs';

const pagesize = 50;
/** While a run works, and while one waits for a time. Nothing is read while the tab is hidden. */
const workingMilliseconds = 2_000;
const waitingMilliseconds = 10_000;

interface Next {
  readonly token: string;
  /** A later page is one of the same list, and so of the same time. */
  readonly since: string | undefined;
}

export const runsQuery = (env: Environment, workspace: string | undefined, filters: RunFilters) =>
  infiniteQueryOptions({
    queryKey: [runsKey, 'list', env, workspace, filters],
    queryFn: async ({ pageParam: { token, since = beginOf(filters.since, Date.now()) }, signal }) => {
      const { block, state, trigger } = filters;
      const query = { env, block, state, trigger, tenant_code: workspace, since, pagesize, nexttoken: token };
      return { ...(await call('listRuns', { query, signal })), since };
    },
    initialPageParam: { token: '', since: undefined } as Next,
    getNextPageParam: ({ nexttoken, since }): Next | undefined =>
      nexttoken === null ? undefined : { token: nexttoken, since },
    // Each page is a call, so a long list is read more rarely.
    refetchInterval: ({ state: { data } }) => {
      const shown = data?.pages.flatMap(({ items }) => items.map(({ state }) => state)) ?? [];
      const pause = pauseFor(shown);
      return pause === undefined ? false : pause * (data?.pages.length ?? 1);
    },
  });

export const runQuery = (env: Environment, id: string) =>
  queryOptions({
    queryKey: [runsKey, 'run', env, id],
    queryFn: ({ signal }) => call('readRun', { params: { id }, query: { env }, signal }),
    // The values of a run in test are shown a moment after its end.
    refetchInterval: ({ state: { data } }) => {
      if (data === undefined) return false;
      const isWhole = !isOpen(data.state) && (env === 'prod' || data.input !== undefined);
      return isWhole ? false : (pauseFor([data.state]) ?? workingMilliseconds);
    },
  });

function pauseFor(states: readonly RunState[]): number | undefined {
  if (states.includes('running')) return workingMilliseconds;
  return states.includes('waiting') ? waitingMilliseconds : undefined;
}
