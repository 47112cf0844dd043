import { type FenceLevel, fenceKey, raise } from '../../config/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Change, Scope, Store } from '../../store/port.ts';
import { ignoreClosed, refusedChange } from '../../store/transact.ts';
import { type WorkspaceOfOrg, workspacesOf } from '../../tenancy/port.ts';
import type { Turn } from '../../work/job.ts';
import { walkRecords } from '../walk-records.ts';
import type { StepPage, StepPlan } from './plan-step.ts';
import type { TaskProgress } from './task-progress.ts';

/** What is done to all records of an entity. */
export interface RecordsTask {
  readonly entity: CompiledEntity;
  readonly level: FenceLevel;
  readonly plan: (scope: Scope, page: StepPage) => Promise<StepPlan>;
}

export interface TaskRun extends Turn {
  readonly task: RecordsTask;
  readonly progress: TaskProgress;
}

/** `overtaken`: the configuration has moved on, so that something else may be to be done. `late`: it is the turn of other work. */
export type Outcome = 'done' | 'overtaken' | 'late';

/**
 * Goes through the records of every workspace, behind a fence: every later write uses the task's configuration. A
 * workspace that the org gets meanwhile is never written by an older one, so it needs nothing.
 */
export async function maintainRecords(
  { store, recordsPerStep = 250 }: { readonly store: Store; readonly recordsPerStep?: number },
  orgCode: string,
  run: TaskRun,
): Promise<Outcome> {
  for await (const workspace of workspacesOf(store, orgCode)) {
    const start = run.progress.startIn(workspace.tenantCode);
    if (start === 'done') continue;
    const outcome = await maintainWorkspace(run, workspace, { ...start, recordsPerStep }).catch(ignoreClosed);
    if (outcome === 'overtaken' || outcome === 'late') return outcome;
  }
  return 'done';
}

const bytesPerStep = 4 * 1024 * 1024;

async function maintainWorkspace(
  { task, progress, renewLease, isLate }: TaskRun,
  workspace: WorkspaceOfOrg,
  { after, recordsPerStep }: { readonly after: string | undefined; readonly recordsPerStep: number },
): Promise<Outcome> {
  const { scope, tenantCode: code } = workspace;
  const { name } = task.entity;
  await progress.enter(code);
  await renewLease();
  const fence = await raise(workspace, name, task.level);
  if (fence === 'newer') return 'overtaken';
  const fenced: Change = { kind: 'check', ...fenceKey(name), if: { version: fence.itemVersion } };
  const cursor = { after, limit: recordsPerStep, bytesMax: bytesPerStep };
  let done = after;
  await renewLease();
  for await (const records of walkRecords(task.entity, workspace, cursor)) {
    const step = await task.plan(scope, { records, isFull: (index) => progress.isFull(index) });
    const isWrite = step.changes.length > 0;
    const changes = [fenced, ...step.changes];
    const refused = isWrite ? await refusedChange(scope, changes, { priority: 'background' }) : undefined;
    if (refused === 0) return 'overtaken';
    if (refused === undefined) {
      done = step.end;
      await progress.advance({ code, after: done, ...step });
    }
    cursor.after = done;
    // Fewer records are less likely to be written in the meantime.
    cursor.limit = refused === undefined ? Math.min(recordsPerStep, 2 * step.taken) : Math.ceil(step.taken / 2);
    await renewLease();
    if (isLate()) return 'late';
  }
  return 'done';
}
