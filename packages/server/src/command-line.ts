/** What the commands beside the platform have in common: how they end, and what they take from the environment. */
import { readConfig } from './config.ts';

/** Something that the operator got wrong or has to know, told as it is. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Runs a command and ends with the code that it gives: 2, with a sentence, where it cannot do its work. */
export function runCommand(failure: string, command: () => Promise<number>): void {
  command().then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      const sentence = error instanceof Error ? error.message : String(error);
      const isUsage = error instanceof Refusal || (error instanceof TypeError && 'code' in error);
      process.stderr.write(`${isUsage ? '' : `${failure}: `}${sentence}\n`);
      process.exitCode = 2;
    },
  );
}

/** The folder that is named, or that a platform started here would have. */
export function dataFolder(named: string | undefined): string {
  const read = readConfig({ ...process.env, ...(named === undefined ? {} : { FREEHOLD_DATA_DIR: named }) });
  if ('mistakes' in read) throw new Refusal(read.mistakes.join('\n'));
  return read.config.dataDir;
}
