import { isAbsolute, relative, resolve } from 'node:path';
import { cronMistake } from '../lib/scheduling/next-due.ts';

export interface BackupSettings {
  /** The folder of the backups that the platform makes; undefined where it makes none. */
  readonly backupDir: string | undefined;
  /** A cron pattern, in UTC; undefined where backups are made on demand only. */
  readonly backupSchedule: string | undefined;
  /** The number of scheduled backups with a passed restore test that are kept. */
  readonly backupKeep: number;
}

interface BackupUse {
  readonly dataDir: string;
  /** Why a platform on such stores makes no backups; undefined where it may. */
  readonly whyNone: string | undefined;
}

const keepDefault = 7;

export function readBackupSettings(
  get: (name: string) => string | undefined,
  { dataDir, whyNone }: BackupUse,
  mistakes: string[],
): BackupSettings {
  const folder = get('FREEHOLD_BACKUP_DIR');
  const backupDir = folder === undefined ? undefined : resolve(folder);
  const backupSchedule = get('FREEHOLD_BACKUP_SCHEDULE');
  const keep = get('FREEHOLD_BACKUP_KEEP') ?? String(keepDefault);
  if (backupDir !== undefined && isWithin(dataDir, backupDir))
    mistakes.push('FREEHOLD_BACKUP_DIR must not lie in the data folder, with which it would be lost');
  if (backupSchedule !== undefined) {
    const mistake = cronMistake(utc(backupSchedule));
    if (mistake !== undefined)
      mistakes.push(`FREEHOLD_BACKUP_SCHEDULE must be a cron pattern, such as \`0 3 * * *\`: ${mistake.message}`);
    if (whyNone !== undefined) mistakes.push(`FREEHOLD_BACKUP_SCHEDULE cannot be used: ${whyNone}`);
    else if (backupDir === undefined)
      mistakes.push('FREEHOLD_BACKUP_SCHEDULE needs FREEHOLD_BACKUP_DIR, the folder that backups are written to');
  }
  if (!/^[1-9]\d{0,2}$/.test(keep))
    mistakes.push(`FREEHOLD_BACKUP_KEEP must be a number from 1 to 999, not \`${keep}\``);
  return { backupDir, backupSchedule, backupKeep: Number(keep) };
}

/** A schedule of backups, as times are computed from it. */
export function utc(cron: string) {
  return { cron, timezone: 'UTC' };
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !way.startsWith('..') && !isAbsolute(way);
}
