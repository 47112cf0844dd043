/** What a job about a person works with, and what a step of it comes to. */
import type { ConfigReader, ConfigSet } from '../../config/port.ts';
import type { AccessEpochs } from '../../iam/port.ts';
import type { LargeRemovals, RecordRuntime, WriteLoop } from '../../records/port.ts';
import type { Change, Scope, Store } from '../../store/port.ts';
import type { Environment, Workspace } from '../../tenancy/port.ts';
import type { AppUser } from '../app-users/app-user.ts';
import type { MembershipDeps } from '../workspaces/memberships.ts';
import type { RecordsPage } from './named-records.ts';
import type { Counts, JobRow, PersonWork, WorkspaceCursor } from './person-job.ts';

export interface PersonDataDeps extends MembershipDeps {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly runtime: Pick<RecordRuntime, 'removeOrBegin'>;
  readonly removals: Pick<LargeRemovals, 'find'>;
  /** Writes without asking what the org may use: the work of the platform takes nothing of a plan. */
  readonly writeLoop: WriteLoop;
  /** See `SessionDeps`. */
  readonly revocations: AccessEpochs;
  /** Has work looked for now. */
  readonly wake: () => void;
}

export interface Run {
  readonly deps: PersonDataDeps;
  readonly work: PersonWork;
  readonly orgScope: Scope;
  /** The store as jobs use it: removals of records through it are counted. */
  readonly store: Store;
  readonly config: ConfigSet;
  readonly job: JobRow;
  readonly renewLease: () => Promise<void>;
}

/** What a step leaves, all of it in one commit of the org's scope. */
export interface Step {
  readonly job: JobRow;
  readonly changes?: readonly Change[];
  /** Of a file that is written. */
  readonly lines?: readonly string[];
  /** Others are in the way: the job looks again a moment later. */
  readonly isWaiting?: true;
  /** Nothing was found: the next step need not wait for a commit of this one. */
  readonly isIdle?: true;
}

/** What was found at one place, and what is done about it. */
export interface Found {
  readonly counts: Partial<Counts>;
  readonly job?: Partial<JobRow>;
  readonly changes?: readonly Change[];
  readonly lines?: readonly string[];
}

export interface FoundInRecords extends Found {
  /** Where the walk goes on; undefined behind the last record of the workspace. */
  readonly next: Pick<WorkspaceCursor, 'entity' | 'after'> | undefined;
  readonly isWaiting?: boolean;
}

/** An identity of one of the accounts. */
export interface FoundIdentity {
  readonly pk: string;
  readonly sk: string;
  readonly userId: string;
}

/** What a job does about each thing that it finds. Each may be done again: a killed job repeats its last step. */
export interface Worker {
  readonly account: (run: Run, user: AppUser) => Promise<Found> | Found;
  readonly identity: (run: Run, identity: FoundIdentity) => Found;
  readonly records: (run: Run, workspace: Workspace, page: RecordsPage) => Promise<FoundInRecords>;
  /** The membership and the invitations of the workspace, once its records are done. */
  readonly membership: (run: Run, workspace: Workspace) => Promise<Found>;
  /** Undefined job state until it is done. */
  readonly finish: (run: Run) => Promise<Step>;
}
