/**
 * The work on a job about a person: a walk through all that an org has of the person in an environment, in steps of bounded
 * length, each of which says in one commit how far the job is.
 */

import { type EntityRow, entityRows } from '../config/port.ts';
import { timestamp } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { countersOfWorkspace, loadRemoved, readRecord, walkRecords } from '../records/port.ts';
import type { CompiledEntity } from '../schema/port.ts';
import { type Change, ScopeClosed, type Store } from '../store/port.ts';
import type { Row } from '../store/table.ts';
import { attemptCommit } from '../store/transact.ts';
import { openWorkspace, orgScopeName, type Workspace, workspacesPartition, workspaceTable } from '../tenancy/port.ts';
import { defineJob, type JobSteps } from '../work/job.ts';
import { eraseWorker, previewWorker } from './erase-person.ts';
import { exportWorker, writeLines } from './export-person.ts';
import { mergePreviewWorker, mergeWorker } from './merge-person.ts';
import { type AccountIds, mayName, type NamedRecord, type RecordsPage, relationOf } from './named-records.ts';
import type { PersonDataDeps, PersonFindings, PersonJobRun, PersonJobStep, Worker } from './person-data.ts';
import {
  added,
  idsOf,
  isOver,
  type JobCursor,
  type JobRow,
  keptMilliseconds,
  livePersonJobs,
  type PersonWork,
  personJob,
  personJobs,
  type WorkspaceCursor,
} from './person-job.ts';

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

async function nextStep(run: PersonJobRun): Promise<PersonJobStep> {
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
export function afterFailure({ deps, job }: Pick<PersonJobRun, 'deps' | 'job'>, error: unknown): PersonJobStep {
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

interface Committing extends Pick<PersonJobRun, 'work' | 'orgScope'> {
  readonly row: Row<JobRow>;
  readonly step: PersonJobStep;
}

/** If another process has taken the step, nothing is written, and the next step begins with what that one has left. */
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

const rowsPerStep = 1000;
const workspacesShownMax = 200;

/** The next step of the job from its position. */
function takeStep(run: PersonJobRun, worker: Worker): Promise<PersonJobStep> {
  const cursor: JobCursor = run.job.cursor ?? { phase: 'accounts' };
  switch (cursor.phase) {
    case 'accounts':
      return accountsStep(run, worker, cursor);
    case 'identities':
      return identitiesStep(run, worker, cursor);
    case 'workspaces':
      return workspacesStep(run, worker, cursor);
    case 'finish':
      return worker.finish(run);
  }
}

/**
 * Finds the accounts that were merged into those that are known. An account that was merged into another which comes later
 * in the order of ids is found by another pass.
 */
async function accountsStep(run: PersonJobRun, worker: Worker, cursor: JobCursor): Promise<PersonJobStep> {
  const { deps, job, orgScope } = run;
  const isFirst = job.accounts === undefined;
  const own = isFirst ? await deps.accounts.read(orgScope, job.user_id) : undefined;
  const known = new Set(job.accounts ?? [job.user_id]);
  const after = cursor.after === undefined ? {} : { after: cursor.after };
  const rows = await deps.accounts.page(orgScope, { ...after, limit: rowsPerStep });
  const merged = rows.map(({ value }) => value).filter((user) => isMergedInto(user, known) && !known.has(user.id));
  const users = own === undefined ? merged : [own.value, ...merged];
  const accounts = [...known, ...merged.map(({ id }) => id)];
  const { mergedMax } = deps.accounts;
  if (accounts.length > mergedMax)
    throw new Problem('conflict', `more than ${mergedMax} accounts were merged into this one`);
  const emails = [...new Set([...(job.emails ?? []), ...users.map(({ email }) => email)])];
  const found: PersonFindings[] = [];
  for (const user of users) found.push(await worker.account(run, user));
  const isAgain = cursor.isAgain === true || merged.length > 0;
  const last = rows.length < rowsPerStep ? undefined : rows.at(-1)?.sk;
  const next: JobCursor =
    last !== undefined
      ? { phase: 'accounts', after: last, ...(isAgain ? { isAgain } : {}) }
      : { phase: isAgain ? 'accounts' : 'identities' };
  return stepOf(run, found, { state: 'running', accounts, emails, cursor: next });
}

function isMergedInto({ merged_into }: { readonly merged_into?: string }, known: ReadonlySet<string>): boolean {
  return merged_into !== undefined && known.has(merged_into);
}

async function identitiesStep(run: PersonJobRun, worker: Worker, cursor: JobCursor): Promise<PersonJobStep> {
  const ids = idsOf(run.job);
  const after = cursor.after === undefined ? {} : { after: cursor.after };
  const rows = await run.deps.accounts.identities(run.orgScope, { ...after, limit: rowsPerStep });
  const own = rows.filter(({ value }) => ids.has(value));
  const found = own.map((row) => worker.identity(run, row));
  const last = rows.length < rowsPerStep ? undefined : rows.at(-1)?.sk;
  const next: JobCursor = last === undefined ? { phase: 'workspaces' } : { phase: 'identities', after: last };
  return stepOf(run, found, { cursor: next });
}

async function workspacesStep(run: PersonJobRun, worker: Worker, cursor: JobCursor): Promise<PersonJobStep> {
  if (cursor.workspace === undefined) return enterNext(run, cursor);
  const workspace = workspaceAt(run, cursor.workspace);
  const at = { code: cursor.workspace.code, id: cursor.workspace.id };
  if (cursor.workspace.isWalked !== true) {
    const page = await nextRecords(run, workspace, { cursor: cursor.workspace, ids: idsOf(run.job) });
    const found = await worker.records(run, workspace, page);
    const inside = found.next === undefined ? { ...at, isWalked: true as const } : { ...at, ...found.next };
    const step = stepOf(run, [found], { cursor: { phase: 'workspaces', workspace: inside } }, workspace);
    return found.isWaiting === true ? { ...step, isWaiting: true } : step;
  }
  const found: PersonFindings[] = [];
  for (const { inWorkspace } of run.deps.holders)
    if (inWorkspace !== undefined) found.push(await inWorkspace[worker.inWorkspace](run, workspace));
  return stepOf(run, found, { cursor: { phase: 'workspaces', after: at.code } }, workspace);
}

async function enterNext({ job, orgScope }: PersonJobRun, { after }: JobCursor): Promise<PersonJobStep> {
  const behind = after === undefined ? {} : { after };
  const [row] = await workspaceTable.range(orgScope, workspacesPartition, { ...behind, limit: 1 });
  if (row === undefined) return { job: { ...job, cursor: { phase: 'finish' } }, isIdle: true };
  const { code, id, state } = row.value;
  const next: JobCursor =
    state === 'removed' ? { phase: 'workspaces', after: row.sk } : { phase: 'workspaces', workspace: { code, id } };
  return { job: { ...job, cursor: next }, isIdle: true };
}

function stepOf(
  { job }: PersonJobRun,
  found: readonly PersonFindings[],
  next: Partial<JobRow>,
  workspace?: Workspace,
): PersonJobStep {
  let counts = job.counts;
  for (const one of found) counts = added(counts, one.counts);
  const isIdle = found.every(isNothing);
  const workspaces = workspace === undefined ? job.workspaces : withWorkspace(job.workspaces, workspace, found);
  const changed: JobRow = Object.assign({ ...job, counts, workspaces }, ...found.map((one) => one.job ?? {}), next);
  return {
    job: changed,
    changes: found.flatMap((one) => one.changes ?? []),
    lines: found.flatMap((one) => one.lines ?? []),
    ...(isIdle ? { isIdle } : {}),
  };
}

function isNothing({ counts, job, changes = [], lines = [] }: PersonFindings): boolean {
  const isCounted = Object.values(counts).some((count) => count > 0);
  return !isCounted && job === undefined && changes.length === 0 && lines.length === 0;
}

function withWorkspace(
  shown: JobRow['workspaces'],
  { tenantCode: tenant_code }: Workspace,
  found: readonly PersonFindings[],
): JobRow['workspaces'] {
  const member = found.some(({ counts }) => (counts.memberships ?? 0) > 0);
  const records = found.reduce((sum, { counts }) => sum + recordsIn(counts), 0);
  const known = shown.find((one) => one.tenant_code === tenant_code);
  if (!member && records === 0) return shown;
  const entry = { tenant_code, member: member || known?.member === true, records: records + (known?.records ?? 0) };
  if (known !== undefined) return shown.map((one) => (one === known ? entry : one));
  return shown.length < workspacesShownMax ? [...shown, entry] : shown;
}

function recordsIn({ owned = 0, created = 0, linked = 0, named = 0 }: PersonFindings['counts']): number {
  return owned + created + linked + named;
}

const recordsPerRead = 500;
const bytesPerRead = 1024 * 1024;
/** So many records that do not name the person are looked at before the place is noted. */
const readsPerPage = 40;
const namedPerPage = 100;

/** The records behind the cursor that name the person. A page with none says how far it has looked. */
async function nextRecords(
  run: PersonJobRun,
  workspace: Workspace,
  { cursor, ids }: { readonly cursor: WorkspaceCursor; readonly ids: AccountIds },
): Promise<RecordsPage> {
  const names = Object.keys((await countersOfWorkspace(workspace.scope)).byEntity).sort();
  let { entity: name, after } = cursor;
  name ??= names[0];
  for (let reads = 0; name !== undefined && reads < readsPerPage; reads++) {
    await run.renewLease();
    const found = await findEntity(run, name);
    const page = found === undefined ? [] : await firstPage(found.entity, workspace, after);
    const last = page.at(-1);
    if (found === undefined || last === undefined) {
      const done: string = name;
      name = names.find((other) => other > done);
      after = undefined;
      continue;
    }
    const named = page
      .filter(({ item }) => mayName(item.value, ids))
      .slice(0, namedPerPage)
      .map(({ place, item }): NamedRecord => {
        const record = readRecord(found.entity, item);
        return { ...found, record, relation: relationOf(found.entity, record.data, ids), place };
      });
    const isCut = named.length === namedPerPage;
    after = isCut ? named.at(-1)?.place : last.place;
    if (named.length > 0) return { named, next: { entity: name, ...(after === undefined ? {} : { after }) } };
  }
  const next = name === undefined ? undefined : { entity: name, ...(after === undefined ? {} : { after }) };
  return { named: [], next };
}

async function firstPage(entity: CompiledEntity, workspace: Workspace, after: string | undefined) {
  const cursor = { after, limit: recordsPerRead, bytesMax: bytesPerRead };
  for await (const page of walkRecords(entity, workspace, cursor)) return page;
  return [];
}

/** Undefined where the entity is gone, or its records are being removed as a whole. */
async function findEntity(
  { config, orgScope }: PersonJobRun,
  name: string,
): Promise<Pick<NamedRecord, 'entity' | 'isRetired'> | undefined> {
  const entity = await config.entity(name);
  if (entity !== undefined) return { entity, isRetired: false };
  const row: EntityRow | undefined = (await entityRows.read(orgScope, name))?.value;
  if (row?.state !== 'retired') return undefined;
  const retired = await loadRemoved(orgScope, name, row);
  return retired === undefined ? undefined : { entity: retired, isRetired: true };
}

/** The workspace that a cursor is in, as the org has it. */
function workspaceAt({ deps, work: { env, orgCode } }: PersonJobRun, { code, id }: WorkspaceCursor): Workspace {
  return openWorkspace(deps, { env, orgCode }, { id, code });
}
