import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { type AppCalls, openApp } from '../app/app-calls.ts';
import { onlyWorkspace } from '../app/only-workspace.ts';
import { CommandError } from '../frame/command-error.ts';
import type { Context } from '../frame/context.ts';
import type { AddCommands } from '../frame/program.ts';
import { assertReaches } from '../profiles/target.ts';
import { seedPeople } from '../seeds/apply-people.ts';
import { applyRows } from '../seeds/apply-rows.ts';
import { typeSeeds, usualName } from '../seeds/natural-keys.ts';
import { orderRows } from '../seeds/order-rows.ts';
import { readSeeds } from '../seeds/read-seeds.ts';

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

export interface SeedRequest {
  readonly folder: string;
  readonly workspace: string | undefined;
  readonly isDryRun: boolean;
}

/** @throws CommandError that names every mistake in the files, before anything is written. */
export async function seedFolder(context: Context, { folder, workspace, isDryRun }: SeedRequest) {
  assertReaches(context.target(), 'test');
  const seeds = await readSeeds(folder);
  assertNone(seeds.mistakes);
  const { rows, entities, mistakes } = await typeSeeds(context, seeds);
  assertNone(mistakes);
  const ordered = orderRows(rows);
  if ('cycle' in ordered)
    throw new CommandError('rows refer to one another in a circle', {
      code: 'seeds_invalid',
      lines: [ordered.cycle.join(' → ')],
      next: 'leave the reference out of one of them, and set it after the seeding',
    });
  const changed = (sentence: string) => context.out.note(sentence);
  const people = seedPeople({ context, people: seeds, workspace, isDryRun, changed });
  await people.join();
  const hasUsual = seeds.rows.some((row) => row.workspace === undefined);
  const usual = hasUsual ? await usualWorkspace(context, workspace, isDryRun) : '';
  const appOf = appsOf(context, usual, isDryRun);
  const figures = await applyRows({
    ...{ waves: ordered.waves, entities, isDryRun, appOf, progress: context.out.progress },
    mayBeMade: ({ entity }) => isDryRun && entity === 'user' && people.done() > 0,
    changed: ({ place, entity }, what, fields) => {
      if (isDryRun) context.out.note(`${place}: would ${what} \`${entity}\` (${fields.join(', ')})`);
    },
  });
  await people.grant();
  return { people: people.done(), ...figures };
}

/** A dry run may come before there is any workspace. */
async function usualWorkspace(context: Context, given: string | undefined, isDryRun: boolean): Promise<string> {
  if (given !== undefined) return given;
  return onlyWorkspace(context, 'test').catch((error: unknown) => {
    if (isDryRun && error instanceof CommandError && error.details.code === 'no_workspace') return 'main';
    throw error;
  });
}

function appsOf(context: Context, usual: string, isDryRun: boolean): (workspace: string) => Promise<AppCalls> {
  const apps = new Map<string, Promise<AppCalls>>();
  return (named) => {
    const workspace = named === usualName ? usual : named;
    const app = apps.get(workspace) ?? openSeedApp(context, workspace, isDryRun);
    apps.set(workspace, app);
    return app;
  };
}

/** For a dry run a workspace that is not there yet has no records. */
async function openSeedApp(context: Context, workspace: string, isDryRun: boolean): Promise<AppCalls> {
  const app = await openApp(context, { env: 'test', workspace, as: undefined });
  if (!isDryRun || (await isWorkspace(context, workspace))) return app;
  return { ...app, json: async () => ({ items: [] }) };
}

async function isWorkspace(context: Context, code: string): Promise<boolean> {
  const { items } = await context
    .management()
    .call('listOrgWorkspaces', { query: { env: 'test', prefix: code, pagesize: 1 } });
  return items[0]?.code === code;
}

function assertNone(mistakes: readonly string[]): void {
  if (mistakes.length === 0) return;
  throw new CommandError('the seeds have mistakes, so nothing was written', { code: 'seeds_invalid', lines: mistakes });
}
