import type { Clock } from '../lib/clock.ts';
import type { Key, Put } from '../store/port.ts';
import type { ChangeConfigParts } from './change-config.ts';

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

/** An item of the org's scope, for the commit that changes the indexes. The job itself comes back for dropped ones. */
export function maintainWork(work: MaintainEntity, at: number): Put {
  const value = JSON.stringify({ job: maintainEntityJob, ...work });
  const sk = `${maintainEntityJob};${work.entityName};${work.version};${at}`;
  return { kind: 'put', pk: 'work', sk, value, if: 'any', due: { at, queue: 'work' } };
}

/** The work as `maintainWork` wrote it. */
export function readMaintainWork(work: unknown): MaintainEntity {
  return work as MaintainEntity;
}

/** How far the job is: the item is there while it builds. */
export interface IndexProgress {
  readonly done: number;
  readonly total: number;
}

export function indexProgressKey(entityName: string): Key {
  return { pk: 'index-progress', sk: entityName };
}

export interface MaintainParts extends ChangeConfigParts {
  readonly clock: Clock;
}

/** Builds the indexes that are to be built and erases those that are to go. */
export async function maintainEntity(
  _parts: MaintainParts,
  _work: MaintainEntity,
  stillMine: () => Promise<void>,
): Promise<void> {
  await stillMine();
}
