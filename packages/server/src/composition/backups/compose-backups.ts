/** Puts together what makes backups. */

import { platformActor } from '../../audit/audit-entry.ts';
import { createOperatorLog } from '../../audit/operator-log.ts';
import { BackupRunner } from '../../backup/backup-runner.ts';
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

interface BackupsDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
  readonly secrets: Pick<Secrets, 'cursor_key'>;
  readonly platform: OpenedStore;
  readonly metrics: Metrics;
}

export interface OpenedBackups {
  readonly backups: Backups;
  close(): Promise<void>;
}

/** Resolves when what an earlier run has left is cleaned. */
export async function composeBackups(deps: BackupsDeps): Promise<OpenedBackups> {
  const { config, clock, onFault, secrets, platform, metrics } = deps;
  const { backupDir: folder, backupSchedule, backupKeep: keep, dataDir } = config;
  const why = whyNoBackups(config);
  if (why !== undefined || folder === undefined) return { backups: noBackups(why ?? noFolder), close: async () => {} };
  const log = createOperatorLog(platform.store.scope(platformScopeName), clock);
  const runner = new BackupRunner({
    ...{ folder, dataDir, keep, clock, run: commandRunner(commandEnvironment()), onError: onFault },
    platform: derivedKey(secrets, 'backups').toString('hex', 0, 16),
    record: ({ action, name, detail = {} }) =>
      log.tell('', { action, target: { kind: 'backup', id: name }, detail }, platformActor),
  });
  await runner.clean().catch(onFault);
  const schedule =
    backupSchedule === undefined ? undefined : startBackupSchedule(runner, backupSchedule, { clock, onError: onFault });
  recordBackups(metrics, runner, clock);
  return {
    backups: createBackups({ folder, dataDir, settings: config, runner, clock }),
    close: async () => {
      schedule?.close();
      await runner.close();
    },
  };
}

const noFolder = 'no folder for backups is set: set FREEHOLD_BACKUP_DIR, and restart the platform';
