/** Long work on all that the platform has of one person in an environment: its row, and how it is shown. */
import type { PersonJob, personJobsApi } from '@freehold/contract/management/people/person-jobs';
import type { BodyOf } from '@freehold/contract/route';
import type { Read } from '@freehold/contract/schema';
import type { AuditCaller } from '../audit/audit-entry.ts';
import type { Put } from '../store/port.ts';
import { json, table } from '../store/table.ts';
import type { Environment } from '../tenancy/port.ts';
import { workItem } from '../work/job.ts';

export type ShownPersonJob = Read<typeof PersonJob>;
export type Counts = ShownPersonJob['counts'];
type RecordProblem = ShownPersonJob['problems'][number];
export type Stays = ShownPersonJob['stays'][number];
export type RecordChoice = BodyOf<typeof personJobsApi.eraseAppUser>['records'];

/**
 * `accounts`: finds the accounts that were merged into this one. `identities`: goes through the sign-ins of the org.
 * `workspaces`: goes through the workspaces of the org. `finish`: what is left in the scope of the org.
 */
type JobPhase = 'accounts' | 'identities' | 'workspaces' | 'finish';

/** The progress of the job: behind which item of the phase, and of a workspace behind which of its entities and records. */
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
  readonly gains?: ShownPersonJob['gains'];
  readonly seen?: string;
  readonly user_id: string;
  readonly dry_run: boolean;
  readonly state: ShownPersonJob['state'];
  readonly error?: { readonly code: string; readonly message: string };
  readonly records?: RecordChoice;
  readonly created_at: string;
  readonly finished_at?: string;
  /** The requester, for the audit log. */
  readonly caller: AuditCaller;
  readonly counts: Counts;
  readonly workspaces: ShownPersonJob['workspaces'];
  readonly problems: readonly RecordProblem[];
  readonly problems_total: number;
  readonly stays: readonly Stays[];
  /** While it works: its progress, which accounts are the person's, and their addresses. */
  readonly cursor?: JobCursor;
  readonly accounts?: readonly string[];
  readonly emails?: readonly string[];
  readonly removal?: AwaitedRemoval | undefined;
  /** The number of times that it has looked for the end of what is in its way. */
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

export type ReportedProblems = Pick<JobRow, 'problems' | 'problems_total'>;

const problemsMax = 100;

/** All problems are counted, and the first of them shown. */
export function withProblem({ problems, problems_total }: ReportedProblems, problem: RecordProblem): ReportedProblems {
  return {
    problems: problems.length < problemsMax ? [...problems, problem] : problems,
    problems_total: problems_total + 1,
  };
}

/** INVARIANT: shows no email address: a report outlives the person's data. */
export function shownJob(id: string, env: Environment, row: JobRow, now: number): ShownPersonJob {
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

/** The accounts that are the person's. */
export function idsOf({ accounts = [] }: Pick<JobRow, 'accounts'>): ReadonlySet<string> {
  return new Set(accounts);
}

/** The data that stays of a person who is erased, and the reasons: said by each report, whatever was found. */
export function eraseStays({ counts, dry_run }: Pick<JobRow, 'counts' | 'dry_run'>): readonly Stays[] {
  const { named } = counts;
  return [
    {
      what: 'audit',
      why: 'Entries of the audit log name the person by id and never by email. Reasons that builders gave stay as they typed them. The log is chained by digests, so no entry is changed or removed.',
      count: null,
    },
    {
      what: 'named',
      why: `Records whose other fields contain the id of the person ${dry_run ? 'would stay' : 'stay'} as they are: the platform cannot know what these fields mean.`,
      count: named,
    },
    {
      what: 'plain_fields',
      why: 'Fields that contain a name, an email address or another text about the person stay in records that stay: the platform cannot find them. Search the records of the app for them.',
      count: null,
    },
    {
      what: 'access_control',
      why: 'Policies, groups, roles and links that the person made keep the id of their maker.',
      count: null,
    },
    {
      what: 'invitations',
      why: 'Invitations that the person sent name their sender by id until they expire, within seven days. They can no longer be accepted.',
      count: null,
    },
    {
      what: 'settings',
      why: 'Settings of the org, and their versions, stay as builders wrote them, also where they name an email address such as that of the first admin of production.',
      count: null,
    },
    {
      what: 'automation',
      why: 'Runs of logic blocks, messages that wait for delivery and receipts of deliveries contain the values of their time. They are removed when they expire: 7 days after their end, unless the plan of the org says otherwise.',
      count: null,
    },
    {
      what: 'deliveries',
      why: 'Messages and mails that were delivered before are in other systems, which the platform cannot reach.',
      count: null,
    },
    {
      what: 'answers',
      why: 'Replies that are kept for repeated requests contain the values of their time. They are removed 24 hours after the request.',
      count: null,
    },
    {
      what: 'codes',
      why: 'Codes that were mailed, and tokens that end, name the account by id until they expire, within 24 hours. They open nothing.',
      count: null,
    },
    {
      what: 'denials',
      why: 'The last 200 refusals of the org are kept in the memory of the process, by id. They are gone when it restarts.',
      count: null,
    },
    {
      what: 'decisions',
      why: 'Samples of the calls that policies have decided name the person by id, with the network address and the values that the policies compared. They are removed after seven days.',
      count: null,
    },
    {
      what: 'usage',
      why: 'Usage is counted by workspace and entity. The counts name no person and stay.',
      count: null,
    },
    {
      what: 'backups',
      why: 'Backups from before contain everything. Those of the schedule are removed when as many newer ones are kept as the operator has set, others when the operator removes them. A restore brings the person back.',
      count: null,
    },
    {
      what: 'store',
      why: 'The files of the embedded store are overwritten where something is removed, and their logs emptied ten seconds later, or when a backup under way has ended. PostgreSQL keeps removed rows until its vacuum, and its log and archives for as long as the operator has set.',
      count: null,
    },
    {
      what: 'logs',
      why: 'Logs of the process name the person by id, for as long as the operator keeps them.',
      count: null,
    },
  ];
}

/** The data that a merge leaves as it is. */
export function mergeStays({ counts }: Pick<JobRow, 'counts'>): readonly Stays[] {
  return [
    {
      what: 'named',
      why: 'Records whose other fields contain the id of the account that ends keep it: the platform cannot know what these fields mean.',
      count: counts.named,
    },
    {
      what: 'audit',
      why: 'Entries of the audit log keep the id of the account that acted. The log is chained by digests, so no entry is changed.',
      count: null,
    },
    {
      what: 'access_control',
      why: 'Policies, groups, roles and links that the account made keep the id of their maker.',
      count: null,
    },
    {
      what: 'automation',
      why: 'Runs and deliveries contain the values of their time until they expire.',
      count: null,
    },
  ];
}
