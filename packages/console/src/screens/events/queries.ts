import type { deliveriesApi } from '@freehold/contract/management/deliveries';
import type { ReplyOf } from '@freehold/contract/route';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { type Environment, usePlace } from '../../api/session.ts';
import type { DeliverySearch } from './delivery-search.ts';

export type ListedEvent = ReplyOf<typeof deliveriesApi.listEvents>['items'][number];
export type EventState = ReplyOf<typeof deliveriesApi.listEventStates>['items'][number];
export type Delivery = ReplyOf<typeof deliveriesApi.readDelivery>;

/** What every query about events begins with. */
export const eventsKey = 'events';

export const eventsQuery = (env: Environment) =>
  infiniteQueryOptions({
    queryKey: [eventsKey, 'list', env],
    queryFn: ({ pageParam, signal }) => call('listEvents', { query: { env, nexttoken: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nexttoken }) => nexttoken,
  });

/** What waits is counted in up to 200 workspaces for each page. */
export const eventStatesQuery = (env: Environment) =>
  infiniteQueryOptions({
    queryKey: [eventsKey, 'states', env],
    queryFn: ({ pageParam, signal }) => call('listEventStates', { query: { env, nexttoken: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nexttoken }) => nexttoken,
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
  });

const underWayMilliseconds = 2_000;

/** A delivery, read again and again while it is sent. */
export const deliveryQuery = (env: Environment, id: string) =>
  queryOptions({
    queryKey: [eventsKey, 'delivery', env, id],
    queryFn: ({ signal }) => call('readDelivery', { params: { id }, query: { env }, signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.state === 'waiting' || data?.state === 'retrying' ? underWayMilliseconds : false,
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
