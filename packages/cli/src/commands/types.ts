import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CommandError, type ExitCode, exitCodes } from '../frame/command-error.ts';
import type { AddCommands, Context } from '../frame/context.ts';
import { environmentOption } from '../frame/environment-option.ts';
import { untilInterrupted } from '../frame/interrupts.ts';
import { hasCode, mayPass } from '../management/known-error.ts';
import { assertReaches } from '../profiles/target.ts';
import { type Environment, fingerprint, isCurrent, typesOf, writeTypes } from '../types/types-file.ts';

interface TypesOptions {
  readonly env: Environment;
  readonly out: string;
  readonly watch?: true;
  readonly check?: true;
}

/** `types`: what an app's definitions are in TypeScript. */
export const addTypesCommand: AddCommands = (program, run) => {
  program
    .command('types')
    .description('writes the types of the app for TypeScript')
    .addOption(environmentOption())
    .option('--out <path>', 'file to write', 'freehold.d.ts')
    .option('--check', 'writes nothing; ends with 1 if the file is not current')
    .option('--watch', 'goes on until Ctrl-C, and writes the file after each change of the definitions')
    .action(run<TypesOptions, []>((context, options) => types(context, options)));
};

async function types(context: Context, options: TypesOptions): Promise<ExitCode> {
  const path = resolve(context.cwd, options.out);
  if (options.check === true && options.watch === true)
    throw new CommandError('`--check` and `--watch` are two ways to go on', { code: 'wrong_usage' });
  if (!existsSync(dirname(path)))
    throw new CommandError(`there is no folder ${dirname(path)}`, { code: 'wrong_usage' });
  assertReaches(context.target(), options.env);
  if (options.watch === true) return watch(context, options, path);
  const text = await typesOf(context.management(), options.env);
  if (options.check === true) {
    const current = isCurrent(path, text);
    context.out.result({ path: options.out, current }, [
      current
        ? `${options.out} is current`
        : `${options.out} is out of date: run \`freehold types --out ${options.out}\``,
    ]);
    return current ? exitCodes.done : exitCodes.answerIsNo;
  }
  const written = writeTypes(path, text);
  context.out.result({ path: options.out, written }, [written ? `wrote ${options.out}` : `${options.out} is current`]);
  return exitCodes.done;
}

const roundMilliseconds = 2_000;

async function watch(context: Context, { env, out }: TypesOptions, path: string): Promise<ExitCode> {
  const interrupts = untilInterrupted();
  let known: string | undefined;
  let isAway = false;
  while (!interrupts.isOver()) {
    try {
      const now = await fingerprint(context.management(), env);
      if (now !== known && writeTypes(path, await typesOf(context.management(), env))) context.out.note(`wrote ${out}`);
      else if (known === undefined) context.out.note(`${out} is current`);
      known = now;
      isAway = false;
    } catch (error) {
      // An entity may have been removed between two calls.
      if (known === undefined || !(mayPass(error) || hasCode(error, 'not_found'))) throw error;
      if (!isAway) context.out.note(`${error instanceof Error ? error.message : String(error)}; trying again`);
      isAway = true;
    }
    await interrupts.wait(roundMilliseconds);
  }
  return exitCodes.done;
}
