/** The jobs about persons, of an org or of one account. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import type { PersonalDataDeps } from './begin-job.ts';
import { jobPartition, personJobs, type ShownJob, shownJob } from './person-job.ts';

export interface JobsQuery {
  readonly env: Environment;
  readonly userId: string | undefined;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

export interface JobsPage {
  readonly items: readonly ShownJob[];
  readonly nexttoken: string | null;
}

const jobsPerRead = 50;
/** Of the jobs of an org, so many are looked at for the jobs of one account. Then the page is short, with a cursor. */
const looksMax = 500;

/** @throws Problem `invalid_cursor`. */
export async function listJobs(
  { stores, cursors, clock }: Pick<PersonalDataDeps, 'stores' | 'cursors' | 'clock'>,
  orgCode: string,
  { env, userId, pageSize, nexttoken }: JobsQuery,
): Promise<JobsPage> {
  const binding = ['person-jobs', orgCode, env, userId ?? ''];
  const orgScope = stores[env].scope(orgScopeName(orgCode));
  const limit = userId === undefined ? pageSize + 1 : jobsPerRead;
  const items: ShownJob[] = [];
  let before = nexttoken === undefined ? undefined : cursors.open(nexttoken, binding);
  for (let looks = 0; looks < looksMax; looks += limit) {
    const behind = before === undefined ? {} : { before };
    const rows = await personJobs.range(orgScope, jobPartition, { ...behind, reverse: true, limit });
    for (const { sk, value } of rows) {
      if (items.length === pageSize && before !== undefined) return { items, nexttoken: cursors.seal(before, binding) };
      if (userId === undefined || value.user_id === userId) items.push(shownJob(sk, env, value, clock.now()));
      before = sk;
    }
    if (rows.length < limit) return { items, nexttoken: null };
    // Reads need not wait for anything, and others want to be served too.
    await nextTurn();
  }
  return { items, nexttoken: before === undefined ? null : cursors.seal(before, binding) };
}
