/** The command of an installation, `freehold`: runs the one of its commands that is named. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Refusal, runCommand } from './command-line.ts';

interface Listed {
  readonly says: string;
  /** Only what is run is loaded. */
  readonly load: () => Promise<Command>;
}

const commands = new Map<string, Listed>([
  ['start', { says: 'runs the platform in the foreground', load: async () => (await import('./main.ts')).start }],
  ['backup', { says: 'writes a data folder to one file', load: async () => (await import('./backup.ts')).backup }],
  [
    'restore',
    { says: 'puts such a file into an empty folder', load: async () => (await import('./restore.ts')).restore },
  ],
  [
    'copy',
    { says: 'moves a platform between a folder and PostgreSQL', load: async () => (await import('./copy.ts')).copy },
  ],
  [
    'distribute',
    {
      says: 'spreads the data over the servers of a Citus cluster',
      load: async () => (await import('./distribute.ts')).distribute,
    },
  ],
  [
    'doctor',
    { says: 'finds what keeps a platform from starting', load: async () => (await import('./doctor.ts')).doctor },
  ],
  ['verify', { says: 'checks stored data for drift', load: async () => (await import('./verify.ts')).verify }],
  ['recount', { says: 'counts usage again', load: async () => (await import('./recount.ts')).recount }],
  [
    'audit',
    { says: 'verifies and exports the audit log', load: async () => (await import('./audit-command.ts')).audit },
  ],
  ['keys', { says: 'shows, rotates and revokes signing keys', load: async () => (await import('./keys.ts')).keys }],
  ['plan', { says: 'shows and changes what an org may use', load: async () => (await import('./plan.ts')).plan }],
]);

/** Ends as the command does that the first word names; what goes wrong is said in that command's words. */
export async function runFreehold(words: readonly string[]): Promise<void> {
  const [name, ...rest] = words;
  const listed = commands.get(name ?? '');
  runCommand(listed === undefined ? itself : await listed.load(), listed === undefined ? words : rest);
}

const itself: Command = { failure: 'nothing was done', run: async ([word]) => answer(word) };

function answer(word: string | undefined): number {
  if (word !== undefined && word !== '--help' && word !== '--version')
    throw new Refusal(`there is no command \`${word}\`: see \`freehold --help\``);
  process.stdout.write(word === '--version' ? `freehold ${version()}\n` : help());
  return word === undefined ? 2 : 0;
}

function help(): string {
  const lines = [...commands].map(([name, { says }]) => `  freehold ${name.padEnd(11)}${says}\n`);
  return `${lines.join('')}
  freehold COMMAND --help     what a command takes
  freehold --version
`;
}

function version(): string {
  const text = readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
