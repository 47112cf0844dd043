import type { personJobsApi } from '@freehold/contract/management/people/person-jobs';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import type { Environment } from '../../../api/session.ts';
import { appUserQuery } from '../queries.ts';

type JobsPage = ReplyOf<typeof personJobsApi.listPersonJobs>;
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

const shownMax = 50;
/** Each page looks at 500 jobs of the org. */
const callsMax = 10;

interface LatestJobs {
  readonly items: readonly PersonJob[];
  /** Whether the org has earlier jobs that were not looked at. */
  readonly isCut: boolean;
}

/** An org may have had so many jobs about others that a page has none of this person, and the next page has to be read. */
async function latestJobs({ env, id }: Person, signal: AbortSignal): Promise<LatestJobs> {
  const items: PersonJob[] = [];
  const first = { env, user_id: id, pagesize: shownMax };
  let query: (typeof first & { readonly nexttoken?: string }) | undefined = first;
  for (let calls = 0; query !== undefined && calls < callsMax; calls++) {
    const page: JobsPage = await call('listPersonJobs', { query, signal });
    items.push(...page.items);
    const { nexttoken } = page;
    query = nexttoken === null || items.length >= shownMax ? undefined : { ...query, nexttoken };
  }
  return { items, isCut: query !== undefined };
}

/** The latest jobs about a person, read again while one of them works. */
export const personJobsQuery = ({ env, id }: Person) =>
  queryOptions({
    queryKey: ['person-jobs', env, id],
    queryFn: ({ signal }) => latestJobs({ env, id }, signal),
    refetchInterval: ({ state }) =>
      state.data?.items.every(isOver) === false ? progressMilliseconds : (false as const),
  });

/** The account; it is not there any more once it is erased. */
export const personQuery = ({ env, id }: Person) => ({ ...appUserQuery(env, id), retry: false });
