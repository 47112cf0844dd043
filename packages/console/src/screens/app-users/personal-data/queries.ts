import type { personJobsApi } from '@freehold/contract/management/people/person-jobs';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import type { Environment } from '../../../api/session.ts';
import { appUserQuery } from '../queries.ts';

export type PersonJob = ReplyOf<typeof personJobsApi.readPersonJob>;
export type RecordChoice = BodyOf<typeof personJobsApi.eraseAppUser>['records'];

/** A person in an environment. */
export interface Person {
  readonly env: Environment;
  readonly id: string;
}

const progressMilliseconds = 1000;

export function isOver({ state }: PersonJob): boolean {
  return state === 'done' || state === 'failed';
}

/** The latest jobs about a person, read again while one of them works. */
export const personJobsQuery = ({ env, id }: Person) =>
  queryOptions({
    queryKey: ['person-jobs', env, id],
    queryFn: ({ signal }) => call('listPersonJobs', { query: { env, user_id: id, pagesize: 50 }, signal }),
    refetchInterval: ({ state }) =>
      state.data?.items.every(isOver) === false ? progressMilliseconds : (false as const),
  });

/** The account; it is not there any more once it is erased. */
export const personQuery = ({ env, id }: Person) => ({ ...appUserQuery(env, id), retry: false });
