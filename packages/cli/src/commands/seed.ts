import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { CommandError } from '../frame/command-error.ts';
import type { AddCommands, Context } from '../frame/context.ts';
import { seedFolder } from '../seeds/seed-folder.ts';

interface SeedOptions {
  readonly dir?: string;
  readonly workspace?: string;
  readonly dryRun?: true;
}

/** `seed`: users, workspaces and records of test from files; a second run changes nothing. */
export const addSeedCommand: AddCommands = (program, run) => {
  program
    .command('seed')
    .description('brings users, workspaces and records of test to what files say')
    .option('--dir <folder>', 'folder of the files (default: seeds in the project)')
    .option('--workspace <code>', 'workspace of the files that name none (default: the only one)')
    .option('--dry-run', 'says what would be done, and writes nothing')
    .action(run<SeedOptions, []>((context, options) => seed(context, options)));
};

async function seed(context: Context, options: SeedOptions): Promise<undefined> {
  const isDryRun = options.dryRun === true;
  const figures = await seedFolder(context, {
    folder: folderOf(context, options),
    workspace: options.workspace,
    isDryRun,
  });
  const { people, created, updated, unchanged } = figures;
  const rows = `${created} records created, ${updated} updated, ${unchanged} unchanged`;
  const line = people === 0 ? rows : `${people} changes of workspaces and members; ${rows}`;
  context.out.result({ ...figures, dry_run: isDryRun }, [isDryRun ? `${line} (a dry run: nothing was written)` : line]);
}

function folderOf(context: Context, { dir }: SeedOptions): string {
  const folder =
    dir === undefined ? resolve(context.projectIfAny()?.root ?? context.cwd, 'seeds') : resolve(context.cwd, dir);
  if (existsSync(folder)) return relative(context.cwd, folder) || '.';
  throw new CommandError(`there is no folder ${folder}`, {
    code: 'no_seeds',
    next: 'make seeds/<entity>.jsonl, or name a folder with `--dir`',
  });
}
