import { countsOf, planJson, planLines } from '../config/shown-plan.ts';
import { CommandError, type ExitCode, exitCodes } from '../frame/command-error.ts';
import type { AddCommands, Context } from '../frame/context.ts';
import { assertReaches } from '../profiles/target.ts';

interface RollbackOptions {
  readonly to?: string;
  readonly note?: string;
  readonly dryRun?: true;
}

/** `rollback`: production goes back to an earlier release. */
export const addRollbackCommand: AddCommands = (program, run) => {
  program
    .command('rollback')
    .description('makes the previous release of production live again')
    .option('--to <version>', 'the release of this number, also a later one')
    .option('--note <text>', 'says in the history why')
    .option('--dry-run', 'shows what would change, and changes nothing')
    .action(run<RollbackOptions, []>((context, options) => rollback(context, options)));
};

async function rollback(context: Context, { to, note, dryRun }: RollbackOptions): Promise<ExitCode> {
  const { org, url } = context.target();
  assertReaches(context.target(), 'prod');
  const management = context.management();
  const version = to ?? (await previousRelease(context));
  if (!/^[1-9]\d{0,11}$/.test(version))
    throw new CommandError(`\`${version}\` is no number of a release`, {
      code: 'wrong_usage',
      next: 'see `GET /deploy/history`',
    });
  const release = await management.call('readRelease', { params: { version }, query: { compare: 'live' } });
  const { live = 0, items = [] } = release.compared ?? {};
  const heading = `${org} at ${url}, production, from release ${live} to what release ${version} made live: ${countsOf(items)}`;
  const json = { org, environment: 'prod', from: live, to: Number(version), items: planJson(items) };
  if (dryRun === true) {
    context.out.result({ ...json, applied: false }, [heading, ...planLines(items)]);
    return exitCodes.done;
  }
  for (const line of [heading, ...planLines(items)]) context.out.note(line);
  await context.ask.confirmByName(org, `This changes production of ${org}; what is live now is left.`);
  const made = await management.call('rollback', {
    body: { version: Number(version), live, ...(note === undefined ? {} : { note }) },
  });
  context.out.result({ ...json, applied: true, version: made.version, restored: made.restored }, [
    `what release ${made.restored} made live is live again in production of ${org}, as release ${made.version}`,
  ]);
  return exitCodes.done;
}

/** The one before that which is live. @throws CommandError where there is none. */
async function previousRelease(context: Context): Promise<string> {
  let nexttoken: string | undefined;
  do {
    const page = await context
      .management()
      .call('listReleases', { query: nexttoken === undefined ? {} : { nexttoken } });
    const live = page.items.find((release) => release.live);
    if (live?.previous !== undefined) return String(live.previous);
    if (live !== undefined) break;
    nexttoken = page.nexttoken ?? undefined;
  } while (nexttoken !== undefined);
  throw new CommandError('there is no earlier release to go back to', { code: 'no_previous_version' });
}
