/** The operator's half of the command `freehold`: runs the one of its commands that is named. */
import { type Command, Refusal, runCommand } from './command-line.ts';
import { operatorCommands } from './composition/operator-commands.ts';
import { releaseVersion } from './composition/release-version.ts';

/** Ends as the command does that the first word names; what goes wrong is said in that command's words. */
export async function runFreehold(words: readonly string[]): Promise<void> {
  const [name, ...rest] = words;
  const listed = operatorCommands.get(name ?? '');
  runCommand(listed === undefined ? itself : await listed.load(), listed === undefined ? words : rest);
}

/** Where the builder's commands are not installed, as in the image of the platform. */
const itself: Command = { failure: 'nothing was done', run: async ([word]) => answer(word) };

function answer(word: string | undefined): number {
  if (word !== undefined && word !== '--help' && word !== '--version')
    throw new Refusal(`there is no command \`${word}\`: see \`freehold --help\``);
  process.stdout.write(word === '--version' ? `freehold ${releaseVersion()}\n` : help());
  return word === undefined ? 2 : 0;
}

function help(): string {
  const lines = [...operatorCommands].map(([name, { says }]) => `  freehold ${name.padEnd(11)}${says}\n`);
  return `${lines.join('')}
  freehold COMMAND --help     what a command takes
  freehold --version
`;
}
