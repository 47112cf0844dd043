import { addCompletionCommand } from './commands/completion.ts';
import { addConfigCommands } from './commands/config.ts';
import { addDeployCommand } from './commands/deploy.ts';
import { addDevCommand } from './commands/dev.ts';
import { addEntityCommands } from './commands/entity.ts';
import { addFollowCommands } from './commands/follow.ts';
import { addInitCommand } from './commands/init.ts';
import { addOpenCommand } from './commands/open.ts';
import { addPolicyCommands } from './commands/policy.ts';
import { addProfileCommands } from './commands/profiles.ts';
import { addRecordCommands } from './commands/records.ts';
import { addRollbackCommand } from './commands/rollback.ts';
import { addSeedCommand } from './commands/seed.ts';
import { addTypesCommand } from './commands/types.ts';
import type { AddCommands } from './frame/context.ts';

/** The commands of builders, in the order of the help. A new file of `commands/` adds its function here. */
export const commands: readonly AddCommands[] = [
  addProfileCommands,
  addInitCommand,
  addDevCommand,
  addConfigCommands,
  addDeployCommand,
  addRollbackCommand,
  addEntityCommands,
  addRecordCommands,
  addPolicyCommands,
  addTypesCommand,
  addSeedCommand,
  addFollowCommands,
  addOpenCommand,
  addCompletionCommand,
];
