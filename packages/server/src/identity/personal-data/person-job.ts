/** Long work on all that the platform has of one person in an environment: its row, and how it is shown. */
import type { PersonJob, personJobsApi } from '@freehold/contract/management/people/person-jobs';
import type { BodyOf } from '@freehold/contract/route';
import type { Read } from '@freehold/contract/schema';
import type { AuditCaller } from '../../audit/audit-entry.ts';
import type { Put } from '../../store/port.ts';
import { json, table } from '../../store/table.ts';
import type { Environment } from '../../tenancy/port.ts';
import { workItem } from '../../work/job.ts';

export type ShownJob = Read<typeof PersonJob>;
export type Counts = ShownJob['counts'];
export type RecordProblem = ShownJob['problems'][number];
export type Stays = ShownJob['stays'][number];
export type RecordChoice = BodyOf<typeof personJobsApi.eraseAppUser>['records'];

/**
 * `accounts`: finds the accounts that were merged into this one. `identities`: goes through the sign-ins of the org.
 * `workspaces`: goes through the workspaces of the org. `finish`: what is left in the scope of the org.
 */
export type JobPhase = 'accounts' | 'identities' | 'workspaces' | 'finish';

/** Where the job stands: behind which item of the phase, and of a workspace behind which of its entities and records. */
export interface JobCursor {
  readonly phase: JobPhase;
  readonly after?: string;
  /** This pass has found accounts, so another one follows. */
  readonly isAgain?: true;
  readonly workspace?: WorkspaceCursor;
}

export interface WorkspaceCursor {
  readonly code: string;
  readonly id: string;
  /** The entity at work. Left out, all entities before it in the order of names are still to come. */
  readonly entity?: string;
  readonly after?: string;
  /** Its records are done. */
  readonly isWalked?: true;
}

/** A removal that is too large for one commit, which a job of its workspace does. */
export interface AwaitedRemoval {
  readonly job: string;
  readonly entity: string;
  readonly id: string;
}

export interface JobRow {
  readonly kind: 'erase' | 'export' | 'merge';
  /** Of a merge: the account that stays, what it gains, and the name of all that it gains. */
  readonly into?: string;
  readonly gains?: ShownJob['gains'];
  readonly seen?: string;
  readonly user_id: string;
  readonly dry_run: boolean;
  readonly state: ShownJob['state'];
  readonly error?: { readonly code: string; readonly message: string };
  readonly records?: RecordChoice;
  readonly created_at: string;
  readonly finished_at?: string;
  /** Who asked for it, for the audit log. */
  readonly caller: AuditCaller;
  readonly counts: Counts;
  readonly workspaces: ShownJob['workspaces'];
  readonly problems: readonly RecordProblem[];
  readonly problems_total: number;
  readonly stays: readonly Stays[];
  /** While it works: where it stands, which accounts are the person's, and their addresses. */
  readonly cursor?: JobCursor;
  readonly accounts?: readonly string[];
  readonly emails?: readonly string[];
  readonly removal?: AwaitedRemoval | undefined;
  /** How often it has looked for the end of what is in its way. */
  readonly waits?: number;
  /** Of an export: how much is written. */
  readonly file?: { readonly bytes: number; readonly lines: number; readonly chunks: number };
}

export const jobPartition = 'person-job';

/** By id, in the scope of the org. */
export const personJobs = table(
  (id: string) => ({ pk: jobPartition, sk: id }),
  json<JobRow>('job about a person', { kind: 'string', user_id: 'string', state: 'string', counts: 'object' }),
);

export const livePartition = 'person-job-live';

/** By the person, the one job that is not over. */
export const livePersonJobs = table(
  (userId: string) => ({ pk: livePartition, sk: userId }),
  json<{ readonly id: string }>('note of a job about a person', { id: 'string' }),
);

/** The pieces of a file, in their order. */
export function filePartition(jobId: string): string {
  return `person-file;${jobId}`;
}

export const personJob = 'person-data';

/** The piece of work of a job, in the scope of the org. */
export interface PersonWork {
  readonly id: string;
  readonly env: Environment;
  readonly orgCode: string;
}

export function personWork({ id, env, orgCode }: PersonWork, at: number): Put {
  return workItem(`${personJob};${id}`, { job: personJob, id, env, orgCode }, at);
}

const dayMilliseconds = 24 * 60 * 60 * 1000;
/** A job can be read for so long after it was asked for, and its file for so long. */
export const keptMilliseconds = 30 * dayMilliseconds;
const fileKeptMilliseconds = 7 * dayMilliseconds;

export function fileExpiry({ created_at }: Pick<JobRow, 'created_at'>): number {
  return Date.parse(created_at) + fileKeptMilliseconds;
}

export function isOver({ state }: Pick<JobRow, 'state'>): boolean {
  return state === 'done' || state === 'failed';
}

export const noCounts: Counts = {
  accounts: 0,
  identities: 0,
  memberships: 0,
  invitations: 0,
  owned: 0,
  created: 0,
  linked: 0,
  named: 0,
  removed: 0,
  changed: 0,
};

export function added(counts: Counts, more: Partial<Counts>): Counts {
  const sum = { ...counts };
  for (const name of Object.keys(noCounts) as readonly (keyof Counts)[]) sum[name] += more[name] ?? 0;
  return sum;
}

/** INVARIANT: shows no email address: a report outlives the person's data. */
export function shownJob(id: string, env: Environment, row: JobRow, now: number): ShownJob {
  const { kind, user_id, dry_run, state, error, records, created_at, finished_at, caller, file } = row;
  const hasFile = kind === 'export' && state === 'done' && now < fileExpiry(row);
  return {
    ...{ id, kind, env, user_id, dry_run, state },
    error: error ?? null,
    records: records ?? null,
    into: row.into ?? null,
    gains: row.gains ?? [],
    seen: row.seen ?? null,
    created_at,
    finished_at: finished_at ?? null,
    requested_by: caller.actor.id,
    counts: row.counts,
    workspaces: row.workspaces,
    problems: row.problems,
    problems_total: row.problems_total,
    stays: row.stays,
    file:
      hasFile && file !== undefined
        ? { bytes: file.bytes, lines: file.lines, expires_at: new Date(fileExpiry(row)).toISOString() }
        : null,
  };
}
