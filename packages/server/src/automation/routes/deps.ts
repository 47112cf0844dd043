import type { ConfigItems } from '../../promotion/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { Automation } from '../open-automation.ts';
import type { EventServices } from '../outbox/event-services.ts';
import type { SecretReferences } from '../vault/secret-references.ts';
import type { SecretVault } from '../vault/secret-vault.ts';

export interface AutomationRouteDeps
  extends Pick<Automation, 'drafts' | 'logicBlocks' | 'runs' | 'schedules' | 'hooks'> {
  readonly events: EventServices;
  readonly items: ConfigItems;
  readonly secretVault: SecretVault;
  readonly secretReferences: SecretReferences;
  readonly rateLimits: { take(call: HookCall): void };
  readonly metering: {
    readonly meter: {
      count(place: { readonly orgCode: string; readonly env: Environment; readonly tenantCode: string }): void;
    };
    readonly gate: { check(orgCode: string): void | Promise<void> };
  };
}

/** A message of a hook as one of the calls of its org. */
export interface HookCall {
  readonly org: string;
  readonly env: Environment;
  readonly principal: string;
  readonly builder: undefined;
  /** What the answer says of the limits. */
  replyHeaders: Readonly<Record<string, string>> | undefined;
}
