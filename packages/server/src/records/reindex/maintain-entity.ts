import { type ChangeConfigDeps, type ConfigSet, targetsOf } from '../../config/port.ts';
import type { Clock } from '../../lib/clock.ts';
import type { CompiledEntity, EntityState, IndexState } from '../../schema/port.ts';
import type { Change, Scope, Store } from '../../store/port.ts';
import { ignoreClosed, refusedChange } from '../../store/transact.ts';
import { orgScopeName, type WorkspaceOfOrg, workspacesOf } from '../../tenancy/port.ts';
import { defineJob, type JobSteps, type Turn } from '../../work/job.ts';
import {
  AggregateStep,
  type CompiledAggregate,
  crowdedAggregates,
  crowdedStates,
  endFill,
  isBefore,
  removeKept,
} from '../aggregates/kept/fill-kept.ts';
import { countStoredRecords, partitionOfRecords, type RecordsCursor, walkRecords } from '../records-of-org.ts';
import { type FenceLevel, fenceKey, raise } from '../writing/fence.ts';
import {
  changeIndexes,
  fillText,
  findFill,
  findTask,
  type IndexChange,
  settledFills,
  settledIndexes,
  taskText,
} from './build-task.ts';
import { type MaintainEntity, maintainJobName, maintainWork } from './maintain-work.ts';
import { planFill, planStep, type StepPage, type StepPlan } from './plan-step.ts';
import { forgetProgress, TaskProgress } from './task-progress.ts';

/** Until then requests may still read by an index that is being dropped. */
export const droppedForMilliseconds = 6_000;

export interface MaintainDeps extends ChangeConfigDeps {
  readonly clock: Clock;
  /** The number of records that one commit is about at most. */
  readonly recordsPerStep?: number;
}

/**
 * Fills the fields that are to be filled, builds the indexes that are to be built and erases those that are to go, a task after the other. It
 * may be ended at any step: the next run continues from the last noted step, or does steps again that were done.
 */
export const maintainEntity = defineJob({
  name: maintainJobName,
  begin: (deps: MaintainDeps, work: MaintainEntity): JobSteps<Task> => {
    const { orgCode, entityName } = work;
    const place = { scope: deps.store.scope(orgScopeName(orgCode)), entityName };
    return {
      row: async () => {
        await failCrowded(deps, work);
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
        if (typeof outcome === 'object') await markCrowded(deps, work, outcome);
        return 'more';
      },
    };
  },
});

interface Task extends RecordsTask {
  /** The same text, the same task. */
  readonly text: string;
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
    aggregates: { building: task.building.aggregates, erasing: task.erasing.aggregates },
    plan: (scope, page) => planStep(scope, task, page),
    settled: ({ indexes }, { duplicates }) => ({
      indexes: settledIndexes(indexes, task, duplicates),
      erased: task.erased,
    }),
  };
}

/** Aggregates, and a workspace in which they have too many groups. */
interface Crowded {
  readonly crowded: readonly CompiledAggregate[];
  readonly tenantCode: string;
}

/** Writers do not count groups: one new group of 16 has them counted. */
async function failCrowded(deps: MaintainDeps, work: MaintainEntity): Promise<void> {
  const entity = await (await deps.configs.refresh(work.orgCode)).entity(work.entityName);
  const ready = entity?.aggregates.filter(({ isReady }) => isReady) ?? [];
  if (ready.length === 0) return;
  for await (const { scope, tenantCode } of workspacesOf(deps.store, work.orgCode)) {
    const crowded = await crowdedAggregates(scope, ready);
    if (crowded.length > 0) await markCrowded(deps, work, { crowded, tenantCode });
  }
}

async function markCrowded(deps: MaintainDeps, work: MaintainEntity, { crowded, tenantCode }: Crowded): Promise<void> {
  await changeIndexes(deps, work, ({ indexes }) => ({ indexes: crowdedStates(indexes, crowded, tenantCode) }));
}

/** Erases dropped indexes once no list reads them any more. Returns the configuration by which to go on. */
async function ageDropped(deps: MaintainDeps, work: MaintainEntity): Promise<ConfigSet> {
  const set = await deps.configs.refresh(work.orgCode);
  const indexes = set.active(work.entityName)?.state.indexes ?? [];
  if (aged(indexes, deps.clock.now()).every((index) => indexes.includes(index))) return set;
  await changeIndexes(deps, work, ({ indexes: readyIndexes }) => {
    // Asked after the states were read: nothing here can be dropped later than now.
    const now = deps.clock.now();
    const isNoted = readyIndexes.some(isNewlyDropped);
    return {
      indexes: aged(readyIndexes, now),
      work: isNoted ? [maintainWork(work, now + droppedForMilliseconds)] : [],
    };
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
    return isUnread ? { ...index, state: index.crowdedIn === undefined ? 'erasing' : 'failed' } : index;
  });
}

interface RecordsTask {
  readonly entity: CompiledEntity;
  readonly level: FenceLevel;
  /** The aggregates that it builds, and those whose rows go. */
  readonly aggregates?: Readonly<Record<'building' | 'erasing', readonly CompiledAggregate[]>>;
  readonly plan: (scope: Scope, page: StepPage) => Promise<StepPlan>;
}

interface TaskRun extends Turn {
  readonly task: RecordsTask;
  readonly progress: TaskProgress;
}

/** `overtaken`: the configuration has moved on, so that something else may be to be done. `late`: it is the turn of other work. */
type Outcome = 'done' | 'overtaken' | 'late' | Crowded;

/**
 * Goes through the records of every workspace, behind a fence: every later write uses the task's configuration. A
 * workspace that the org gets meanwhile is never written by an older one, so it needs nothing.
 */
async function maintainRecords(
  { store, recordsPerStep = 250 }: { readonly store: Store; readonly recordsPerStep?: number },
  orgCode: string,
  run: TaskRun,
): Promise<Outcome> {
  for await (const workspace of workspacesOf(store, orgCode)) {
    const start = run.progress.startIn(workspace.tenantCode);
    if (start === 'done') continue;
    const outcome = await maintainWorkspace(run, workspace, { ...start, recordsPerStep }).catch(ignoreClosed);
    if (outcome !== undefined && outcome !== 'done') return outcome;
  }
  return 'done';
}

const bytesPerStep = 4 * 1024 * 1024;

async function maintainWorkspace(
  run: TaskRun,
  workspace: WorkspaceOfOrg,
  { after, recordsPerStep }: { readonly after: string | undefined; readonly recordsPerStep: number },
): Promise<Outcome> {
  const { task, progress, renewLease } = run;
  const { scope, tenantCode: code } = workspace;
  const { name } = task.entity;
  await progress.enter(code);
  await renewLease();
  const fence = await raise(workspace, name, task.level);
  if (fence === 'newer') return 'overtaken';
  const fenced: Change = { kind: 'check', ...fenceKey(name), if: { version: fence.itemVersion } };
  const { building = [], erasing = [] } = task.aggregates ?? {};
  const kept = { ...task.entity, aggregates: building };
  const { start } = await AggregateStep.open(scope, kept);
  const from = building.length > 0 && isBefore(start, after) ? start : after;
  const walked: Walked = {
    ...{ workspace, fenced, pk: partitionOfRecords(task.entity, workspace).pk, building, recordsPerStep, done: from },
    cursor: { after: from, limit: recordsPerStep, bytesMax: bytesPerStep },
  };
  await renewLease();
  for (;;) {
    const outcome = await maintainPages(run, walked);
    if (outcome !== 'done') return outcome;
    const ended = await endFill(scope, kept, walked);
    if (ended === 'overtaken') return ended;
    if (ended === 'done') break;
    // A record was made behind the last one.
    walked.cursor.after = walked.done;
  }
  return (await removeKept(scope, { ...task.entity, aggregates: erasing }, fenced)) ? 'done' : 'overtaken';
}

/** A workspace on whose records a task is at work. */
interface Walked {
  readonly workspace: WorkspaceOfOrg;
  readonly fenced: Change;
  /** Where the places of the records are. */
  readonly pk: string;
  /** The aggregates that are built. */
  readonly building: readonly CompiledAggregate[];
  readonly recordsPerStep: number;
  readonly cursor: RecordsCursor;
  /** The place of the last record that is done. */
  done: string | undefined;
}

async function maintainPages({ task, progress, renewLease, isLate }: TaskRun, walked: Walked): Promise<Outcome> {
  const { workspace, fenced, pk, building, recordsPerStep, cursor } = walked;
  const { scope, tenantCode } = workspace;
  for await (const records of walkRecords(task.entity, workspace, cursor)) {
    const step = await task.plan(scope, { pk, records, isFull: (index) => progress.isFull(index) });
    const isWrite = step.changes.length > 0;
    const changes = [fenced, ...step.changes];
    const refused = isWrite ? await refusedChange(scope, changes, { priority: 'background' }) : undefined;
    if (refused === 0) return 'overtaken';
    if (refused === undefined) {
      walked.done = step.end;
      await progress.advance({ code: tenantCode, after: step.end, ...step });
    }
    cursor.after = walked.done;
    // Fewer records are less likely to be written in the meantime.
    cursor.limit = refused === undefined ? Math.min(recordsPerStep, 2 * step.taken) : Math.ceil(step.taken / 2);
    const crowded = await crowdedAggregates(scope, building);
    if (crowded.length > 0) return { crowded, tenantCode };
    await renewLease();
    if (isLate()) return 'late';
  }
  return 'done';
}

/**
 * Raises the fences of the entities that records of this one refer to, in every workspace: from then on, a removal of
 * one of their records knows what refers to it, even if no reference was written since it was declared.
 */
async function raiseTargets(
  store: Store,
  { orgCode, entityName }: { readonly orgCode: string; readonly entityName: string },
  set: ConfigSet,
): Promise<void> {
  const targets = targetsOf(set, entityName);
  if (targets.length === 0) return;
  for await (const workspace of workspacesOf(store, orgCode)) {
    for (const target of targets) {
      const level = { generation: set.generation(target), configVersion: set.version };
      await raise(workspace, target, level).catch(ignoreClosed);
    }
  }
}
