/** Puts together what makes backups. */

import type { RoutesOfModule } from '../../api/route.ts';
import { platformActor } from '../../audit/audit-entry.ts';
import type { OperatorLog } from '../../audit/operator-log.ts';
import { BackupRunner } from '../../backup/backup-runner.ts';
import { type Backups, createBackups, noBackups, startBackupSchedule } from '../../backup/backups.ts';
import { backupRoutes } from '../../backup/routes.ts';
import { commandRunner } from '../../backup/run-command.ts';
import { commandEnvironment } from '../../commands/command-line.ts';
import { type Config, whyNoBackups } from '../../config.ts';
import type { Clock } from '../../lib/clock.ts';
import { derivedKey, type Secrets } from '../../people/secrets.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { recordBackups } from '../../telemetry/work-metrics.ts';

interface ComposeBackupsDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
  readonly secrets: Pick<Secrets, 'cursor_key'>;
  readonly operatorLog: OperatorLog;
  readonly metrics: Metrics;
}

export interface OpenedBackups {
  readonly backups: Backups;
  readonly routes: RoutesOfModule;
  close(): Promise<void>;
}

/** Resolves when what an earlier run has left is cleaned. */
export async function composeBackups(deps: ComposeBackupsDeps): Promise<OpenedBackups> {
  const opened = await openRunner(deps);
  return { ...opened, routes: { management: backupRoutes({ ...deps, ...opened }) } };
}

async function openRunner(deps: ComposeBackupsDeps): Promise<Omit<OpenedBackups, 'routes'>> {
  const { config, clock, onFault, secrets, operatorLog, metrics } = deps;
  const { backupDir: folder, backupSchedule, backupKeep: keep, dataDir } = config;
  const why = whyNoBackups(config);
  if (why !== undefined || folder === undefined) return { backups: noBackups(why ?? noFolder), close: async () => {} };
  const runner = new BackupRunner({
    ...{ folder, dataDir, keep, clock, run: commandRunner(commandEnvironment()), onError: onFault },
    platform: derivedKey(secrets, 'backups').toString('hex', 0, 16),
    record: ({ action, name, detail = {} }) =>
      operatorLog.record('', { action, target: { kind: 'backup', id: name }, detail }, platformActor),
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
