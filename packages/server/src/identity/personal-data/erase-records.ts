/** Takes a person out of the records of a workspace, or these records out of it. */

import { Problem } from '../../lib/problem.ts';
import { findRecord, MarkedRecord, mergeChanges, recordChanges, updatedRecordKey } from '../../records/port.ts';
import { overtaken, refusedChange, tryCommit } from '../../store/transact.ts';
import { type Workspace, workspaceScopeName } from '../../tenancy/port.ts';
import type { NamedRecord } from './named-records.ts';
import { erasedOwnerOf, type Replacing, withoutPerson } from './named-records.ts';
import type { AwaitedRemoval, Counts, JobRow, RecordProblem } from './person-job.ts';
import type { Run } from './run.ts';

/** What became of a record. */
export type Erased =
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
export function isToGo({ kind, records }: JobRow, { relation }: NamedRecord): boolean {
  if (kind !== 'erase') return false;
  if (relation === 'owned') return records !== 'keep';
  return relation === 'created' && records === 'delete_created';
}

/** @param isGivenUp whether a removal has been waited for long enough, or its own job has failed. */
export async function eraseRecord(
  run: Run,
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

async function remove(run: Run, { workspace }: Erasing, { entity, record }: NamedRecord): Promise<Erased> {
  const { caller } = run.job;
  const actor = { userId: caller.actor.id, claims: {}, auditCaller: caller };
  const call = { workspace, entity, actor, config: run.config };
  const job = await run.deps.runtime.removeOrBegin(call, { id: record.data.id });
  return job === undefined ? { kind: 'removed' } : { kind: 'removing', job: job.id };
}

/** Nothing else writes records of a retired entity, and nothing refers to them. */
async function removeRetired(run: Run, { workspace }: Erasing, { entity, record }: NamedRecord): Promise<Erased> {
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
async function takeOut(run: Run, erasing: Erasing, { named, isGivenUp, problem }: Staying): Promise<Erased> {
  try {
    const isChanged = await changed(run, erasing, named);
    if (problem !== undefined) return { kind: 'refused', problem, isChanged };
    return { kind: isChanged ? 'changed' : 'untouched' };
  } catch (error) {
    if (error instanceof MarkedRecord) return { kind: 'wait' };
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'not_found') return { kind: 'untouched' };
    if (error.code === 'conflict' && !isGivenUp) return { kind: 'wait' };
    return { kind: 'refused', problem: error, isChanged: false };
  }
}

/** Where owners are unique, what erased owners are called may be taken by a record of another one. */
async function changed(run: Run, erasing: Erasing, named: NamedRecord): Promise<boolean> {
  const change = named.isRetired ? changeRetired : changeServed;
  try {
    return await change(run, erasing, named);
  } catch (error) {
    const isTaken = error instanceof Problem && error.code === 'unique_violation' && erasing.into === undefined;
    if (!isTaken) throw error;
    return change(run, { ...erasing, owner: erasedOwnerOf(named.record.data) }, named);
  }
}

async function changeServed(run: Run, erasing: Erasing, { entity, record }: NamedRecord): Promise<boolean> {
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

async function changeRetired(run: Run, erasing: Erasing, { entity, record }: NamedRecord): Promise<boolean> {
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

export const problemsMax = 100;

/** The job once something of it became known of a record. */
export function withErased(
  job: JobRow,
  { entity: { name }, record, relation }: NamedRecord,
  { workspace: { tenantCode }, erased }: { readonly workspace: Workspace; readonly erased: Erased },
): { readonly counts: Partial<Counts>; readonly problems: readonly RecordProblem[]; readonly problems_total: number } {
  const { kind } = erased;
  const isChanged = kind === 'changed' || (kind === 'refused' && erased.isChanged);
  const counts = { [relation]: 1, removed: kind === 'removed' ? 1 : 0, changed: isChanged ? 1 : 0 };
  if (kind !== 'refused') return { counts, problems: job.problems, problems_total: job.problems_total };
  const { code, message } = erased.problem;
  const problem = { tenant_code: tenantCode, entity: name, id: record.data.id, code, message };
  return {
    counts,
    problems: job.problems.length < problemsMax ? [...job.problems, problem] : job.problems,
    problems_total: job.problems_total + 1,
  };
}

export function isAwaited(removal: AwaitedRemoval | undefined, { entity, record }: NamedRecord): boolean {
  return removal?.entity === entity.name && removal.id === record.data.id;
}
