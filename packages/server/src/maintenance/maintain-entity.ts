import type { ChangeConfigDeps, ConfigSet } from '../config/port.ts';
import type { Clock } from '../lib/clock.ts';
import { countStoredRecords } from '../records/port.ts';
import type { EntityState, IndexState } from '../schema/port.ts';
import type { Put } from '../store/port.ts';
import { orgScopeName } from '../tenancy/port.ts';
import { defineJob, type JobSteps, workItem } from '../work/job.ts';
import { changeIndexes, type IndexChange } from './builds/change-indexes.ts';
import { fillText, findFill, settledFills } from './builds/fill-task.ts';
import { findTask, settledIndexes, taskText } from './builds/index-task.ts';
import { maintainRecords, type RecordsTask } from './builds/maintain-records.ts';
import { planFill } from './builds/plan-fill.ts';
import { planStep } from './builds/plan-step.ts';
import { raiseTargets } from './builds/raise-targets.ts';
import { forgetProgress, TaskProgress } from './builds/task-progress.ts';

/** The work of bringing what is stored in line with an entity's fields and indexes. Every step may be repeated. */
export interface MaintainEntity {
  readonly orgCode: string;
  readonly entityName: string;
  /** The config version that made it necessary. */
  readonly version: number;
}

const jobName = 'maintain-entity';

/** Until then requests may still read by an index that is being dropped. */
export const droppedForMilliseconds = 2000;

/** An item of the org's scope, for the commit that changes the indexes. Dropped ones the job comes back to by itself. */
export function maintainWork(work: MaintainEntity, at: number): Put {
  return workItem(`${jobName};${work.entityName};${work.version};${at}`, { job: jobName, ...work }, at);
}

export interface MaintainDeps extends ChangeConfigDeps {
  readonly clock: Clock;
  /** How many records one commit is about at most. */
  readonly recordsPerStep?: number;
}

/**
 * Fills the fields that are to be filled, builds the indexes that are to be built and erases those that are to go, a task after the other. It
 * may be ended at any step: the next run continues from the last noted step, or does steps again that were done.
 */
export const maintainEntity = defineJob({
  name: jobName,
  begin: (deps: MaintainDeps, work: MaintainEntity): JobSteps<Task> => {
    const { orgCode, entityName } = work;
    const place = { scope: deps.store.scope(orgScopeName(orgCode)), entityName };
    return {
      row: async () => {
        const set = await ageDropped(deps, work);
        await raiseTargets(deps.store, work, set);
        const task = await nextTask(set, entityName);
        if (task === undefined) await forgetProgress(place);
        return task;
      },
      step: async (task, turn) => {
        const count = () => countStoredRecords(deps.store, orgCode, [entityName]);
        const progress = await TaskProgress.open({ ...place, clock: deps.clock }, task.text, count);
        const outcome = await maintainRecords(deps, orgCode, { task, progress, ...turn });
        if (outcome === 'done') await changeIndexes(deps, work, (state) => task.settled(state, progress));
        return 'more';
      },
    };
  },
});

interface Task extends RecordsTask {
  /** The same text, the same task. */
  readonly text: string;
  /** What stands once it is done. */
  readonly settled: (state: EntityState, progress: TaskProgress) => IndexChange;
}

/** Fields are filled before indexes are built, which then hold their values. */
async function nextTask(set: ConfigSet, entityName: string): Promise<Task | undefined> {
  const fill = await findFill(set, entityName);
  if (fill !== undefined)
    return {
      ...fill,
      text: fillText(fill),
      plan: (scope, page) => planFill(scope, fill, page),
      settled: ({ fills = [] }, { unfilled }) => ({ fills: settledFills(fills, fill, unfilled) }),
    };
  const task = await findTask(set, entityName);
  if (task === undefined) return undefined;
  return {
    ...task,
    text: taskText(task),
    plan: (scope, page) => planStep(scope, task, page),
    settled: ({ indexes }, { duplicates }) => ({
      indexes: settledIndexes(indexes, task, duplicates),
      erased: task.erased,
    }),
  };
}

/** Erases dropped indexes once no list reads them any more. Returns the configuration by which to go on. */
async function ageDropped(deps: MaintainDeps, work: MaintainEntity): Promise<ConfigSet> {
  const set = await deps.configs.refresh(work.orgCode);
  const indexes = set.active(work.entityName)?.state.indexes ?? [];
  if (aged(indexes, deps.clock.now()).every((index) => indexes.includes(index))) return set;
  await changeIndexes(deps, work, ({ indexes: standing }) => {
    // Asked after the states were read: nothing here can be dropped later than now.
    const now = deps.clock.now();
    const isNoted = standing.some(isNewlyDropped);
    return { indexes: aged(standing, now), work: isNoted ? [maintainWork(work, now + droppedForMilliseconds)] : [] };
  });
  return deps.configs.refresh(work.orgCode);
}

function isNewlyDropped({ state, droppedAt }: IndexState): boolean {
  return state === 'dropping' && droppedAt === undefined;
}

function aged(indexes: readonly IndexState[], now: number): readonly IndexState[] {
  return indexes.map((index): IndexState => {
    if (isNewlyDropped(index)) return { ...index, droppedAt: now };
    const { state, droppedAt = now } = index;
    const isUnread = state === 'dropping' && droppedAt <= now - droppedForMilliseconds;
    return isUnread ? { ...index, state: 'erasing' } : index;
  });
}
