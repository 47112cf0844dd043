/** The commands of an installation, each with what it does. Only what is run is loaded: this file is read at every start. */
import type { CliCommand } from '../commands/command-line.ts';

interface ListedCommand {
  readonly says: string;
  readonly load: () => Promise<CliCommand>;
}

export const operatorCommands: ReadonlyMap<string, ListedCommand> = new Map([
  ['start', { says: 'runs the platform in the foreground', load: async () => (await import('../main.ts')).start }],
  [
    'backup',
    { says: 'writes a data folder to one file', load: async () => (await import('../commands/backup.ts')).backup },
  ],
  [
    'restore',
    {
      says: 'puts such a file into an empty folder',
      load: async () => (await import('../commands/restore.ts')).restore,
    },
  ],
  [
    'copy',
    {
      says: 'moves a platform between a folder and PostgreSQL',
      load: async () => (await import('../commands/copy.ts')).copy,
    },
  ],
  [
    'distribute',
    {
      says: 'spreads the data over the servers of a Citus cluster',
      load: async () => (await import('../commands/distribute.ts')).distribute,
    },
  ],
  [
    'doctor',
    {
      says: 'finds what keeps a platform from starting',
      load: async () => (await import('../commands/doctor.ts')).doctor,
    },
  ],
  [
    'verify',
    { says: 'checks stored data for drift', load: async () => (await import('../commands/verify.ts')).verify },
  ],
  ['recount', { says: 'counts usage again', load: async () => (await import('../commands/recount.ts')).recount }],
  [
    'audit',
    { says: 'verifies and exports the audit log', load: async () => (await import('../commands/audit.ts')).audit },
  ],
  [
    'keys',
    { says: 'shows, rotates and revokes signing keys', load: async () => (await import('../commands/keys.ts')).keys },
  ],
  [
    'plan',
    { says: 'shows and changes what an org may use', load: async () => (await import('../commands/plan.ts')).plan },
  ],
]);
