import type { AuditContext } from '../audit/audit-entry.ts';
import type { ConfigGate, ConfigItem, ConfigReader, ConfigSet } from '../config/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { Cursors } from '../records/port.ts';
import type { Store } from '../store/port.ts';
import type { Environment } from '../tenancy/port.ts';
import type { ConfigKinds } from './config-kind.ts';

/**
 * For the review of a release, who becomes the first admin of production; undefined where it has had one.
 * @param contentAfter what an item of production is once the release is live; undefined where it is not there.
 */
type FounderNote = (
  orgCode: string,
  contentAfter: (item: ConfigItem) => unknown,
) => Promise<{ readonly level: 'warning' | 'info'; readonly message: string } | undefined>;

/** The dependencies of promotion. */
export interface PromotionDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly clock: Clock;
  /** Left out, an org may have as much as the platform serves. */
  readonly gates?: Readonly<Record<Environment, ConfigGate>> | undefined;
  readonly kinds: ConfigKinds;
  /** Why the platform never calls an address, as far as its text tells; left out, it calls any. */
  readonly whyNeverCalled?: (url: string) => string | undefined;
  readonly cursors: Cursors;
  /** Tells the job runner that there is work. */
  readonly wake: () => void;
  /** Left out, no check says who becomes the first admin. */
  readonly founderNote?: FounderNote | undefined;
}

/** The author of a command, and its org. */
export interface PromotionCommand {
  readonly orgCode: string;
  readonly auditContext: AuditContext;
}

/** An org's configuration in one environment, and where it lies. */
export interface PromotionContext {
  readonly store: Store;
  readonly orgCode: string;
  readonly set: ConfigSet;
  readonly kinds: ConfigKinds;
}

/** Read again: what is decided by it must not be a moment old. */
export async function promotionContext(
  { stores, configs, kinds }: Pick<PromotionDeps, 'stores' | 'configs' | 'kinds'>,
  env: Environment,
  orgCode: string,
): Promise<PromotionContext> {
  return { store: stores[env], orgCode, set: await configs[env].refresh(orgCode), kinds };
}
