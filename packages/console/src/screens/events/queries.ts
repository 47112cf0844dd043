import type { deliveriesApi } from '@freehold/contract/management/deliveries';
import type { ReplyOf } from '@freehold/contract/route';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { type Environment, usePlace } from '../../api/session.ts';
import type { DeliverySearch } from './delivery-search.ts';

export type ListedEvent = ReplyOf<typeof deliveriesApi.listEvents>['items'][number];
export type EventState = ReplyOf<typeof deliveriesApi.listEventStates>['items'][number];
export type Delivery = ReplyOf<typeof deliveriesApi.readDelivery>;

/** The common prefix of query keys about events. */
export const eventsKey = 'events';

export const eventsQuery = (env: Environment) =>
  infiniteQueryOptions({
    queryKey: [eventsKey, 'list', env],
    queryFn: ({ pageParam, signal }) => call('listEvents', { query: { env, nexttoken: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nexttoken }) => nexttoken,
  });

/** How often is read what changes without the builder. Nothing is read while the tab is hidden. */
const followingMilliseconds = 5_000;

/** What waits is counted in up to 200 workspaces for each page. */
export const eventStatesQuery = (env: Environment) =>
  infiniteQueryOptions({
    queryKey: [eventsKey, 'states', env],
    queryFn: ({ pageParam, signal }) => call('listEventStates', { query: { env, nexttoken: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nexttoken }) => nexttoken,
    // Each page is a call, so many of them are read more rarely.
    refetchInterval: ({ state: { data } }) => {
      const isMoving = [...statesOf(data?.pages).values()].some(
        ({ paused, waiting }) => paused === undefined && waiting > 0,
      );
      return isMoving && followingMilliseconds * (data?.pages.length ?? 1);
    },
  });

/** The states of events by name, with what waits in the workspaces of all pages. */
export function statesOf(
  pages: readonly { readonly items: readonly EventState[] }[] = [],
): ReadonlyMap<string, EventState> {
  const states = new Map<string, EventState>();
  for (const item of pages.flatMap(({ items }) => items))
    states.set(item.name, { ...item, waiting: item.waiting + (states.get(item.name)?.waiting ?? 0) });
  return states;
}

const pagesize = 50;

export const deliveriesQuery = (env: Environment, { event, state, since, until }: DeliverySearch) =>
  infiniteQueryOptions({
    queryKey: [eventsKey, 'deliveries', env, event, state, since, until],
    queryFn: ({ pageParam, signal }) =>
      call('listDeliveries', { query: { env, event, state, since, until, pagesize, nexttoken: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nexttoken }) => nexttoken,
    refetchInterval: ({ state: { data } }) => {
      const isMoving = data?.pages.some(({ items }) => items.some(({ state }) => isUnderWay(state))) === true;
      return isMoving && followingMilliseconds * data.pages.length;
    },
  });

/** Whether more becomes of a delivery without the builder. */
export function isUnderWay(state: Delivery['state']): boolean {
  return state === 'waiting' || state === 'retrying';
}

const underWayMilliseconds = 2_000;

/** A delivery, read again and again while it is sent. */
export const deliveryQuery = (env: Environment, id: string) =>
  queryOptions({
    queryKey: [eventsKey, 'delivery', env, id],
    queryFn: ({ signal }) => call('readDelivery', { params: { id }, query: { env }, signal }),
    refetchInterval: ({ state: { data } }) => data !== undefined && isUnderWay(data.state) && underWayMilliseconds,
  });

export const eventSecretQuery = (env: Environment, name: string) =>
  queryOptions({
    queryKey: [eventsKey, 'secret', env, name],
    queryFn: ({ signal }) => call('showEventSecret', { params: { name }, query: { env }, signal }),
  });

/** Why the user may not act on events of this environment: in production only admins may. */
export function useActingReason(): string | undefined {
  const { env, adminReason } = usePlace();
  return env === 'prod' ? adminReason : undefined;
}
