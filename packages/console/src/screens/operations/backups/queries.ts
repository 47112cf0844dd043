import type { Backup as BackupSchema } from '@freehold/contract/management/operator/backups';
import type { Read } from '@freehold/contract/schema';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { operate } from '../operate.ts';

export type Backup = Read<typeof BackupSchema>;
export type BackupPage = Awaited<ReturnType<typeof readBackups>>;

/** While a backup or a restore test runs, the list is read again after so long. */
const progressMilliseconds = 1500;
/** A backup of the schedule begins by itself. */
const restMilliseconds = 60_000;

function readBackups(nexttoken: string | undefined, signal: AbortSignal) {
  return operate('listBackups', { query: { nexttoken }, signal });
}

export const backupsQuery = infiniteQueryOptions({
  queryKey: ['backups'],
  queryFn: ({ pageParam, signal }) => readBackups(pageParam, signal),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ nexttoken }: BackupPage) => nexttoken ?? undefined,
  refetchInterval: ({ state: { data } }) =>
    data?.pages.some(({ items }) => items.some(isAtWork)) === true ? progressMilliseconds : restMilliseconds,
});

export function isAtWork({ state, test }: Backup): boolean {
  return state === 'running' || test?.result === 'running';
}
