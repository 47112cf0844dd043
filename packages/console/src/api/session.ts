import type { managementApi } from '@freehold/contract/management';
import type { ReplyOf } from '@freehold/contract/route';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { call } from './call.ts';

export type Environment = 'test' | 'prod';

export function isEnvironment(text: string): text is Environment {
  return text === 'test' || text === 'prod';
}

/** The signed-in builder, with the org of the session and its environments. Throws 401 at once, so that a first visit leads to the sign-in page. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => call('readMe', { mayBeSignedOut: true }),
  staleTime: 60_000,
  retry: false,
});

export type Me = ReplyOf<(typeof managementApi)['readMe']>;

/** The orgs that the user is a member of. */
export const orgsQuery = queryOptions({
  queryKey: ['orgs'],
  queryFn: () => call('listOwnOrgs'),
  staleTime: 60_000,
});

/** What is known before anyone has signed in. */
export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: () => call('readConsoleConfig', { mayBeSignedOut: true }),
  staleTime: 60_000,
});

export interface ConsolePlace {
  readonly org: string;
  readonly env: Environment;
  /** The code of the workspace that the user has chosen; undefined for all of them. */
  readonly workspace: string | undefined;
  /** Why nothing of the environment's configuration can be changed here; undefined where it can. */
  readonly readOnlyReason: string | undefined;
  /** Why the user may not do what only admins of the org may; undefined if he is one. */
  readonly adminReason: string | undefined;
}

/** Where the user is, for screens below `/o/{org}/{env}`. */
export function usePlace(): ConsolePlace {
  const { org, env } = useParams({ from: '/o/$org/$env' });
  const { w } = useSearch({ from: '/o/$org/$env' });
  const { data: me } = useQuery(meQuery);
  return {
    org,
    workspace: w,
    env: isEnvironment(env) ? env : 'test',
    readOnlyReason:
      env === 'prod' ? 'Production changes by deploys only. Make the change in test, then deploy it.' : undefined,
    adminReason: me?.role === 'org_admin' ? undefined : 'Only an admin of the org may do this.',
  };
}
