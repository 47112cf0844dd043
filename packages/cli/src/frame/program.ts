import { Command, CommanderError } from 'commander';
import { commands } from '../commands.ts';
import { CommandError, type ExitCode, exitCodes } from './command-error.ts';
import { type CommandRunner, createContext, type GlobalOptions, type Surroundings, type Work } from './context.ts';
import { rootHelp } from './root-help.ts';

export interface Program {
  readonly program: Command;
  /** Runs the words; the code to end with. @throws CommandError and what is a mistake of a command. */
  readonly run: (words: readonly string[]) => Promise<ExitCode>;
}

export function createProgram(surroundings: Surroundings): Program {
  let code: ExitCode = exitCodes.done;
  const run: CommandRunner =
    <Options, Arguments extends readonly unknown[]>(work: Work<Options, Arguments>) =>
    async (...given: unknown[]) => {
      const command = given.at(-1) as Command;
      const context = createContext(surroundings, command.optsWithGlobals() as GlobalOptions);
      const words = given.slice(0, -2) as unknown as Arguments;
      code = (await work(context, command.opts() as Options, ...words)) ?? exitCodes.done;
    };
  const program = root(surroundings);
  for (const add of commands) add(program, run);
  program.configureHelp({ showGlobalOptions: true });
  program.helpInformation = () => rootHelp(program, surroundings.others);
  for (const command of program.commands) inherit(program, command);
  return {
    program,
    run: async (words) => {
      try {
        await program.parseAsync(withPlainYes(words), { from: 'user' });
      } catch (error) {
        if (error instanceof CommanderError) return ended(error);
        throw error;
      }
      return code;
    },
  };
}

function root({ stdout }: Surroundings): Command {
  return new Command('freehold')
    .option('--profile <name>', 'signs in as this profile (FREEHOLD_PROFILE)')
    .option('--target <name>', 'works on this target of freehold.yaml (FREEHOLD_TARGET)')
    .option('--json', 'answers with one JSON document')
    .option('-y, --yes [org]', 'answers yes; what destroys takes the name: --yes=<org>')
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: () => undefined });
}

/** Subcommands of subcommands show help and errors as the root does. */
function inherit(from: Command, command: Command): void {
  command.copyInheritedSettings(from);
  for (const inner of command.commands) inherit(command, inner);
}

/** A bare `--yes` takes no word behind it for a name: `freehold x --yes file` would lose its file. */
function withPlainYes(words: readonly string[]): string[] {
  return words.map((word) => (word === '--yes' || word === '-y' ? '--yes=' : word));
}

function ended(error: CommanderError): ExitCode {
  if (error.exitCode === 0) return exitCodes.done;
  throw new CommandError(error.message.replace(/^error: /, '').replace(/\n/g, ' '), {
    code: 'wrong_usage',
    next: 'see `freehold --help`, or `--help` behind a command',
  });
}
