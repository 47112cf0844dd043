/** The builder's half of the command `freehold`: one program for a person at a terminal, a script, and a pipeline. */
import { FreeholdError } from '@freehold/client/management';
import { CommandError, errorAsJson, errorAsText, exitCodes } from './frame/command-error.ts';
import type { Installation, Surroundings } from './frame/context.ts';
import { printable } from './frame/printable.ts';
import { createProgram } from './frame/program.ts';
import { refusalOf } from './management/refusal.ts';

/** How a shell reports a program that SIGPIPE ended, because its reader, such as `head`, has seen enough. */
const brokenPipe = 141;

/** Runs the words and sets the code that the process ends with. */
export async function runBuilder(words: readonly string[], installation: Installation): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(brokenPipe);
  });
  const { env, stdin, stdout, stderr } = process;
  process.exitCode = await runWords({ env, cwd: process.cwd(), stdin, stdout, stderr, ...installation }, words);
}

async function runWords(surroundings: Surroundings, words: readonly string[]): Promise<number> {
  const { stdout, stderr } = surroundings;
  const { program, run } = createProgram(surroundings);
  const [first] = words;
  if (first === '--version') stdout.write(`freehold ${surroundings.version}\n`);
  else if (first === undefined) stdout.write(program.helpInformation());
  if (first === '--version') return exitCodes.done;
  if (first === undefined) return exitCodes.failed;
  try {
    return await run(words);
  } catch (error) {
    const failure = failureOf(error);
    if (words.includes('--json')) stdout.write(`${JSON.stringify(errorAsJson(failure), undefined, 2)}\n`);
    else stderr.write(printable(errorAsText(failure)));
    return failure.exitCode;
  }
}

function failureOf(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof FreeholdError) return refusalOf(error);
  return isOfSystem(error) ? new CommandError(error.message, { code: 'file_error' }) : unexpected(error);
}

/** A file or folder that cannot be read or written, in the words of the system. */
function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'path' in error;
}

/** A mistake of this program. Its stack names files of this program only, and no value that was sent. */
function unexpected(error: unknown): CommandError {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const lines = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return new CommandError(`the command failed by a mistake of its own: ${message}`, {
    code: 'internal_error',
    lines: lines.map((line) => line.trim()),
    next: 'report this, with the lines above',
  });
}
