import type { Management } from '@freehold/client/management';
import type { Command } from 'commander';
import { connect } from '../management/connect.ts';
import { configFolder } from '../profiles/config-folder.ts';
import { openProfiles, type ProfileStore } from '../profiles/profile-store.ts';
import { resolveTarget, type Target } from '../profiles/target.ts';
import { findProject, type Project } from '../project/project-file.ts';
import { type Ask, createPrompt } from './ask.ts';
import { CommandError, type ExitCode } from './command-error.ts';
import { createOutput, type Output, type Streams } from './output.ts';
import type { OperatorCommand } from './root-help.ts';

/** The options that every command takes. */
export interface GlobalOptions {
  readonly json?: true;
  readonly profile?: string;
  readonly target?: string;
  /** Empty without a name. */
  readonly yes?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The facts that the launcher has about the installation that this program is a part of. */
export interface Installation {
  /** The commands that the launcher runs itself: they are listed beside those of builders. */
  readonly others: readonly OperatorCommand[];
  /** The path of the launcher. */
  readonly launcher: string;
  readonly version: string;
}

export interface Surroundings extends Streams, Installation {
  readonly env: Environment;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadStream;
}

/** All that a command gets at. What is not asked for is not read. */
export interface Context {
  readonly cwd: string;
  readonly env: Environment;
  readonly stdin: NodeJS.ReadStream;
  /** For results that come piece by piece; others go through `out`. */
  readonly stdout: Surroundings['stdout'];
  /** In columns; undefined where standard output is no terminal. */
  readonly terminalWidth: number | undefined;
  readonly options: GlobalOptions;
  readonly out: Output;
  readonly ask: Ask;
  readonly profiles: ProfileStore;
  /** The commands of the same name that another program runs. */
  readonly others: readonly OperatorCommand[];
  /** The path of the program that starts a platform. */
  readonly launcher: string;
  /** The project file of this folder, or of the nearest one above. @throws CommandError where there is none. */
  project(): Project;
  /** The same, undefined where there is none. */
  projectIfAny(): Project | undefined;
  /** Where the platform is, which org, and by which credential. @throws CommandError rather than take another one. */
  target(): Target;
  /** Calls of the management API with the credential of the target. A FreeholdError is reported as it is. */
  management(): Management;
}

/** The work of a command. It gives the code to end with; left out, all is done. */
export type Work<Options, Arguments extends readonly unknown[]> = (
  context: Context,
  options: Options,
  ...args: Arguments
) => Promise<ExitCode | undefined> | ExitCode | undefined;

/** Makes a work into the action of a command: `command('x <file>').action(run(async (context, options, file) => …))`. */
export type CommandRunner = <Options, Arguments extends readonly unknown[]>(
  work: Work<Options, Arguments>,
) => (...given: unknown[]) => Promise<void>;

/**
 * Adds commands to the tree. A file of `commands/` exports one such function, and `commands.ts` lists it. A command has a
 * name, a description, its options and arguments, and one action.
 */
export type AddCommands = (program: Command, run: CommandRunner) => void;

export function createContext(surroundings: Surroundings, options: GlobalOptions): Context {
  const { cwd, env, stdin, stdout, others, launcher } = surroundings;
  const isTerminal = stdin.isTTY === true && surroundings.stderr.isTTY === true && options.json !== true;
  const profiles = openProfiles(configFolder(env));
  const projectIfAny = once(() => findProject(cwd));
  const target = once(() => resolveTarget({ options, env, profiles, project: projectIfAny() }));
  return {
    cwd,
    env,
    stdin,
    stdout,
    terminalWidth: stdout.columns,
    options,
    out: createOutput(surroundings, options.json === true),
    ask: createPrompt(options.yes, isTerminal ? { input: stdin, output: surroundings.stderr } : undefined),
    profiles,
    others,
    launcher,
    project: () => projectIfAny() ?? fail(cwd),
    projectIfAny,
    target,
    management: once(() => connect(target())),
  };
}

function fail(cwd: string): never {
  throw new CommandError(`there is no freehold.yaml in ${cwd} or above it`, {
    code: 'no_project',
    next: 'run `freehold init` in the root of your project',
  });
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
