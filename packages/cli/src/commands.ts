import { addEntityCommands } from './commands/entity.ts';
import { addFollowCommands } from './commands/follow.ts';
import { addOpenCommand } from './commands/open.ts';
import { addPolicyCommands } from './commands/policy.ts';
import { addProfileCommands } from './commands/profiles.ts';
import { addRecordCommands } from './commands/records.ts';
import { addSeedCommand } from './commands/seed.ts';
import type { AddCommands } from './frame/program.ts';

/** The commands of builders, in the order of the help. A new file of `commands/` adds its function here. */
export const commands: readonly AddCommands[] = [
  addProfileCommands,
  addEntityCommands,
  addRecordCommands,
  addPolicyCommands,
  addSeedCommand,
  addFollowCommands,
  addOpenCommand,
];
