import type { Put } from '../../store/port.ts';
import { workItem } from '../../work/job.ts';

/** The work of bringing what is stored in line with an entity's fields and indexes. Every step may be repeated. */
export interface MaintainEntity {
  readonly orgCode: string;
  readonly entityName: string;
  /** The config version that made it necessary. */
  readonly version: number;
}

export const maintainJobName = 'maintain-entity';

/** An item of the org's scope, for the commit that changes the indexes. Dropped ones the job comes back to by itself. */
export function maintainWork(work: MaintainEntity, at: number): Put {
  return workItem(`${maintainJobName};${work.entityName};${work.version};${at}`, { job: maintainJobName, ...work }, at);
}
