import type { RoutesOfModule } from '../api/route.ts';
import { type Job, withParts } from '../work/job.ts';
import type { JobSpace } from '../work/work-queue.ts';
import { createRecords, type Records, type RecordsDeps } from './record-runtime.ts';
import { type MaintainDeps, maintainEntity } from './reindex/maintain-entity.ts';
import { purgeEntityJob } from './reindex/purge-entity.ts';
import { removalJob } from './removals/run-removal.ts';
import { recordRoutes } from './routes/record-routes.ts';

/** The data space that jobs of records work in. */
export type RecordSpace = JobSpace & Pick<MaintainDeps, 'configs' | 'clock'>;

/** The runtime of all records, with its routes and with the work on stored records. */
export function openRecords(deps: RecordsDeps): Records & {
  readonly routes: RoutesOfModule;
  readonly jobs: readonly Job<RecordSpace>[];
} {
  const { configs, events } = deps;
  const records = createRecords(deps);
  const jobs = [purgeEntityJob, maintainEntity, withParts(removalJob, { configs, events })];
  return { ...records, routes: recordRoutes(records), jobs };
}
