import type { Backup } from './queries.ts';

export const stateNames: Readonly<Record<Backup['state'], string>> = {
  running: 'Being made',
  complete: 'Complete',
  failed: 'Failed',
};

/** The creator. */
export function makerOf({ made_by }: Backup): string {
  if (made_by === null) return 'Put there by a person';
  return made_by === 'schedule' ? 'By the schedule' : 'By the operator';
}

/** What the last restore test found. */
export function testSentence({ state, test }: Backup): string {
  if (test === null) return state === 'complete' ? 'Not tested yet.' : '';
  switch (test.result) {
    case 'running':
      return 'Being restored and verified…';
    case 'passed':
      return 'Restored and verified.';
    case 'drifted':
      return `Restored, and its data has drifted: ${test.problem ?? ''}.`;
    case 'unverified':
      return `Restored, and not verified: ${test.problem ?? ''}.`;
    case 'failed':
      return `Failed: ${test.problem ?? ''}.`;
  }
}

/** The backup of the latest restore test, among those that are shown. */
export function lastTested(backups: readonly Backup[]): Backup | undefined {
  const endedAt = ({ test }: Backup): string => (test === null || test.result === 'running' ? '' : test.at);
  return backups.filter((backup) => endedAt(backup) !== '').toSorted((a, b) => endedAt(b).localeCompare(endedAt(a)))[0];
}

export function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} KB`;
  return bytes < 1_000_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

/**
 * The call that downloads a backup in a shell, which has the key in a variable. Lists of processes do not show the key, and
 * a refusal is not saved as if it were the backup.
 */
export function shellDownload(name: string, origin: string): string {
  return `echo "Authorization: Bearer $OPERATOR_KEY" | curl -fOJ -H @- ${origin}/platform/backups/${name}`;
}
