import type { Change, DueItem } from '../../store/port.ts';
import type { Job, RenewLease } from '../job.ts';
import type { JobSpace } from '../work-queue.ts';

/** Does a piece of due work as the job of its name would, without a lease: others may be at it too. Only tests may use it. @throws Conflict */
export async function doOnce<Space extends Pick<JobSpace, 'store'>>(
  jobs: readonly Job<Space>[],
  space: Space,
  { scope, item: { pk, sk, value, version } }: DueItem,
  renewLease: RenewLease = async () => undefined,
): Promise<void> {
  const work = JSON.parse(value);
  const job = jobs.find(({ name }) => name === work.job);
  if (job === undefined) throw new Error(`there is no job ${work.job}`);
  const at = await job.run(space, work, renewLease);
  const change: Change =
    at === undefined
      ? { kind: 'remove', pk, sk, if: { version } }
      : { kind: 'put', pk, sk, value, if: { version }, due: { at, queue: 'work' } };
  await space.store.scope(scope).commit([change]);
}
