/** The erasure of a person: what is done about each thing that is found, and at the end about the accounts themselves. */
import { auditEntry } from '../audit/audit-entry.ts';
import { timestamp } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { findRecord, mergeChanges, RemovalMarkConflict, recordChanges, updatedRecordKey } from '../records/port.ts';
import type { Change } from '../store/port.ts';
import { overtaken, refusedChange, tryCommit } from '../store/transact.ts';
import { type Workspace, workspaceScopeName } from '../tenancy/port.ts';
import { filesOf } from './export-person.ts';
import { erasedOwnerOf, type NamedRecord, type RecordsPage, type Replacing, withoutPerson } from './named-records.ts';
import type {
  PersonData,
  PersonDataDeps,
  PersonFindings,
  PersonJobRun,
  PersonJobStep,
  RecordFindings,
  Worker,
} from './person-data.ts';
import {
  type AwaitedRemoval,
  added,
  type Counts,
  eraseStays,
  idsOf,
  type JobRow,
  noCounts,
  type ReportedProblems,
  withProblem,
} from './person-job.ts';

export const eraseWorker: Worker = {
  account: () => ({ counts: { accounts: 1 } }),
  identity: (_run, { pk, sk }) => ({ counts: { identities: 1 }, changes: [{ kind: 'remove', pk, sk, if: 'any' }] }),
  records: eraseRecords,
  inWorkspace: 'erase',
  finish: eraseAccounts,
};

/** Looked for so often, about once a second, what is in the way of a removal is taken to stay there. */
const waitsMax = 900;

export async function eraseRecords(
  run: PersonJobRun,
  workspace: Workspace,
  page: RecordsPage,
): Promise<RecordFindings> {
  let job: JobRow = run.job;
  let last: NamedRecord | undefined;
  let counts: PersonFindings['counts'] = {};
  for (const named of page.named) {
    await run.renewLease();
    const erased = await eraseNext({ ...run, job }, workspace, named);
    if (erased.kind === 'wait' || erased.kind === 'removing') {
      const next = last === undefined ? startOf(run) : { entity: last.entity.name, after: last.place };
      return { counts, job: waiting(job, named, erased), next, isWaiting: true };
    }
    const known = withErased(job, named, { workspace, erased });
    counts = plus(counts, known.counts);
    job = { ...job, removal: undefined, waits: 0, problems: known.problems, problems_total: known.problems_total };
    last = named;
  }
  if (last === undefined) return { counts, next: page.next };
  return { counts, job: { ...reported(job), waits: 0, removal: undefined }, next: page.next };
}

/** A removal that a job of the workspace does is waited for; when that has failed, the record stays. */
async function eraseNext(run: PersonJobRun, workspace: Workspace, named: NamedRecord): Promise<Erased> {
  const { removal, waits = 0 } = run.job;
  const awaited = isAwaited(removal, named) ? removal : undefined;
  const removing = awaited && (await run.deps.removals.find(workspace, awaited.job));
  if (removing?.job.state === 'queued' || removing?.job.state === 'running')
    return { kind: 'removing', job: removing.job.id };
  const isGivenUp = awaited !== undefined || waits >= waitsMax;
  return eraseRecord(run, { workspace, ids: idsOf(run.job), into: run.job.into }, { named, isGivenUp });
}

function waiting(job: JobRow, named: NamedRecord, erased: Erased): Partial<JobRow> {
  const removal = erased.kind === 'removing' ? removalOf(named, erased.job) : job.removal;
  return { ...reported(job), removal, waits: erased.kind === 'removing' ? 0 : (job.waits ?? 0) + 1 };
}

function reported({ problems, problems_total }: JobRow): ReportedProblems {
  return { problems, problems_total };
}

function startOf({ job }: PersonJobRun): RecordFindings['next'] {
  const { entity, after } = job.cursor?.workspace ?? {};
  return { ...(entity === undefined ? {} : { entity }), ...(after === undefined ? {} : { after }) };
}

function removalOf({ entity, record }: NamedRecord, job: string) {
  return { job, entity: entity.name, id: record.data.id };
}

function plus(counts: PersonFindings['counts'], more: PersonFindings['counts']): PersonFindings['counts'] {
  const sum: Record<string, number> = { ...counts };
  for (const [name, count] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

/** The accounts go last, so that what is cut off can be done again. */
async function eraseAccounts(run: PersonJobRun): Promise<PersonJobStep> {
  const { deps, job, orgScope, work } = run;
  const ids = [...idsOf(job)];
  const left = await changesOf(deps, async (holder) => holder.left?.(run));
  left.push(...(await filesOf(orgScope, new Set(ids))));
  if (left.length > 0) return { job, changes: left };
  for (const id of ids) {
    const changes = await changesOf(deps, async (holder) => holder.leftOfAccount?.(orgScope, id));
    if (changes.length > 0) return { job, changes };
  }
  const changes = await changesOf(deps, async (holder) => holder.withAccounts?.(orgScope, ids));
  const { removed, changed, memberships } = job.counts;
  const at = timestamp(deps.clock.now());
  const detail = { job: work.id, removed, changed, memberships };
  const target = { kind: 'app_user', id: job.user_id };
  const entry = auditEntry({ at, ...job.caller }, { action: 'app_user.erased', target, env: work.env, detail });
  const done: JobRow = { ...job, state: 'done', finished_at: at, stays: eraseStays(job) };
  return { job: done, changes: [...changes, entry] };
}

async function changesOf(
  { holders }: Pick<PersonDataDeps, 'holders'>,
  ask: (holder: PersonData) => Promise<readonly Change[] | undefined>,
): Promise<Change[]> {
  const changes: Change[] = [];
  for (const holder of holders) changes.push(...((await ask(holder)) ?? []));
  return changes;
}

/** Counts all that an erasure would do, and does none of it. */
export const previewWorker: Worker = {
  account: () => ({ counts: { accounts: 1 } }),
  identity: () => ({ counts: { identities: 1 } }),
  records: async (run, _workspace, page) => countRecords(run, page),
  inWorkspace: 'previewErase',
  finish: async ({ deps, job }) => ({
    job: { ...job, state: 'done', finished_at: timestamp(deps.clock.now()), stays: eraseStays(job) },
  }),
};

function countRecords(run: PersonJobRun, { named, next }: RecordsPage): RecordFindings {
  let counts = noCounts;
  for (const one of named) counts = added(counts, { [one.relation]: 1, ...wouldBe(run, one) });
  return { counts, next };
}

function wouldBe({ job }: PersonJobRun, named: NamedRecord): PersonFindings['counts'] {
  if (isToGo(job, named)) return { removed: 1 };
  try {
    return { changed: withoutPerson(named.entity, named.record.data, { ids: idsOf(job) }) === undefined ? 0 : 1 };
  } catch (error) {
    if (error instanceof Problem) return {};
    throw error;
  }
}

/** The outcome of a record. */
type Erased =
  /** `wait`: others are in the way. */
  | { readonly kind: 'removed' | 'changed' | 'untouched' | 'wait' }
  /** A job of the workspace removes it with all that goes with it. */
  | { readonly kind: 'removing'; readonly job: string }
  /** It could not be removed; whether the person is out of it all the same. */
  | { readonly kind: 'refused'; readonly problem: Problem; readonly isChanged: boolean };

export interface Erasing extends Replacing {
  readonly workspace: Workspace;
}

/** Whether the record is to go. */
function isToGo({ kind, records }: JobRow, { relation }: NamedRecord): boolean {
  if (kind !== 'erase') return false;
  if (relation === 'owned') return records !== 'keep';
  return relation === 'created' && records === 'delete_created';
}

/** @param isGivenUp whether a removal has been waited for long enough, or its own job has failed. */
export async function eraseRecord(
  run: PersonJobRun,
  erasing: Erasing,
  { named, isGivenUp }: { readonly named: NamedRecord; readonly isGivenUp: boolean },
): Promise<Erased> {
  if (isToGo(run.job, named) && isGivenUp)
    return takeOut(run, erasing, { named, isGivenUp, problem: removalGivenUp() });
  if (!isToGo(run.job, named)) return takeOut(run, erasing, { named, isGivenUp });
  if (named.isRetired) return removeRetired(run, erasing, named);
  try {
    return await remove(run, erasing, named);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'not_found') return { kind: 'untouched' };
    if (error.code === 'conflict') return { kind: 'wait' };
    return takeOut(run, erasing, { named, isGivenUp, problem: error });
  }
}

async function remove(run: PersonJobRun, { workspace }: Erasing, { entity, record }: NamedRecord): Promise<Erased> {
  const { caller } = run.job;
  const actor = { userId: caller.actor.id, claims: {}, auditCaller: caller };
  const call = { workspace, entity, actor, config: run.config };
  const job = await run.deps.runtime.removeOrStart(call, { id: record.data.id });
  return job === undefined ? { kind: 'removed' } : { kind: 'removing', job: job.id };
}

/** Nothing else writes records of a retired entity, and nothing refers to them. */
async function removeRetired(
  run: PersonJobRun,
  { workspace }: Erasing,
  { entity, record }: NamedRecord,
): Promise<Erased> {
  const scope = run.store.scope(workspaceScopeName(workspace.orgCode, workspace.tenantCode));
  const changes = mergeChanges(await recordChanges(scope, entity, { before: record }));
  const isDone = await tryCommit(
    scope,
    changes.map(({ change }) => change),
    { priority: 'background' },
  );
  return { kind: isDone ? 'removed' : 'wait' };
}

interface Staying {
  readonly named: NamedRecord;
  readonly isGivenUp: boolean;
  /** Why a record stays that was to go. */
  readonly problem?: Problem;
}

/** Takes the person out of a record that stays. Where others are in the way, it is tried again until it is given up. */
async function takeOut(run: PersonJobRun, erasing: Erasing, { named, isGivenUp, problem }: Staying): Promise<Erased> {
  try {
    const isChanged = await changed(run, erasing, named);
    if (problem !== undefined) return { kind: 'refused', problem, isChanged };
    return { kind: isChanged ? 'changed' : 'untouched' };
  } catch (error) {
    if (error instanceof RemovalMarkConflict) return { kind: 'wait' };
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'not_found') return { kind: 'untouched' };
    if (error.code === 'conflict' && !isGivenUp) return { kind: 'wait' };
    return { kind: 'refused', problem: error, isChanged: false };
  }
}

/** If owners are unique, another record may have taken the id of erased owners. */
async function changed(run: PersonJobRun, erasing: Erasing, named: NamedRecord): Promise<boolean> {
  const change = named.isRetired ? changeRetired : changeServed;
  try {
    return await change(run, erasing, named);
  } catch (error) {
    const isTaken = error instanceof Problem && error.code === 'unique_violation' && erasing.into === undefined;
    if (!isTaken) throw error;
    return change(run, { ...erasing, owner: erasedOwnerOf(named.record.data) }, named);
  }
}

async function changeServed(run: PersonJobRun, erasing: Erasing, { entity, record }: NamedRecord): Promise<boolean> {
  const { deps, config, job } = run;
  const { workspace } = erasing;
  const actor = { userId: job.caller.actor.id, claims: {}, auditCaller: job.caller };
  const { plan } = await deps.writeLoop({ workspace, actor, config }, [entity.name], async (current) => {
    const latest = (await current.entity(entity.name)) ?? entity;
    const before = await findRecord({ workspace, entity: latest }, record.data.id);
    const data = before && withoutPerson(latest, before.data, erasing);
    if (before === undefined || data === undefined) return { changes: [], isChanged: false };
    const after = { key: updatedRecordKey(latest, before, data), data };
    return { changes: await recordChanges(workspace.scope, latest, { before, after }), isChanged: true };
  });
  return plan.isChanged;
}

async function changeRetired(run: PersonJobRun, erasing: Erasing, { entity, record }: NamedRecord): Promise<boolean> {
  const data = withoutPerson(entity, record.data, erasing);
  if (data === undefined) return false;
  const { orgCode, tenantCode } = erasing.workspace;
  const scope = run.store.scope(workspaceScopeName(orgCode, tenantCode));
  const after = { key: updatedRecordKey(entity, record, data), data };
  const changes = mergeChanges(await recordChanges(scope, entity, { before: record, after }));
  const refusedAt = await refusedChange(
    scope,
    changes.map(({ change }) => change),
    { priority: 'background' },
  );
  if (refusedAt === undefined) return true;
  const onConflict = changes[refusedAt]?.onConflict;
  throw onConflict === undefined || onConflict === 'replan' ? overtaken() : onConflict();
}

function removalGivenUp(): Problem {
  return new Problem('conflict', 'the record could not be removed together with what refers to it');
}

/** The job once something of it became known of a record. */
function withErased(
  job: JobRow,
  { entity: { name }, record, relation }: NamedRecord,
  { workspace: { tenantCode }, erased }: { readonly workspace: Workspace; readonly erased: Erased },
): ReportedProblems & { readonly counts: Partial<Counts> } {
  const { kind } = erased;
  const isChanged = kind === 'changed' || (kind === 'refused' && erased.isChanged);
  const counts = { [relation]: 1, removed: kind === 'removed' ? 1 : 0, changed: isChanged ? 1 : 0 };
  if (kind !== 'refused') return { counts, ...reported(job) };
  const { code, message } = erased.problem;
  return { counts, ...withProblem(job, { tenant_code: tenantCode, entity: name, id: record.data.id, code, message }) };
}

function isAwaited(removal: AwaitedRemoval | undefined, { entity, record }: NamedRecord): boolean {
  return removal?.entity === entity.name && removal.id === record.data.id;
}
