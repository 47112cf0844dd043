import type { MeteredWorkspace } from './call-meter.ts';

/** How many records of an entity a workspace has, by the counter that every write of one moves in its own commit. */
export interface EntityRecords extends Pick<MeteredWorkspace, 'env' | 'tenantCode'> {
  readonly entity: string;
  readonly records: number;
}

/** Of all entities that builders define, in all workspaces of an org. */
export type RecordsOf = (orgCode: string) => Promise<readonly EntityRecords[]>;
