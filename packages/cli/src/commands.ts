import { addCompletionCommand } from './commands/completion.ts';
import { addConfigCommands } from './commands/config.ts';
import { addDeployCommand } from './commands/deploy.ts';
import { addInitCommand } from './commands/init.ts';
import { addProfileCommands } from './commands/profiles.ts';
import { addRollbackCommand } from './commands/rollback.ts';
import type { AddCommands } from './frame/program.ts';

/** The commands of builders, in the order of the help. A new file of `commands/` adds its function here. */
export const commands: readonly AddCommands[] = [
  addProfileCommands,
  addInitCommand,
  addConfigCommands,
  addDeployCommand,
  addRollbackCommand,
  addCompletionCommand,
];
