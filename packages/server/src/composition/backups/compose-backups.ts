/** Puts together what makes backups: one desk for all threads, and what each thread that takes requests does with it. */

import { platformActor } from '../../audit/audit-entry.ts';
import { createOperatorLog } from '../../audit/operator-log.ts';
import { type BackupDesk, BackupRunner } from '../../backup/backup-runner.ts';
import { startBackupSchedule } from '../../backup/backup-schedule.ts';
import { type Backups, createBackups, noBackups } from '../../backup/backups.ts';
import { commandRunner } from '../../backup/run-command.ts';
import { commandEnvironment } from '../../command-line.ts';
import { type Config, whyNoBackups } from '../../config.ts';
import { derivedKey, platformScopeName, type Secrets } from '../../identity/port.ts';
import type { Clock } from '../../lib/clock.ts';
import type { OpenedStore } from '../../store/port.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { recordBackups } from '../../telemetry/work-metrics.ts';

interface DeskDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
  readonly secrets: Pick<Secrets, 'cursor_key'>;
  readonly platform: OpenedStore;
}

export interface OpenedDesk {
  readonly desk: BackupDesk;
  close(): Promise<void>;
}

/** Undefined where no backups are made. Resolves when what an earlier run has left is cleaned. */
export async function openBackupDesk(deps: DeskDeps): Promise<OpenedDesk | undefined> {
  const { config, clock, onFault, secrets, platform } = deps;
  const { backupDir: folder, backupSchedule, backupKeep: keep, dataDir } = config;
  if (folder === undefined || whyNoBackups(config) !== undefined) return undefined;
  const log = createOperatorLog(platform.store.scope(platformScopeName), clock);
  const desk = new BackupRunner({
    ...{ folder, dataDir, keep, clock, run: commandRunner(commandEnvironment()), onError: onFault },
    platform: derivedKey(secrets, 'backups').toString('hex', 0, 16),
    record: ({ action, name, detail = {} }) =>
      log.tell('', { action, target: { kind: 'backup', id: name }, detail }, platformActor),
  });
  await desk.clean().catch(onFault);
  const schedule =
    backupSchedule === undefined ? undefined : startBackupSchedule(desk, backupSchedule, { clock, onError: onFault });
  return {
    desk,
    close: async () => {
      schedule?.close();
      await desk.close();
    },
  };
}

interface BackupsDeps extends DeskDeps {
  /** That of the main thread, where this is one of several workers. */
  readonly shared: BackupDesk | undefined;
  readonly metrics: Metrics;
}

export interface OpenedBackups {
  readonly backups: Backups;
  close(): Promise<void>;
}

export async function composeBackups({ shared, metrics, ...deps }: BackupsDeps): Promise<OpenedBackups> {
  const { config, clock } = deps;
  const { backupDir: folder, dataDir } = config;
  const why = whyNoBackups(config) ?? (folder === undefined ? noFolder : undefined);
  if (why !== undefined || folder === undefined) return { backups: noBackups(why ?? noFolder), close: async () => {} };
  const own = shared === undefined ? await openBackupDesk(deps) : undefined;
  const desk = shared ?? own?.desk;
  if (desk === undefined) return { backups: noBackups(noFolder), close: async () => {} };
  recordBackups(metrics, desk, clock);
  return {
    backups: createBackups({ folder, dataDir, settings: config, desk, clock }),
    close: async () => own?.close(),
  };
}

const noFolder = 'no folder for backups is set: set FREEHOLD_BACKUP_DIR, and restart the platform';
