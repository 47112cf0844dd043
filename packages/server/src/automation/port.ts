/** What an org has configured to happen by itself, and the secrets that it uses with other systems. */
export { createLogicBlocks, type LogicBlocks, type LogicBlocksDeps } from './blocks/logic-blocks.ts';
export { createStoredBlocks, type StoredBlocksDeps } from './blocks/stored-blocks.ts';
export { type Automation, openAutomation } from './open-automation.ts';
export { createScriptRunner, type ScriptRunner } from './scripts/script-runner.ts';
export { createSecretVault, type SecretCommand, type SecretVault, unopenedSecrets } from './vault/secret-vault.ts';
