import type { ConfigGate, ConfigItem, ConfigSet, SwitchTime } from '../config/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { Problem } from '../lib/problem.ts';
import type { Change, Store } from '../store/port.ts';
import type { BodyVersions } from './item-storage.ts';

/** What is to become of an item; undefined takes it away. Its bodies lie under the versions, or come in the same commit. */
export interface ItemTarget extends ConfigItem {
  readonly wanted: { readonly content: unknown; readonly versions: BodyVersions } | undefined;
}

/** Something to know before what is staged becomes live. An error keeps it from that; of records only until forced. */
export interface Check extends Partial<ConfigItem> {
  readonly check:
    | 'definition'
    | 'references'
    | 'switch'
    | 'plan'
    | 'records'
    | 'indexes'
    | 'access'
    | 'impact'
    | 'founder';
  readonly level: 'error' | 'warning' | 'info';
  readonly message: string;
  /** What was found, by what the check is. */
  readonly [detail: string]: unknown;
}

/** Where a switch to other items is planned. */
export interface SwitchParts {
  readonly store: Store;
  readonly clock: Clock;
  /** Left out, the org may have as much as the platform serves. */
  readonly gate?: ConfigGate | undefined;
}

export interface SwitchMoment {
  readonly orgCode: string;
  /** The configuration that stands. */
  readonly set: ConfigSet;
  /** The config version that the switch makes. */
  readonly next: number;
  /** Whether records of items that are taken away stay in the store, so that their item can come back. */
  readonly keepsRecords: boolean;
}

/** Of a kind whose items have records, which follow each change of them. */
export interface KindRecords {
  /**
   * Brings items of the kind, none or more, to what is wanted of them.
   * @throws Problem `conflict`, `dangling_reference`, or what the gate refuses.
   */
  plan(parts: SwitchParts, moment: SwitchMoment, targets: readonly ItemTarget[]): Promise<RecordsPlan>;
  /** The items that are not there any more, and whose records were kept. */
  retired(store: Store, orgCode: string): Promise<readonly RetiredItem[]>;
  /** The changes that have a retired item's records removed. @throws Problem `not_found`. */
  planRetiredRemoval(store: Store, moment: SwitchTime, name: string): Promise<readonly Change[]>;
}

export interface RetiredItem {
  readonly name: string;
  readonly records: number;
  readonly retired_at: string;
}

export interface RecordsPlan {
  /** Of one commit; bodies and the head of the configuration are not among them. */
  readonly changes: readonly Change[];
  /** The versions of the items that it changes: as long as they stay, so does what `checkRecords` finds. */
  readonly from: readonly number[];
  /** What of the records is served no more and stays, a sentence each. */
  readonly warnings: readonly string[];
  /** What is known of it without a look at the records. */
  readonly checks: readonly Check[];
  /** The same, shown in place of what the records have against it. */
  readonly checksWithoutRecords: readonly Check[];
  /** What the records have against it. */
  checkRecords(): Promise<readonly Check[]>;
  /** Each item whose records contradict what it is to be, with how that is refused. */
  failing(): AsyncIterable<FailingItem>;
  /** The configuration as it will be. */
  setAfter(set: ConfigSet): ConfigSet;
}

export interface FailingItem {
  readonly item: ConfigItem;
  readonly problem: Problem;
}
