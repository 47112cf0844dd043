import { addEntityCommands } from './commands/entity.ts';
import { addPolicyCommands } from './commands/policy.ts';
import { addProfileCommands } from './commands/profiles.ts';
import { addRecordCommands } from './commands/records.ts';
import type { AddCommands } from './frame/program.ts';

/** The commands of builders, in the order of the help. A new file of `commands/` adds its function here. */
export const commands: readonly AddCommands[] = [
  addProfileCommands,
  addEntityCommands,
  addRecordCommands,
  addPolicyCommands,
];
