import { fenceKey, raise } from '../../config/port.ts';
import { directPartition } from '../../records/port.ts';
import { type Change, type Scope, ScopeClosed, type Store } from '../../store/port.ts';
import { refusedChange } from '../../store/transact.ts';
import { orgScopeName, workspaceRows, workspaceScopeName } from '../../tenancy/port.ts';
import { nextRecords } from '../walk-records.ts';
import type { IndexTask } from './index-task.ts';
import { planStep } from './plan-step.ts';
import type { TaskProgress } from './task-progress.ts';

export interface TaskRun {
  readonly task: IndexTask;
  readonly progress: TaskProgress;
  /** Called between steps: throws where another process has taken over. */
  readonly renewLease: () => Promise<void>;
}

/** `overtaken`: the configuration has moved on, so that something else may be to be done. */
export type Outcome = 'done' | 'overtaken';

/**
 * Goes through the records of every workspace, behind a fence: every later write uses the task's configuration. A
 * workspace that the org gets meanwhile is never written by an older one, so it needs nothing.
 */
export async function maintainRecords(
  { store, recordsPerStep = 250 }: { readonly store: Store; readonly recordsPerStep?: number },
  orgCode: string,
  run: TaskRun,
): Promise<Outcome> {
  for await (const { code } of workspaceRows(store.scope(orgScopeName(orgCode)))) {
    const start = run.progress.startIn(code);
    if (start === 'done') continue;
    const scope = store.scope(workspaceScopeName(orgCode, code));
    const partition = directPartition(run.task.entity, { orgCode, tenantCode: code });
    const place = { scope, code, partition, after: start.after, recordsPerStep };
    const outcome = await maintainWorkspace(run, place).catch(skipClosed);
    if (outcome === 'overtaken') return outcome;
  }
  return 'done';
}

interface WorkspaceProgress {
  readonly scope: Scope;
  readonly code: string;
  /** Where the records lie, if they are found by their keys. */
  readonly partition: string;
  readonly after: string | undefined;
  readonly recordsPerStep: number;
}

const bytesPerStep = 4 * 1024 * 1024;

async function maintainWorkspace({ task, progress, renewLease }: TaskRun, place: WorkspaceProgress): Promise<Outcome> {
  const { scope, code, partition, recordsPerStep } = place;
  const { name } = task.entity;
  await progress.enter(code);
  await renewLease();
  const fence = await raise({ scope }, name, task.level);
  if (fence === 'newer') return 'overtaken';
  const fenced: Change = { kind: 'check', ...fenceKey(name), if: { version: fence.itemVersion } };
  let { after } = place;
  let limit = recordsPerStep;
  for (;;) {
    await renewLease();
    const records = await nextRecords(scope, task.entity, { partition, after, limit, bytesMax: bytesPerStep });
    if (records.length === 0) return 'done';
    const step = await planStep(scope, task, { records, isFull: (index) => progress.isFull(index) });
    const refused = await refusedChange(scope, [fenced, ...step.changes], { priority: 'background' });
    if (refused === 0) return 'overtaken';
    // Fewer records are less likely to be written in the meantime.
    limit = refused === undefined ? Math.min(recordsPerStep, 2 * step.taken) : Math.ceil(step.taken / 2);
    if (refused !== undefined) continue;
    after = step.end;
    await progress.advance({ code, after, records: step.taken, duplicates: step.duplicates });
  }
}

/** A workspace that takes no writes any more is removed as a whole, with what its indexes lack. */
function skipClosed(error: unknown): Outcome {
  if (error instanceof ScopeClosed) return 'done';
  throw error;
}
