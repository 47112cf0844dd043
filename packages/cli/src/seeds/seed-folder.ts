/** Brings test to what a seed folder says. */
import { type AppCalls, openApp } from '../app/app-calls.ts';
import { onlyWorkspace } from '../app/only-workspace.ts';
import { CommandError } from '../frame/command-error.ts';
import type { Context } from '../frame/context.ts';
import { assertReaches } from '../profiles/target.ts';
import { seedPeople } from './apply-people.ts';
import { applyRows } from './apply-rows.ts';
import { typeSeeds, usualName } from './natural-keys.ts';
import { orderRows } from './order-rows.ts';
import { readSeeds } from './read-seeds.ts';

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
