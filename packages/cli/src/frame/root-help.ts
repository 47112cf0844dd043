import type { Command } from 'commander';

/** A command that another program of this installation runs. */
export interface OperatorCommand {
  readonly name: string;
  readonly says: string;
}

export function rootHelp(program: Command, others: readonly OperatorCommand[]): string {
  const own = program.commands.map((command) => ({ name: command.name(), says: command.description() }));
  const width = Math.max(...[...own, ...others].map(({ name }) => name.length)) + 2;
  const lines = (listed: readonly OperatorCommand[]): string =>
    listed.map(({ name, says }) => `  freehold ${name.padEnd(width)}${says}\n`).join('');
  const options = program.options
    .map(({ flags, description }) => `  ${flags.padEnd(width + 9)}${description}\n`)
    .join('');
  return `For builders, on a platform that runs:

${lines(own)}${others.length === 0 ? '' : `\nFor operators, on the machine of the platform:\n\n${lines(others)}`}
Every command of builders takes:

${options}
  freehold COMMAND --help     what a command takes
  freehold --version
`;
}
