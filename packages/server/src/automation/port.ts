/** What an org has configured to happen by itself, and the secrets that it uses with other systems. */

export { createTell, type Tell } from './alerts.ts';
export type { BlockCaller } from './blocks/caller-effects.ts';
export type { LogicBlocks } from './blocks/logic-blocks.ts';
export { createStoredBlocks, type StoredBlocks } from './blocks/stored-blocks.ts';
export type { RunCaller } from './callers.ts';
export type { Drafts } from './drafts/draft-run.ts';
export { askedAt } from './due.ts';
export type { Hooks } from './hooks/hooks.ts';
export type { HookContent } from './hooks/receive.ts';
export { type Automation, openAutomation } from './open-automation.ts';
export { type EventsDeps, type OpenedEvents, openEvents } from './open-events.ts';
export type { EventServices } from './outbox/event-services.ts';
export { leaseOfDue } from './outbox/outbox-rows.ts';
export type { RetentionOf } from './retention.ts';
export { type AutomationRouteDeps, automationRoutes } from './routes/automation-routes.ts';
export { forgetRunsOf } from './runs/close-run.ts';
export type { RunName } from './runs/control-run.ts';
export type { Runs } from './runs/open-runs.ts';
export type { RunCallers } from './runs/run-caller.ts';
export type { ScheduleName, Schedules } from './schedules/schedules.ts';
export { meteredScripts } from './scripts/metered-scripts.ts';
export { createScriptRunner } from './scripts/script-runner.ts';
export { createSecretReader, type SecretReader } from './vault/secret-reader.ts';
export { createSecretReferences, type SecretReferences } from './vault/secret-references.ts';
export { createSecretVault, type SecretCommand, type SecretVault, unopenedSecrets } from './vault/secret-vault.ts';
export type { WorkMeter } from './work-meter.ts';
export type { AutomationWork } from './work-port.ts';
