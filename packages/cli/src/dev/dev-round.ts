/** What `freehold dev` does after changes: brings the platform to what the files say, and the types to what it has then. */
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { configArchiveType } from '@freehold/contract/archive/config-archive';
import { writeArchive } from '../config/archive.ts';
import { readItems } from '../config/read-items.ts';
import { countsOf } from '../config/shown-plan.ts';
import { CommandError, errorAsText } from '../frame/command-error.ts';
import type { Context } from '../frame/context.ts';
import { knownError } from '../management/known-error.ts';
import { seedFolder } from '../seeds/seed-folder.ts';
import { typesOf, writeTypes } from '../types/types-file.ts';

export interface DevProject {
  /** Of the platform that `dev` has started. */
  readonly context: Context;
  readonly config: string;
  readonly seeds: string;
  /** Undefined where no types are wanted. */
  readonly types: string | undefined;
  readonly workspace: string | undefined;
  readonly seeding: Seeding;
}

/** Whether the seeds were applied to this platform, now or at an earlier start. */
export interface Seeding {
  isDone(): boolean;
  markDone(): void;
}

/** Says what was done, and what is wrong in the files; the next change tries again. */
export async function devRound(project: DevProject, kinds: ReadonlySet<string>): Promise<void> {
  const { context, config, seeds, types, seeding } = project;
  const parts: readonly (readonly [isDue: boolean, work: () => Promise<void>])[] = [
    [kinds.has('config') && existsSync(config), () => push(project)],
    [types !== undefined && kinds.has('config'), () => writeOut(project)],
    // Rows may fit the new definitions, and not the old ones.
    [!seeding.isDone() && existsSync(seeds), () => seed(project)],
    [seeding.isDone() && kinds.has('seeds') && existsSync(seeds), () => compare(project)],
  ];
  for (const [isDue, work] of parts)
    if (isDue)
      try {
        await work();
      } catch (error) {
        const known = knownError(error);
        const text = known === undefined ? String(error) : errorAsText(known);
        for (const line of text.trimEnd().split('\n')) context.out.note(line);
      }
}

/** Items without a file stay: what is removed from the files is removed by `freehold push --prune`. */
async function push({ context, config }: DevProject): Promise<void> {
  const items = readItems(config);
  if (items.length === 0) return;
  const sent = { file: writeArchive(items), headers: { 'content-type': configArchiveType } };
  const plan = await context.management().call('importConfig', { query: {}, ...sent });
  const { problems = [] } = plan;
  if (problems.length > 0)
    throw new CommandError('the configuration is not pushed', {
      code: 'push_refused',
      lines: problems.map(
        ({ kind, name, message }) => `${kind === undefined ? '' : `${kind} ${name ?? ''}: `}${message}`,
      ),
    });
  for (const warning of plan.warnings ?? []) context.out.note(`warning: ${warning}`);
  for (const { kind = '', name = '', message } of plan.refused ?? []) context.out.note(`${kind} ${name}: ${message}`);
  if (plan.items.length === 0) return;
  await context.management().call('importConfig', { query: { base: plan.base }, ...sent });
  context.out.note(`pushed: ${countsOf(plan.items)}`);
}

async function writeOut({ context, types }: DevProject): Promise<void> {
  if (types === undefined) return;
  if (writeTypes(types, await typesOf(context.management(), 'test')))
    context.out.note(`wrote ${relative(context.cwd, types)}`);
}

async function seed(project: DevProject): Promise<void> {
  const { people, created, updated, unchanged } = await seeded(project, false);
  const written = people + created + updated;
  if (written + unchanged > 0) project.seeding.markDone();
  if (written > 0) project.context.out.note(`seeded: ${created} records created, ${updated} updated`);
}

/** Later changes of the files are shown and not applied: they would take back what the app has written since. */
async function compare(project: DevProject): Promise<void> {
  const { people, created, updated } = await seeded(project, true);
  if (people + created + updated === 0) return;
  const rows = `${created} records to create, ${updated} to update`;
  const line = people === 0 ? rows : `${people} changes of workspaces and members; ${rows}`;
  project.context.out.note(`the seeds differ from the data (${line}): \`freehold seed --profile dev\` applies them`);
}

function seeded({ context, seeds, workspace }: DevProject, isDryRun: boolean): ReturnType<typeof seedFolder> {
  return seedFolder(context, { folder: relative(context.cwd, seeds), workspace, isDryRun });
}
