import type { appUsersApi } from '@freehold/contract/management/people/app-users';
import type { ReplyOf } from '@freehold/contract/route';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import type { Environment } from '../../api/session.ts';

export type AppUser = ReplyOf<typeof appUsersApi.listAppUsers>['items'][number];
export type AppUserDetails = ReplyOf<typeof appUsersApi.readAppUser>;
export type ListedState = 'active' | 'disabled' | 'password_suspended';

export const appUsersKey = 'app users';

/** The accounts of the app whose email begins with `q`, or that have `q` as their id. */
export const appUsersQuery = (env: Environment, q: string, state: ListedState | undefined) =>
  infiniteQueryOptions({
    queryKey: [appUsersKey, env, 'list', q, state],
    queryFn: ({ pageParam, signal }) =>
      call('listAppUsers', {
        query: {
          env,
          pagesize: 50,
          ...(q === '' ? {} : { q }),
          ...(state === undefined ? {} : { state }),
          ...(pageParam === '' ? {} : { nexttoken: pageParam }),
        },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nexttoken,
    placeholderData: keepPreviousData,
  });

export const appUserQuery = (env: Environment, id: string) =>
  queryOptions({
    queryKey: [appUsersKey, env, 'one', id],
    queryFn: ({ signal }) => call('readAppUser', { params: { id }, query: { env }, signal }),
  });

/** Reads the accounts again, after one of them was changed. */
export function readAppUsersAgain(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: [appUsersKey] });
}

export function nameOf({ fn, ln }: Pick<AppUser, 'fn' | 'ln'>): string {
  return `${fn} ${ln}`.trim();
}
