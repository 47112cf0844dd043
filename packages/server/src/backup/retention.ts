import type { BackupFacts } from './backup-facts.ts';

/**
 * Those of the schedule that a platform needs no more, of the notes that it wrote itself: what is older than the `keep`
 * latest ones whose restore test passed. Until there are so many, each is kept.
 */
export function expiredBackups(own: readonly BackupFacts[], keep: number): readonly BackupFacts[] {
  const complete = latestFirst(own).filter(({ made_by, state }) => made_by === 'schedule' && state === 'complete');
  const tested = complete.filter(({ test }) => test?.result === 'passed');
  const last = tested[keep - 1];
  return last === undefined ? [] : complete.slice(complete.indexOf(last) + 1);
}

/** So many notes of backups that failed are kept. */
const failedMax = 20;

export function expiredFailures(own: readonly BackupFacts[]): readonly BackupFacts[] {
  return latestFirst(own)
    .filter(({ state }) => state === 'failed')
    .slice(failedMax);
}

export function lastOfSchedule(own: readonly BackupFacts[]): BackupFacts | undefined {
  return latestFirst(own).find(({ made_by }) => made_by === 'schedule');
}

/** The last one of the schedule that is known to be good. */
export function lastPassed(own: readonly BackupFacts[]): BackupFacts | undefined {
  return latestFirst(own).find(
    ({ made_by, state, test }) => made_by === 'schedule' && state === 'complete' && test?.result === 'passed',
  );
}

function latestFirst(facts: readonly BackupFacts[]): readonly BackupFacts[] {
  return facts.toSorted((one, other) => (one.begun_at < other.begun_at ? 1 : one.begun_at > other.begun_at ? -1 : 0));
}
