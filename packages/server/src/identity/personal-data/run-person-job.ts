/** The work on a job about a person: steps of bounded length, each of which says in one commit how far the job is. */
import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { type Change, ScopeClosed, type Store } from '../../store/port.ts';
import type { Row } from '../../store/table.ts';
import { attemptCommit } from '../../store/transact.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import { defineJob, type JobSteps } from '../../work/job.ts';
import { eraseWorker, previewWorker } from './erase-person.ts';
import { exportWorker } from './export-person.ts';
import { mergePreviewWorker, mergeWorker } from './merge-person.ts';
import { writeLines } from './person-file.ts';
import {
  isOver,
  type JobRow,
  keptMilliseconds,
  livePersonJobs,
  type PersonWork,
  personJob,
  personJobs,
} from './person-job.ts';
import type { PersonDataDeps, Run, Step, Worker } from './run.ts';
import { takeStep } from './steps.ts';

/** So many steps that find nothing are taken before the place is noted. */
const idleStepsMax = 50;

export interface PersonJobSpace extends PersonDataDeps {
  /** See `Run`. */
  readonly store: Store;
}

/**
 * Goes on with a job until it is over. It may be ended at any step, and two may work on it at once: each step is held to the
 * row that it began with.
 */
export const personDataJob = defineJob({
  name: personJob,
  begin: ({ store, ...deps }: PersonJobSpace, work: PersonWork): JobSteps<Row<JobRow>> => {
    const orgScope = deps.stores[work.env].scope(orgScopeName(work.orgCode));
    return {
      row: () => personJobs.read(orgScope, work.id),
      step: async (row, { renewLease }) => {
        if (isOver(row.value)) return 'over';
        const config = await deps.configs[work.env].refresh(work.orgCode);
        const step = await nextStep({ deps, work, orgScope, store, config, job: row.value, renewLease });
        await commitStep({ work, row, step, orgScope });
        return step.isWaiting === true && !isOver(step.job) ? 'wait' : 'more';
      },
    };
  },
});

async function nextStep(run: Run): Promise<Step> {
  const worker = workerOf(run.job);
  let { job } = run;
  try {
    for (let steps = 1; ; steps++) {
      const step = await takeStep({ ...run, job }, worker);
      if (step.isIdle !== true || steps >= idleStepsMax) return step;
      job = step.job;
      await run.renewLease();
    }
  } catch (error) {
    return afterFailure({ ...run, job }, error);
  }
}

function workerOf({ kind, dry_run }: JobRow): Worker {
  if (kind === 'export') return exportWorker;
  if (kind === 'merge') return dry_run ? mergePreviewWorker : mergeWorker;
  return dry_run ? previewWorker : eraseWorker;
}

/** Outside of workspaces, what is in the way is gone soon or stays. */
const waitsOutsideMax = 60;

/**
 * Of a workspace that is being removed nothing is left soon; where others keep writing in one, it is gone through again, and
 * elsewhere the step is tried again. A merge that has begun cannot be begun again.
 */
export function afterFailure({ deps, job }: Pick<Run, 'deps' | 'job'>, error: unknown): Step {
  const { cursor, waits = 0 } = job;
  const at = cursor?.workspace;
  if (error instanceof ScopeClosed && at !== undefined)
    return { job: { ...job, cursor: { phase: 'workspaces', after: at.code } } };
  const isConflict = error instanceof Problem && error.code === 'conflict';
  if (isConflict && at !== undefined) {
    const again = { phase: 'workspaces', workspace: { code: at.code, id: at.id } } as const;
    return { job: { ...job, cursor: again, waits: waits + 1 }, isWaiting: true };
  }
  if (isConflict && waits < waitsOutsideMax) return { job: { ...job, waits: waits + 1 }, isWaiting: true };
  if (!(error instanceof Problem)) throw error;
  const failed = { code: error.code, message: error.message };
  return { job: { ...job, state: 'failed', error: failed, finished_at: timestamp(deps.clock.now()) } };
}

interface Committing extends Pick<Run, 'work' | 'orgScope'> {
  readonly row: Row<JobRow>;
  readonly step: Step;
}

/** Where another process has taken the step, nothing is written, and the next step begins with what that one has left. */
async function commitStep({ work, row, step, orgScope }: Committing): Promise<void> {
  const { changes = [], lines = [] } = step;
  const written = lines.length === 0 ? undefined : writeLines(work.id, step.job, lines);
  const job = written === undefined ? step.job : { ...step.job, file: written.file };
  const due = { at: Date.parse(job.created_at) + keptMilliseconds, queue: 'expire' } as const;
  const all = [
    ...changes,
    ...(written?.puts ?? []),
    personJobs.put(work.id, isOver(job) ? withoutProgress(job) : job, { if: { version: row.version }, due }),
    ...(isOver(job) ? [job.user_id, job.into].flatMap(liveEnd) : []),
  ];
  await attemptCommit(orgScope, all, { priority: 'background' });
}

function liveEnd(userId: string | undefined): readonly Change[] {
  return userId === undefined ? [] : [livePersonJobs.remove(userId, 'any')];
}

/** A report outlives the person's data, so it has no address. */
function withoutProgress(job: JobRow): JobRow {
  const { cursor: _cursor, accounts: _accounts, emails: _emails, removal: _removal, waits: _waits, ...rest } = job;
  return rest;
}
