import type { InputError } from '@freehold/contract/problem';
import {
  type ConfigGate,
  type ConfigItem,
  type ConfigItemKind,
  type ConfigSet,
  configItemKinds,
  type SettingContext,
  type SettingType,
  type SwitchTime,
} from '../config/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonSchema } from '../lib/json-schema.ts';
import type { Problem } from '../lib/problem.ts';
import type { Change, Store } from '../store/port.ts';
import type { Environment } from '../tenancy/port.ts';
import { describePatch, diffJson } from './differences/describe-change.ts';
import type { BodyVersions, ItemStorage } from './item-storage.ts';

/**
 * Everything that promotion has to know of a kind of config items. The module that owns the contents has it, and the
 * composition root hands all of them to `openPromotion`.
 */
export interface ConfigKind<Content = unknown> {
  readonly kind: ConfigItemKind;
  readonly storage: ItemStorage;
  /** Left out where items have no records. */
  readonly records?: KindRecords;
  /** The name of one of them in the audit log and refusals. */
  readonly singular: string;
  /** Items count towards the bounds that the items of several kinds have in common, whose refusals call them so. */
  readonly boundedAs?: string;
  /** Items decide who gets in, so an admin changes them. */
  readonly needsAdmin?: true;
  /** An item is there with its default before it is made, so it can be replaced. */
  readonly hasDefaults?: true;
  /** Every setting, of the kind that has settings. */
  readonly settings?: readonly SettingType[];
  /** JSON Schema (2020-12) of the content. It may take a few that `parse` refuses, and refuses none that it takes. */
  readonly schema: JsonSchema;
  /** Does ahead of `parse`, in turns, what of it takes long. */
  prepare?(input: unknown): Promise<void>;
  /** The content in its one form, or what is wrong with it; pointers begin at the content. */
  parse(name: string, input: unknown): { readonly content: Content } | { readonly errors: readonly InputError[] };
  /** Why no new item may have the name, as errors of its content. A stored item keeps its name. */
  newNameErrors?(name: string): readonly InputError[];
  /** The faults of a content among the others with which it would be live, such as its expressions. */
  check?(content: Content, live: LiveContents): readonly InputError[];
  /** @throws Problem `conflict` where a change leaves more items of a sort than an org may have. */
  refuseTooMany?(change: CountedChange<Content>): void;
  /**
   * The obstacles that keep a content from doing anything in production, as far as the platform sees it before.
   * @param whyNot why the platform never calls an address; undefined where it may.
   */
  unfit?(content: Content, whyNot: (url: string) => string | undefined): readonly InputError[];
  /** The other items that the content cannot do without. */
  references(content: Content, name: string): readonly ItemReference[];
  /** Whether others may show it by a view of that name. */
  isShownBy?(content: Content, view: string): boolean;
  /** The same for an item that every org has and that is no config item; undefined where there is none of that name. */
  isBuiltInShownBy?(name: string, view: string): boolean | undefined;
  /** The effects of a change for a reader, a sentence each: lower case, no final period, names in backticks. */
  describe(change: ContentChange<Content>): readonly string[];
  /** The same for what lets more people in, or lets them do more, than before; none where nothing does. */
  widening(change: ContentChange<Content>): readonly string[];
  /** Likely mistakes in a content, among the others with which it would be live. */
  advise?(change: ContentChange<Content>, around: SettingContext): Promise<readonly string[]>;
  /** Whether the content asks to be run, which this version of the platform does not do: it stores and promotes it. */
  isIdle?(content: Content): boolean;
}

/** The other contents that would be live beside a content. */
export interface LiveContents {
  /** Undefined where there is no such item. */
  readonly contentOf: (item: ConfigItem) => unknown;
}

/** The contents of a kind on both sides of a change. */
interface CountedChange<Content = unknown> {
  readonly env: Environment;
  readonly before: readonly Content[];
  readonly after: readonly Content[];
  /** Those that the change brings. */
  readonly wanted: readonly Content[];
}

export interface ItemReference extends ConfigItem {
  /** The place of the reference in the content. */
  readonly pointer: string;
  /** By which of its views the item is shown, where it is. A missing item is reported without it. */
  readonly view?: string;
  /** The text after the name of the referring item, such as "looks it up in the field `customer_id`". */
  readonly reason: string;
}

/** Undefined on the side on which the item is not there; never on both. */
export interface ContentChange<Content = unknown> {
  /** Of the item: a setting's content does not say whose it is. */
  readonly name: string;
  readonly before: Content | undefined;
  readonly after: Content | undefined;
}

export type ConfigKinds = Readonly<Record<ConfigItemKind, ConfigKind>>;

/** @throws TypeError where a kind is missing, or is there twice. */
export function kindsOf(all: readonly ConfigKind[]): ConfigKinds {
  const found = configItemKinds.map((kind) => {
    const [one, other] = all.filter((candidate) => candidate.kind === kind);
    if (one === undefined || other !== undefined)
      throw new TypeError(`there is ${one === undefined ? 'no kind' : 'more than one kind'} \`${kind}\``);
    return [kind, complete(one)] as const;
  });
  return Object.fromEntries(found) as Record<ConfigItemKind, ConfigKind>;
}

/** Every change has a sentence: a change that a kind does not describe is described by its JSON pointer. */
function complete(kind: ConfigKind): ConfigKind {
  const describe: ConfigKind['describe'] = (change) => {
    const sentences = kind.describe(change);
    return sentences.length > 0 ? sentences : describePatch(diffJson(change.before, change.after));
  };
  return { ...kind, describe };
}

/** The target of an item; undefined takes it away. Its bodies lie under the versions, or come in the same commit. */
export interface ItemTarget extends ConfigItem {
  readonly wanted: { readonly content: unknown; readonly versions: BodyVersions } | undefined;
}

/** Something to know before what is staged becomes live. An error keeps it from that; of records only until forced. */
export interface DeployCheck extends Partial<ConfigItem> {
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
  /** The findings, by the names of the check's details. */
  readonly [detail: string]: unknown;
}

/** The store and the limits for which a switch to other items is planned. */
export interface MigrationDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Left out, the org may have as much as the platform serves. */
  readonly gate?: ConfigGate | undefined;
}

export interface SwitchMoment {
  readonly orgCode: string;
  /** The current configuration. */
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
  plan(parts: MigrationDeps, moment: SwitchMoment, targets: readonly ItemTarget[]): Promise<RecordsPlan>;
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
  /** Parts of the records that are served no more and stay, a sentence each. */
  readonly warnings: readonly string[];
  /** The facts that are known of it without a look at the records. */
  readonly checks: readonly DeployCheck[];
  /** The same, shown in place of what the records have against it. */
  readonly checksWithoutRecords: readonly DeployCheck[];
  /** The objections of the records to it. */
  checkRecords(): Promise<readonly DeployCheck[]>;
  /** Each item whose records contradict what it is to be, with how that is refused. */
  failing(): AsyncIterable<FailingItem>;
  /** The configuration as it will be. */
  setAfter(set: ConfigSet): ConfigSet;
}

export interface FailingItem {
  readonly item: ConfigItem;
  readonly problem: Problem;
}

/** An item goes by one name, which its content says too. */
export function otherName(pointer: string, expected: string, actual: string): readonly InputError[] {
  if (expected === actual) return [];
  const message = `the name in the content is \`${actual}\`, and the item is named \`${expected.slice(0, 100)}\``;
  return [{ pointer, code: 'contradiction', message }];
}
