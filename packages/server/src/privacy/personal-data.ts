/** An org admin's actions on all data of one person: to erase it, merge two accounts, or collect it into a file. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AuditContext, auditEntry } from '../audit/audit-entry.ts';
import { emailKey } from '../lib/formats/email-key.ts';
import { invalidBody, notFound, Problem } from '../lib/problem.ts';
import { type Cursors, mayBeId } from '../records/port.ts';
import type { Change, Scope } from '../store/port.ts';
import type { Row } from '../store/table.ts';
import { type CommitPlan, transact } from '../store/transact.ts';
import { type Environment, orgScopeName } from '../tenancy/port.ts';
import { withParts } from '../work/job.ts';
import { readFile } from './export-person.ts';
import { gainsOf } from './merge-person.ts';
import type { PersonAccount, PersonDataDeps } from './person-data.ts';
import {
  isOver,
  type JobRow,
  jobPartition,
  keptMilliseconds,
  livePartition,
  livePersonJobs,
  noCounts,
  personJobs,
  personWork,
  type RecordChoice,
  type ShownPersonJob,
  shownJob,
} from './person-job.ts';
import { personDataJob } from './run-person-job.ts';

export interface PersonalDataDeps extends PersonDataDeps {
  readonly cursors: Cursors;
}

/** Its callers are org admins. Another org's accounts and jobs are not there. */
export function createPersonalData(deps: PersonalDataDeps) {
  return {
    /** @throws Problem `not_found`, `validation_failed`, `conflict`, `last_admin`. */
    erase: (command: PersonCommand, choice: EraseChoice) => startErase(deps, command, choice),
    /** Makes the account part of another one. @throws Problem `not_found`, `validation_failed`, `conflict`. */
    merge: (command: PersonCommand, choice: MergeChoice) => startMerge(deps, command, choice),
    /** @throws Problem `not_found`, `conflict`. */
    export: (command: PersonCommand) =>
      startPersonJob(deps, command, { kind: 'export', dry_run: false }, async () => nothingAtOnce),
    /** @throws Problem `invalid_cursor`. */
    list: (orgCode: string, query: JobsQuery) => listJobs(deps, orgCode, query),
    /** @throws Problem `not_found`. */
    show: async (orgCode: string, env: Environment, id: string) => {
      const row = await requireJob(deps.stores[env].scope(orgScopeName(orgCode)), id);
      return shownJob(id, env, row.value, deps.clock.now());
    },
    /** The text of the file; a download has an entry in the audit log. @throws Problem `not_found`, `conflict`. */
    file: (command: PersonCommand, isDownload: boolean) => openFile(deps, command, isDownload),
    job: withParts(personDataJob, deps),
  };
}

interface PersonCommand {
  readonly env: Environment;
  readonly orgCode: string;
  /** Of the account. */
  readonly id: string;
  readonly auditContext: AuditContext;
}

/** So many jobs of an org in an environment may be under way. */
const liveMax = 20;
/** And so many are remembered: each is kept for 30 days. */
const jobsMax = 2000;

interface Account {
  readonly orgScope: Scope;
  readonly row: Row<PersonAccount>;
}

type JobKind = Pick<JobRow, 'kind' | 'dry_run' | 'records' | 'into'>;

/** The changes that the commit starting a job makes already. */
interface AtOnce {
  readonly changes: readonly Change[];
  readonly job?: Partial<JobRow>;
}

const nothingAtOnce: AtOnce = { changes: [] };

/** Has a job begin, in one commit with what that changes at once. */
async function startPersonJob(
  deps: PersonalDataDeps,
  { env, orgCode, id, auditContext }: PersonCommand,
  kind: JobKind,
  atOnce: (account: Account) => Promise<AtOnce>,
): Promise<ShownPersonJob> {
  const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
  if (!mayBeId(id)) throw notFound();
  const newJobId = deps.newId();
  const { actor, request_id } = auditContext;
  const empty: JobRow = {
    ...kind,
    user_id: id,
    state: 'queued',
    created_at: auditContext.at,
    caller: { actor, request_id },
    counts: noCounts,
    workspaces: [],
    problems: [],
    problems_total: 0,
    stays: [],
  };
  const { planned } = await transact(orgScope, async (): Promise<StartPlan> => {
    const row = await deps.accounts.read(orgScope, id);
    if (row === undefined) throw notFound();
    const unfinishedJob = await liveJob(orgScope, id);
    if (unfinishedJob !== undefined && isSame(unfinishedJob.job, kind)) return { ...unfinishedJob, changes: [] };
    if (unfinishedJob !== undefined)
      throw new Problem('conflict', `job \`${unfinishedJob.jobId}\` about this account is under way`);
    const { merged_into } = row.value;
    if (merged_into !== undefined) throw new Problem('conflict', `the account was merged into \`${merged_into}\``);
    if (kind.into !== undefined && (await liveJob(orgScope, kind.into)) !== undefined)
      throw new Problem('conflict', `a job about account \`${kind.into}\` is under way`);
    await requireRoom(orgScope);
    const { changes, job: known } = await atOnce({ orgScope, row });
    const job = { ...empty, ...known };
    const action = `app_user.${kind.kind}_${kind.dry_run ? 'previewed' : 'begun'}`;
    const due = { at: Date.parse(job.created_at) + keptMilliseconds, queue: 'expire' } as const;
    const detail = { job: newJobId, ...optional('records', kind.records), ...optional('into', kind.into) };
    return {
      ...{ job, jobId: newJobId },
      changes: [
        ...changes,
        personJobs.insert(newJobId, job, due),
        ...[id, kind.into].flatMap((userId) =>
          userId === undefined ? [] : [livePersonJobs.insert(userId, { id: newJobId }, due)],
        ),
        personWork({ id: newJobId, env, orgCode }, deps.clock.now()),
        auditEntry(auditContext, { action, target: { kind: 'app_user', id }, env, detail }),
      ],
    };
  });
  deps.wake();
  return shownJob(planned.jobId, env, planned.job, deps.clock.now());
}

function optional(name: string, value: string | undefined): Readonly<Record<string, string>> {
  return value === undefined ? {} : { [name]: value };
}

interface StartPlan extends CommitPlan {
  readonly jobId: string;
  readonly job: JobRow;
}

async function liveJob(orgScope: Scope, userId: string): Promise<Omit<StartPlan, 'changes'> | undefined> {
  const live = await livePersonJobs.read(orgScope, userId);
  const row = live && (await personJobs.read(orgScope, live.value.id));
  return row && { jobId: row.sk, job: row.value };
}

function isSame(job: JobRow, { kind, dry_run, records, into }: JobKind): boolean {
  return job.kind === kind && job.dry_run === dry_run && job.records === records && job.into === into;
}

/** @throws Problem `conflict`. */
async function requireRoom(orgScope: Scope): Promise<void> {
  if ((await orgScope.count(livePartition, {}, liveMax)) >= liveMax)
    throw new Problem('conflict', `${liveMax} jobs about accounts are under way: try again when one is over`);
  if ((await orgScope.count(jobPartition, {}, jobsMax)) >= jobsMax)
    throw new Problem('conflict', `the org has had ${jobsMax} jobs about accounts in 30 days`);
}

interface EraseChoice {
  readonly dryRun: boolean;
  readonly records: RecordChoice;
  /** The email address of the account, typed once more. */
  readonly confirm: string | undefined;
}

async function startErase(
  deps: PersonalDataDeps,
  command: PersonCommand,
  choice: EraseChoice,
): Promise<ShownPersonJob> {
  const { env, orgCode, id } = command;
  const { dryRun: dry_run, records } = choice;
  const kind = { kind: 'erase', dry_run, records } as const;
  const job = await startPersonJob(deps, command, kind, async ({ orgScope, row }) => {
    if (dry_run) return nothingAtOnce;
    requireConfirmation(choice, row.value);
    const place = { env, orgCode };
    for (const holder of deps.holders) await holder.mayErase?.(place, id, command.auditContext);
    const { changes, identities } = await deps.accounts.closing(orgScope, row, command.auditContext.at);
    return { changes, job: { counts: { ...noCounts, identities } } };
  });
  if (!dry_run) deps.accounts.tokensEnded({ env, orgCode }, id);
  return job;
}

/** @throws Problem `validation_failed`. */
function requireConfirmation({ confirm }: EraseChoice, { email }: PersonAccount): void {
  if (confirm !== undefined && emailKey(confirm) === emailKey(email)) return;
  const message = '`confirm` must be the email address of the account';
  throw invalidBody([{ pointer: '/confirm', code: confirm === undefined ? 'required' : 'mismatch', message }]);
}

interface MergeChoice {
  readonly dryRun: boolean;
  /** The account that stays. */
  readonly into: string;
  /** The digest of the preview that was shown. */
  readonly seen: string | undefined;
}

async function startMerge(
  deps: PersonalDataDeps,
  command: PersonCommand,
  { dryRun: dry_run, into, seen }: MergeChoice,
): Promise<ShownPersonJob> {
  const { env, orgCode, id: from } = command;
  if (from === into) throw new Problem('conflict', 'an account cannot be merged into itself');
  if (!mayBeId(into)) throw unknownAccount();
  await settleBoth(deps, command, into);
  const job = await startPersonJob(deps, command, { kind: 'merge', dry_run, into }, async ({ orgScope, row }) => {
    const other = await deps.accounts.read(orgScope, into);
    if (other === undefined) throw unknownAccount();
    for (const { value } of [row, other]) deps.accounts.requireFree(value);
    if (dry_run) return nothingAtOnce;
    const state = await gainsOf(deps, { env, orgCode }, { from, into });
    if (seen !== state.seen) throw notSeen(seen);
    const { gains } = state;
    const changes = await deps.accounts.merging(orgScope, { row, other }, command.auditContext.at);
    return { changes, job: { gains, counts: { ...noCounts, memberships: gains.length } } };
  });
  if (!dry_run) for (const id of [from, into]) deps.accounts.tokensEnded({ env, orgCode }, id);
  return job;
}

/** The rest of an earlier merge comes first. */
async function settleBoth(
  deps: PersonalDataDeps,
  { env, orgCode, id, auditContext }: PersonCommand,
  into: string,
): Promise<void> {
  if (!mayBeId(id)) throw notFound();
  const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
  const place = { env, orgCode, requestId: auditContext.request_id };
  for (const one of [id, into]) {
    const row = await deps.accounts.read(orgScope, one);
    if (row !== undefined) await deps.accounts.settle(place, row.value, auditContext);
  }
}

function unknownAccount(): Problem {
  return invalidBody([
    { pointer: '/into', code: 'unknown_reference', message: '`into` must be the id of another account' },
  ]);
}

function notSeen(seen: string | undefined): Problem {
  if (seen !== undefined)
    return new Problem('conflict', 'what the account would gain has changed since the preview: look at it again');
  const message = '`seen` must be that of a preview of the merge';
  return invalidBody([{ pointer: '/seen', code: 'required', message }]);
}

/** @throws Problem `not_found`. */
async function requireJob(orgScope: Scope, id: string): Promise<Row<JobRow>> {
  const row = mayBeId(id) ? await personJobs.read(orgScope, id) : undefined;
  if (row === undefined) throw notFound();
  return row;
}

async function openFile(
  { stores, clock }: PersonalDataDeps,
  { env, orgCode, id, auditContext }: PersonCommand,
  isDownload: boolean,
): Promise<AsyncIterable<string>> {
  const orgScope = stores[env].scope(orgScopeName(orgCode));
  const { value: job } = await requireJob(orgScope, id);
  if (job.kind !== 'export') throw notFound();
  if (!isOver(job)) throw new Problem('conflict', 'the export is not done yet');
  if (shownJob(id, env, job, clock.now()).file === null) throw notFound();
  const target = { kind: 'app_user', id: job.user_id };
  const entry = auditEntry(auditContext, { action: 'app_user.export_read', target, env, detail: { job: id } });
  if (isDownload) await orgScope.commit([entry]);
  return readFile(orgScope, id);
}

interface JobsQuery {
  readonly env: Environment;
  readonly userId: string | undefined;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

const jobsPerRead = 50;
/** Of the jobs of an org, so many are looked at for the jobs of one account. Then the page is short, with a cursor. */
const looksMax = 500;

/** @throws Problem `invalid_cursor`. */
export async function listJobs(
  { stores, cursors, clock }: Pick<PersonalDataDeps, 'stores' | 'cursors' | 'clock'>,
  orgCode: string,
  { env, userId, pageSize, nexttoken }: JobsQuery,
) {
  const binding = ['person-jobs', orgCode, env, userId ?? ''];
  const orgScope = stores[env].scope(orgScopeName(orgCode));
  const limit = userId === undefined ? pageSize + 1 : jobsPerRead;
  const items: ShownPersonJob[] = [];
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
