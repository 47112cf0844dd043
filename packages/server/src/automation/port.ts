/** The automation that an org has configured, and the secrets that it uses with other systems. */

export type { BlockCaller, RunCallers } from './blocks/caller-effects.ts';
export { automationKinds } from './kinds/automation-kinds.ts';
export { automationQueue, openAutomation, openEvents } from './open-automation.ts';
export { leaseOfDue } from './outbox/outbox.ts';
export { createRetryNow } from './outbox/pauses.ts';
export { unopenedSecrets } from './outside/secret-vault.ts';
export { forgetRunsOf } from './runs/execute-run.ts';
