/** The operations of the operator on backups. */
import { join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { notFound, Problem } from '../lib/problem.ts';
import { nextDue } from '../lib/scheduling/next-due.ts';
import { newBackupName } from './backup-facts.ts';
import {
  type BackupPlaces,
  bytesOfBackup,
  type DiskRoom,
  findBackup,
  type ListedBackup,
  latestFirst,
  listBackups,
  prepareFolder,
  requireRoom,
  roomForBackup,
  roomForTest,
} from './backup-folder.ts';
import type { BackupRunner } from './backup-runner.ts';
import { type BackupSettings, utc } from './backup-settings.ts';

/** Each write records first what it is about to do, by the name of the backup. */
type Record = (name: string) => Promise<void>;

export interface Backups {
  list(page: { readonly pagesize: number; readonly nexttoken?: string | undefined }): Promise<BackupPage>;
  begin(record: Record): Promise<ListedBackup>;
  test(name: string, record: Record): Promise<ListedBackup>;
  remove(name: string, record: Record): Promise<void>;
  /** The content of a complete backup; nothing is open before it is iterated. */
  download(name: string, record: Record): Promise<BackupContent>;
}

interface BackupContent {
  readonly bytes: number;
  readonly stream: AsyncIterable<Uint8Array>;
}

interface BackupPage {
  readonly items: readonly ListedBackup[];
  readonly nexttoken: string | null;
  readonly unavailable: string | null;
  readonly schedule: { readonly cron: string; readonly next_at: string | null; readonly keep: number } | null;
  readonly room: DiskRoom | null;
}

interface BackupsDeps extends BackupPlaces {
  readonly settings: Pick<BackupSettings, 'backupSchedule' | 'backupKeep'>;
  readonly runner: BackupRunner;
  readonly clock: Clock;
}

export function createBackups({ settings, runner, clock, ...places }: BackupsDeps): Backups {
  const { folder } = places;
  const complete = async (name: string): Promise<ListedBackup> => {
    const found = await findBackup(places, name);
    if (found.state === 'complete') return found;
    throw new Problem('conflict', found.state === 'running' ? 'the backup is being made' : 'the backup has failed');
  };
  return {
    list: async (page) => ({
      ...pageOf(await listBackups(places), page),
      unavailable: null,
      schedule: scheduleOf(settings, clock),
      room: await roomForBackup(places),
    }),
    begin: async (record) => {
      runner.check();
      await prepareFolder(folder);
      await requireRoom(folder, (await roomForBackup(places))?.needed_bytes ?? 0, 'a backup');
      const name = newBackupName(clock.now());
      await record(name);
      runner.begin(name, 'operator');
      return findBackup(places, name);
    },
    test: async (name, record) => {
      const found = await complete(name);
      runner.check();
      await prepareFolder(folder);
      await requireRoom(folder, roomForTest(found), 'a restore test');
      await record(name);
      runner.test(name, { bytes: found.bytes ?? 0, created_at: found.made_at });
      return findBackup(places, name);
    },
    remove: async (name, record) => {
      const { state } = await findBackup(places, name);
      if (state === 'running') throw new Problem('conflict', 'the backup is being made');
      runner.checkRemoval(name);
      await record(name);
      runner.remove(name);
    },
    download: async (name, record) => {
      const { bytes } = await complete(name);
      if (bytes === null) throw notFound();
      await record(name);
      return { bytes, stream: bytesOfBackup(join(folder, name), bytes) };
    },
  };
}

/** Refuses every action with the reason why the platform makes no backups. */
export function noBackups(why: string): Backups {
  const refuse = async (): Promise<never> => {
    throw new Problem('conflict', why);
  };
  return {
    list: async () => ({ items: [], nexttoken: null, unavailable: why, schedule: null, room: null }),
    ...{ begin: refuse, test: refuse, remove: refuse, download: refuse },
  };
}

function scheduleOf({ backupSchedule, backupKeep }: BackupsDeps['settings'], clock: Clock): BackupPage['schedule'] {
  if (backupSchedule === undefined) return null;
  const next = nextDue(utc(backupSchedule), clock.now());
  return { cron: backupSchedule, next_at: next === undefined ? null : new Date(next).toISOString(), keep: backupKeep };
}

/** A cursor says which backup the page before ended with, which may be gone. */
function pageOf(
  all: readonly ListedBackup[],
  { pagesize, nexttoken }: Parameters<Backups['list']>[0],
): Pick<BackupPage, 'items' | 'nexttoken'> {
  const after = nexttoken === undefined ? undefined : readCursor(nexttoken);
  const rest = after === undefined ? all : all.filter((backup) => latestFirst(after, backup) < 0);
  const items = rest.slice(0, pagesize);
  const last = items.at(-1);
  return { items, nexttoken: last === undefined || rest.length === items.length ? null : cursorOf(last) };
}

function cursorOf({ made_at, name }: ListedBackup): string {
  return Buffer.from(`${made_at} ${name}`).toString('base64url');
}

function readCursor(text: string): Pick<ListedBackup, 'made_at' | 'name'> {
  const [made_at, name, ...more] = Buffer.from(text, 'base64url').toString().split(' ');
  if (made_at !== undefined && name !== undefined && more.length === 0 && !Number.isNaN(Date.parse(made_at)))
    return { made_at, name };
  throw new Problem('invalid_cursor', 'the cursor is not valid');
}

/** A clock may be set, so no pause is longer. */
const pauseMilliseconds = 30_000;

interface BackupSchedule {
  close(): void;
}

/**
 * Has a backup made when it is due: the first time after the last one of the schedule, so that a time at which the
 * platform did not run is made up for, once.
 */
export function startBackupSchedule(
  runner: Pick<BackupRunner, 'lastScheduled' | 'startScheduled'>,
  cron: string,
  { clock, onError }: { readonly clock: Clock; readonly onError: (error: unknown) => void },
): BackupSchedule {
  const startedAt = clock.now();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    const due = nextDue(utc(cron), runner.lastScheduled ?? startedAt);
    if (due !== undefined && due <= clock.now()) await runner.startScheduled().catch(onError);
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
