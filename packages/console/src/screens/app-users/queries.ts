import type { appUsersApi } from '@freehold/contract/management/people/app-users';
import type { ReplyOf } from '@freehold/contract/route';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import type { Environment } from '../../api/session.ts';

type Account = ReplyOf<typeof appUsersApi.listAppUsers>['items'][number];
type AccountDetails = ReplyOf<typeof appUsersApi.readAppUser>;
/** A developer is shown no email and no name of production: an account is called by its id then. */
type Named<A extends Account> = A & { readonly email: string; readonly fn: string; readonly ln: string };
export type AppUser = Named<Account>;
export type AppUserDetails = Named<AccountDetails>;
export type ListedState = 'active' | 'disabled' | 'password_suspended';

export const appUsersKey = 'app users';

/** The accounts of the app whose email begins with `q`, or that have `q` as their id. */
export const appUsersQuery = (env: Environment, q: string, state: ListedState | undefined) =>
  infiniteQueryOptions({
    queryKey: [appUsersKey, env, 'list', q, state],
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        env,
        pagesize: 50,
        ...(q === '' ? {} : { q }),
        ...(state === undefined ? {} : { state }),
        ...(pageParam === '' ? {} : { nexttoken: pageParam }),
      };
      const page = await call('listAppUsers', { query, signal });
      return { ...page, items: page.items.map(named) };
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.nexttoken,
    placeholderData: keepPreviousData,
  });

export const appUserQuery = (env: Environment, id: string) =>
  queryOptions({
    queryKey: [appUsersKey, env, 'one', id],
    queryFn: async ({ signal }): Promise<AppUserDetails> =>
      named(await call('readAppUser', { params: { id }, query: { env }, signal })),
  });

function named<A extends Account>(account: A): Named<A> {
  const { id, email = id, fn = '', ln = '' } = account;
  return { ...account, email, fn, ln };
}

/** Reads the accounts again, after one of them was changed. */
export function readAppUsersAgain(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: [appUsersKey] });
}

export function nameOf({ fn, ln }: Pick<AppUser, 'fn' | 'ln'>): string {
  return `${fn} ${ln}`.trim();
}
