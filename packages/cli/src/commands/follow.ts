import type { Command } from 'commander';
import { type FollowedList, follow, showLatest } from '../follow/follow.ts';
import { audit, deliveries, denials, type FollowChoice, runs } from '../follow/lists.ts';
import { CommandError } from '../frame/command-error.ts';
import type { AddCommands, Context } from '../frame/context.ts';
import { environmentOption } from '../frame/environment-option.ts';
import { untilInterrupted } from '../frame/interrupts.ts';
import { printable } from '../frame/printable.ts';
import { hasCode, mayPass } from '../management/known-error.ts';
import { assertReaches } from '../profiles/target.ts';

interface FollowOptions {
  readonly env: 'test' | 'prod';
  readonly workspace?: string;
  readonly follow?: true;
  readonly lines: string;
}

/** `denials` and `logs`: what happened lately, and with `-f` what happens from now on. */
export const addFollowCommands: AddCommands = (program, run) => {
  withOptions(program.command('denials').description('shows the last calls that policies denied, and why')).action(
    run<FollowOptions, []>((context, options) => show(context, options, async () => [denials])),
  );
  withOptions(
    program
      .command('logs')
      .description('shows denials, runs of logic blocks, deliveries of events and audit entries in one list'),
  ).action(run<FollowOptions, []>((context, options) => show(context, options, () => listsOfLogs(context, options))));
};

function withOptions(command: Command): Command {
  return command
    .addOption(environmentOption())
    .option('--workspace <code>', 'of this workspace only')
    .option('-n, --lines <n>', 'as many of those that are there already', '20')
    .option('-f, --follow', 'goes on until Ctrl-C; with `--json` one JSON document a line');
}

type ListOf = (context: Context, choice: FollowChoice) => FollowedList;

/** The audit log is for org admins: others follow the rest. */
async function listsOfLogs(context: Context, options: FollowOptions): Promise<readonly ListOf[]> {
  try {
    await audit(context, choiceOf(options)).read(1);
    return [denials, runs, deliveries, audit];
  } catch (error) {
    if (!hasCode(error, 'role_required')) throw error;
    context.out.note('without the audit log, which is for org admins');
    return [denials, runs, deliveries];
  }
}

const choiceOf = ({ env, workspace }: FollowOptions): FollowChoice => ({ env, workspace });

async function show(
  context: Context,
  options: FollowOptions,
  listsOf: () => Promise<readonly ListOf[]>,
): Promise<undefined> {
  assertReaches(context.target(), options.env);
  const count = Number(options.lines);
  if (!Number.isInteger(count) || count < 0 || count > 200)
    throw new CommandError('`--lines` must be from 0 to 200', { code: 'wrong_usage' });
  const lists = await listsOf();
  const { stdout, out } = context;
  const shown: object[] = [];
  const asLines = options.follow === true;
  const interrupts = asLines ? untilInterrupted() : undefined;
  const following = {
    lists: lists.map((list) => list(context, choiceOf(options))),
    show: ({ kind, at, item, line }: { kind: string; at: string; item: unknown; line: string }) => {
      if (!out.isJson) stdout.write(`${printable(`${at} ${line}`)}\n`);
      else if (asLines) stdout.write(`${JSON.stringify({ kind, at, ...(item as object) })}\n`);
      else shown.push({ kind, at, ...(item as object) });
    },
    warn: (sentence: string) => out.note(sentence),
    wait: async (milliseconds: number) => interrupts?.wait(milliseconds),
    mayPass,
    isOver: () => interrupts?.isOver() ?? true,
  };
  const known = await showLatest(following, count);
  if (!asLines) {
    if (out.isJson) out.result({ items: shown }, []);
    return;
  }
  await follow(following, known);
}
