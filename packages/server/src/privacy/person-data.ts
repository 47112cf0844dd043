/** The interface of modules that hold data of a person, and the dependencies of a job about a person. */
import type { AuditCaller } from '../audit/audit-entry.ts';
import type { ConfigReader, ConfigSet } from '../config/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { IdSource } from '../lib/ids.ts';
import type { LargeRemovals, RecordRuntime, WriteLoop } from '../records/port.ts';
import type { Change, RangeRead, Scope, Store } from '../store/port.ts';
import type { Row } from '../store/table.ts';
import type { Environment, OrgContext, Workspace } from '../tenancy/port.ts';
import type { RecordsPage } from './named-records.ts';
import type { Counts, JobRow, PersonWork, ShownPersonJob, WorkspaceCursor } from './person-job.ts';

/** An account of a person as jobs know it; the module that keeps it knows more. */
export interface PersonAccount {
  readonly id: string;
  readonly email: string;
  readonly merged_into?: string;
}

/** The accounts of an app's users, with which every job begins and ends. One module keeps them. */
export interface PersonAccounts<A extends PersonAccount = PersonAccount> {
  /** So many accounts of one person become one at most. */
  readonly mergedMax: number;
  read(orgScope: Scope, id: string): Promise<Row<A> | undefined>;
  page(orgScope: Scope, range: Page): Promise<readonly Row<A>[]>;
  /** The sign-ins of the org, each with the id of its account. */
  identities(orgScope: Scope, range: Page): Promise<readonly Row<string>[]>;
  /** From the commit of these on nothing signs in to the account, and its address is free. */
  closing(orgScope: Scope, row: Row<A>, at: string): Promise<Closing>;
  /** @throws Problem `conflict` where something else is decided about the account. */
  requireFree(account: A): void;
  /** Makes an account a part of another one. */
  merging(
    orgScope: Scope,
    rows: { readonly row: Row<A>; readonly other: Row<A> },
    at: string,
  ): Promise<readonly Change[]>;
  /** Has the workspaces follow what was merged before; may be repeated. */
  settle(place: OrgContext, account: A, caller: AuditCaller): Promise<void>;
  /** Every token of the account has ended. */
  tokensEnded(place: Pick<OrgContext, 'env' | 'orgCode'>, id: string): void;
  /** The account, and one of its sign-ins, in an export. */
  exported(account: A): object;
  exportedIdentity(sk: string): object;
}

type Page = Pick<RangeRead, 'after' | 'limit'>;

export interface Closing {
  readonly changes: readonly Change[];
  /** The number of sign-ins among them. */
  readonly identities: number;
}

/** The part of a module that holds data of persons. A job asks each of them, in the order of their list. */
export interface PersonData {
  /** @throws Problem where the person must not be erased. Changes nothing. */
  mayErase?(place: OrgContext, userId: string, caller: AuditCaller): Promise<void>;
  /** The data in a workspace beside its records, once these are done. */
  readonly inWorkspace?: InWorkspace;
  /** Removes the rest in the org's scope at the end of an erasure, the first of very many; none if nothing is left. */
  left?(run: PersonRun): Promise<readonly Change[]>;
  /** The same of one account. */
  leftOfAccount?(orgScope: Scope, id: string): Promise<readonly Change[]>;
  /** The changes in the commit that ends the erasure: the accounts themselves. */
  withAccounts?(orgScope: Scope, ids: readonly string[]): Promise<readonly Change[]>;
  /** The rights that an account would gain by a merge, with all that this depends on. */
  gains?(place: OrgContext, pair: MergedPair): Promise<readonly { readonly gain: Gain }[]>;
}

type InWorkspace = Readonly<
  Record<
    'erase' | 'previewErase' | 'merge' | 'previewMerge' | 'export',
    (run: PersonRun, workspace: Workspace) => Promise<PersonFindings>
  >
>;

export interface MergedPair {
  readonly from: string;
  readonly into: string;
}

export type Gain = ShownPersonJob['gains'][number];

/** A job as the contributions get it. */
export type PersonRun = Pick<PersonJobRun, 'job' | 'work' | 'orgScope' | 'config'>;

export interface PersonDataDeps {
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly accounts: PersonAccounts;
  readonly holders: readonly PersonData[];
  readonly runtime: Pick<RecordRuntime, 'removeOrStart'>;
  readonly removals: Pick<LargeRemovals, 'find'>;
  /** Writes without asking what the org may use: the work of the platform takes nothing of a plan. */
  readonly writeLoop: WriteLoop;
  /** Has work looked for now. */
  readonly wake: () => void;
}

export interface PersonJobRun {
  readonly deps: PersonDataDeps;
  readonly work: PersonWork;
  readonly orgScope: Scope;
  /** The store as jobs use it: removals of records through it are counted. */
  readonly store: Store;
  readonly config: ConfigSet;
  readonly job: JobRow;
  readonly renewLease: () => Promise<void>;
}

/** The result of a step, all of it in one commit of the org's scope. */
export interface PersonJobStep {
  readonly job: JobRow;
  readonly changes?: readonly Change[];
  /** Of a file that is written. */
  readonly lines?: readonly string[];
  /** Others are in the way: the job looks again a moment later. */
  readonly isWaiting?: true;
  /** Nothing was found: the next step need not wait for a commit of this one. */
  readonly isIdle?: true;
}

/** The findings at one place, and the changes to make about them. */
export interface PersonFindings {
  readonly counts: Partial<Counts>;
  readonly job?: Partial<JobRow>;
  readonly changes?: readonly Change[];
  readonly lines?: readonly string[];
}

export interface RecordFindings extends PersonFindings {
  /** The position at which the walk continues; undefined behind the last record of the workspace. */
  readonly next: Pick<WorkspaceCursor, 'entity' | 'after'> | undefined;
  readonly isWaiting?: boolean;
}

/** The work of a job on each thing that it finds. Each may be done again: a killed job repeats its last step. */
export interface Worker {
  readonly account: (run: PersonJobRun, account: PersonAccount) => Promise<PersonFindings> | PersonFindings;
  readonly identity: (run: PersonJobRun, identity: Row<string>) => PersonFindings;
  readonly records: (run: PersonJobRun, workspace: Workspace, page: RecordsPage) => Promise<RecordFindings>;
  /** Which function of the contributions finds the rest of a workspace. */
  readonly inWorkspace: keyof InWorkspace;
  /** Undefined job state until it is done. */
  readonly finish: (run: PersonJobRun) => Promise<PersonJobStep>;
}
