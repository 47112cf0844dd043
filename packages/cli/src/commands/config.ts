import { relative } from 'node:path';
import { configArchiveType } from '@freehold/contract/archive/config-archive';
import type { managementApi } from '@freehold/contract/management';
import type { ReplyOf } from '@freehold/contract/route';
import { writeArchive } from '../config/archive.ts';
import { exportedItems, withUnknownKinds } from '../config/exported-items.ts';
import { readItems } from '../config/read-items.ts';
import { countsOf, planJson, planLines, takesOut } from '../config/shown-plan.ts';
import { planFolder, writeFolder } from '../config/write-items.ts';
import { CommandError, type ExitCode, exitCodes } from '../frame/command-error.ts';
import type { AddCommands, Context } from '../frame/context.ts';
import { assertReaches } from '../profiles/target.ts';

type Imported = ReplyOf<(typeof managementApi)['importConfig']>;

interface PullOptions {
  readonly prod?: true;
  readonly prune?: true;
  readonly dryRun?: true;
}

interface PushOptions {
  readonly prune?: true;
  readonly force?: true;
  readonly dryRun?: true;
}

/** `pull`, `push` and `diff`: the configuration of test as files. */
export const addConfigCommands: AddCommands = (program, run) => {
  program
    .command('pull')
    .description('writes the configuration of test into files')
    .option('--prod', 'takes what is live in production')
    .option('--prune', 'removes files of items that the platform does not have')
    .option('--dry-run', 'shows what would be written')
    .action(run<PullOptions, []>((context, options) => pull(context, options)));
  program
    .command('push')
    .description('changes the configuration of test to what the files say')
    .option('--prune', 'removes items of test that have no file')
    .option('--force', 'also where records of test break the new definitions')
    .option('--dry-run', 'shows the change and does not make it')
    .action(run<PushOptions, []>((context, options) => push(context, options)));
  program
    .command('diff')
    .description('compares the files with test, or test with production; ends with 1 where they differ')
    .option('--prod', 'compares test with production')
    .action(run<{ readonly prod?: true }, []>((context, { prod }) => (prod ? diffProduction(context) : diff(context))));
};

async function pull(context: Context, { prod, prune, dryRun }: PullOptions): Promise<undefined> {
  const { config } = context.project();
  const target = context.target();
  const environment = prod === true ? 'prod' : 'test';
  assertReaches(target, environment);
  context.out.progress(`reading ${environment} of ${target.org} …`);
  const items = await exportedItems(context.management(), environment);
  const { changes, kept } = planFolder(items, readItems(config), prune === true);
  const overwritten = changes.filter(({ change }) => change !== 'added');
  const folder = relative(context.cwd, config) || '.';
  const marks = { added: '+', changed: '~', removed: '-' } as const;
  const lines = changes.map(({ path, change }) => `${marks[change]} ${folder}/${path}`);
  if (overwritten.length > 0 && dryRun !== true) {
    for (const line of lines) context.out.note(line);
    await context.ask.confirm(`Change or remove ${overwritten.length} files in ${folder}?`);
  }
  if (dryRun !== true) writeFolder(config, changes);
  for (const path of kept) context.out.note(`${folder}/${path} is no item of ${environment}: it stays`);
  context.out.result(
    {
      org: target.org,
      environment,
      written: dryRun !== true,
      files: changes.map(({ path, change }) => ({ path, change })),
      kept,
    },
    [
      ...(overwritten.length > 0 && dryRun !== true ? [] : lines),
      `${items.length} items of ${environment}, ${changes.length} files ${dryRun === true ? 'to write' : 'written'}`,
    ],
  );
}

async function push(context: Context, options: PushOptions): Promise<ExitCode> {
  const { org, url } = context.target();
  assertReaches(context.target(), 'test');
  const archive = await archiveOf(context, options.prune === true);
  const query = { remove: options.prune === true, force: options.force === true };
  context.out.progress(`comparing with test of ${org} …`);
  const plan = await context.management().call('importConfig', { query, ...archive });
  const reported = {
    org,
    environment: 'test',
    items: planJson(plan.items),
    ...besideJson(plan),
  };
  if (plan.items.length === 0) {
    const isSame = reported.refused.length === 0;
    context.out.result({ ...reported, applied: false }, isSame ? ['test is as the files say'] : refusedLines(plan));
    return isSame ? exitCodes.done : exitCodes.answerIsNo;
  }
  const heading = `${org} at ${url}, test: ${countsOf(plan.items)}`;
  const lines = [heading, ...planLines(plan.items), ...besideLines(plan)];
  if (reported.problems.length > 0 || options.dryRun === true) {
    context.out.result({ ...reported, applied: false }, lines);
    return reported.problems.length > 0 ? exitCodes.answerIsNo : exitCodes.done;
  }
  for (const line of lines) context.out.note(line);
  if (takesOut(plan.items))
    await context.ask.confirmByName(org, `This takes out what test of ${org} has (marked - and !).`);
  else await context.ask.confirm(`Change test of ${org}?`);
  const made = await context.management().call('importConfig', { query: { ...query, base: plan.base }, ...archive });
  const { warnings = [] } = made;
  for (const warning of warnings) if (!reported.warnings.includes(warning)) context.out.note(warning);
  context.out.result({ ...reported, applied: true, version: made.version ?? null, warnings }, [
    `test of ${org} is changed: ${countsOf(made.items)}`,
  ]);
  return exitCodes.done;
}

async function diff(context: Context): Promise<ExitCode> {
  const { org } = context.target();
  assertReaches(context.target(), 'test');
  const archive = await archiveOf(context, true);
  context.out.progress(`comparing with test of ${org} …`);
  const plan = await context.management().call('importConfig', { query: { remove: true }, ...archive });
  const json = {
    org,
    from: 'test',
    to: 'files',
    items: planJson(plan.items),
    ...besideJson(plan),
  };
  const same = plan.items.length === 0 && json.refused.length === 0;
  context.out.result(
    json,
    same
      ? ['test is as the files say']
      : [`from test of ${org} to the files: ${countsOf(plan.items)}`, ...planLines(plan.items), ...besideLines(plan)],
  );
  return same ? exitCodes.done : exitCodes.answerIsNo;
}

async function diffProduction(context: Context): Promise<ExitCode> {
  const { org } = context.target();
  assertReaches(context.target(), 'prod');
  const { items } = await context.management().call('readDiff');
  const staged = items.filter((item) => item.staged);
  const json = items.map((item, at) => ({ ...planJson(items)[at], staged: item.staged }));
  const lines = [
    `from production of ${org} to test: ${countsOf(items)}${staged.length === 0 ? '' : `; ${staged.length} of them staged`}`,
    ...planLines(items),
  ];
  context.out.result(
    { org, from: 'prod', to: 'test', items: json },
    items.length === 0 ? ['production is as test is'] : lines,
  );
  return items.length === 0 ? exitCodes.done : exitCodes.answerIsNo;
}

/** The files, packed. @throws CommandError for a folder without any: it would remove all where items are removed. */
async function archiveOf(context: Context, removes: boolean) {
  const { config } = context.project();
  const files = readItems(config);
  if (files.length === 0)
    throw new CommandError(`there are no items in ${config}`, {
      code: 'no_items',
      next: 'run `freehold pull` first, or correct `config` in freehold.yaml',
    });
  const items = removes ? await withUnknownKinds(context.management(), files) : files;
  return { file: writeArchive(items), headers: { 'content-type': configArchiveType } };
}

/** Beside the items: what is to be looked at, what stays as it is, and what keeps all from being changed. */
function besideLines(plan: Imported): readonly string[] {
  const { problems, refused, warnings } = besideJson(plan);
  return [
    ...warnings.map((warning) => `warning: ${warning}`),
    ...refusedLines({ refused }),
    ...(problems.length === 0 ? [] : ['this keeps the change from being made:', ...problems.map(problemLine)]),
  ];
}

function besideJson({ problems = [], refused = [], warnings = [] }: Imported) {
  return { problems, refused, warnings };
}

function refusedLines({ refused = [] }: Pick<Imported, 'refused'>): readonly string[] {
  return refused.length === 0 ? [] : ['these items stay as they are:', ...refused.map(problemLine)];
}

function problemLine({ kind, name, code, message }: NonNullable<Imported['problems']>[number]): string {
  const of = kind === undefined ? '' : `${kind} ${name ?? ''}: `;
  return `  ${of}${message} (${code})`;
}
