import type { ChangeConfigParts, ConfigSet } from '../config/port.ts';
import type { Clock } from '../lib/clock.ts';
import { countStoredRecords } from '../records/port.ts';
import type { IndexState } from '../schema/port.ts';
import type { Put } from '../store/port.ts';
import { workItem } from '../store/table.ts';
import { orgScopeName } from '../tenancy/port.ts';
import { changeIndexes } from './builds/change-indexes.ts';
import { findTask, settledIndexes, taskText } from './builds/index-task.ts';
import { maintainRecords } from './builds/maintain-records.ts';
import { raiseTargets } from './builds/raise-targets.ts';
import { forgetProgress, TaskProgress } from './builds/task-progress.ts';

/** The work of bringing what is stored in line with an entity's indexes. Every step may be repeated. */
export interface MaintainEntity {
  readonly orgCode: string;
  readonly entityName: string;
  /** The config version that made it necessary. */
  readonly version: number;
}

export const maintainEntityJob = 'maintain-entity';

/** Until then requests may still read by an index that is being dropped. */
export const droppedForMilliseconds = 2000;

/** An item of the org's scope, for the commit that changes the indexes. Dropped ones the job comes back to by itself. */
export function maintainWork(work: MaintainEntity, at: number): Put {
  const name = `${maintainEntityJob};${work.entityName};${work.version};${at}`;
  return workItem(name, { job: maintainEntityJob, ...work }, at);
}

/** The work as `maintainWork` wrote it. */
export function readMaintainWork(work: unknown): MaintainEntity {
  return work as MaintainEntity;
}

export interface MaintainParts extends ChangeConfigParts {
  readonly clock: Clock;
  /** How many records one commit is about at most. */
  readonly recordsPerStep?: number;
}

/** After so long it is the turn of other work: a million records of one org must not hold up the jobs of the others. */
const turnMilliseconds = 10_000;

class TurnOver extends Error {}

/**
 * Builds the indexes that are to be built and erases those that are to go, until nothing is left to do or its turn is
 * over: then it comes back. It may be ended at any step: whoever does it again goes on from the last step that was
 * noted, or does steps again that were done.
 */
export async function maintainEntity(
  parts: MaintainParts,
  work: MaintainEntity,
  stillMine: () => Promise<void>,
): Promise<void> {
  const begunAt = parts.clock.now();
  const inTurn = async (): Promise<void> => {
    await stillMine();
    if (parts.clock.now() - begunAt >= turnMilliseconds) throw new TurnOver();
  };
  try {
    await maintain(parts, work, inTurn);
  } catch (error) {
    if (!(error instanceof TurnOver)) throw error;
    const scope = parts.store.scope(orgScopeName(work.orgCode));
    await scope.commit([maintainWork(work, parts.clock.now())], { priority: 'background' });
  }
}

async function maintain(parts: MaintainParts, work: MaintainEntity, stillMine: () => Promise<void>): Promise<void> {
  const place = { scope: parts.store.scope(orgScopeName(work.orgCode)), entityName: work.entityName };
  for (;;) {
    await stillMine();
    const set = await ageDropped(parts, work);
    await raiseTargets(parts.store, work, set);
    const task = await findTask(set, work.entityName);
    if (task === undefined) {
      await forgetProgress(place);
      return;
    }
    const count = () => countStoredRecords(parts.store, work.orgCode, [work.entityName]);
    const progress = await TaskProgress.open({ ...place, clock: parts.clock }, taskText(task), count);
    const outcome = await maintainRecords(parts, work.orgCode, { task, progress, stillMine });
    if (outcome === 'overtaken') continue;
    await changeIndexes(parts, work, (indexes) => ({
      indexes: settledIndexes(indexes, task, progress.duplicates),
      erased: task.erased,
    }));
  }
}

/** Lets go of dropped indexes once nobody reads by them any more. Returns the configuration by which to go on. */
async function ageDropped(parts: MaintainParts, work: MaintainEntity): Promise<ConfigSet> {
  const set = await parts.configs.refresh(work.orgCode);
  const indexes = set.active(work.entityName)?.state.indexes ?? [];
  if (aged(indexes, parts.clock.now()).every((index) => indexes.includes(index))) return set;
  await changeIndexes(parts, work, (standing) => {
    // Asked after the states were read: nothing here can be dropped later than now.
    const now = parts.clock.now();
    const isNoted = standing.some(isNewlyDropped);
    return { indexes: aged(standing, now), work: isNoted ? [maintainWork(work, now + droppedForMilliseconds)] : [] };
  });
  return parts.configs.refresh(work.orgCode);
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
