import type { Clock } from '../lib/clock.ts';
import { nextDue } from '../lib/scheduling/next-due.ts';
import type { BackupRunner } from './backup-runner.ts';
import { utc } from './backup-settings.ts';

/** A clock may be set, so no pause is longer. */
const pauseMilliseconds = 30_000;

export interface BackupSchedule {
  close(): void;
}

/**
 * Has a backup made when it is due: the first time after the last one of the schedule, so that a time at which the
 * platform did not run is made up for, once.
 */
export function startBackupSchedule(
  runner: Pick<BackupRunner, 'lastScheduled' | 'beginScheduled'>,
  cron: string,
  { clock, onError }: { readonly clock: Clock; readonly onError: (error: unknown) => void },
): BackupSchedule {
  const startedAt = clock.now();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    const due = nextDue(utc(cron), runner.lastScheduled ?? startedAt);
    if (due !== undefined && due <= clock.now()) await runner.beginScheduled().catch(onError);
    if (isClosed) return;
    const next = nextDue(utc(cron), clock.now()) ?? Number.POSITIVE_INFINITY;
    const pause = Math.min(pauseMilliseconds, Math.max(1, next - clock.now()));
    timer = setTimeout(() => void look(), pause);
    timer.unref();
  };
  void look();
  return {
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
