import type { InputError } from '@freehold/contract/problem';
import { type ConfigItem, type ConfigItemKind, configItemKinds, type Surroundings } from '../config/port.ts';
import type { JsonSchema } from '../lib/json-schema.ts';
import type { Environment } from '../tenancy/port.ts';
import { describePatch } from './differences/describe-change.ts';
import { diffJson } from './differences/json-patch.ts';
import type { ItemStorage } from './item-storage.ts';
import type { KindRecords } from './kind-records.ts';

/**
 * Everything that promotion has to know of a kind of config items. The module that owns the contents has it, and the
 * composition root hands all of them to `openPromotion`.
 */
export interface ConfigKind<Content = unknown> {
  readonly kind: ConfigItemKind;
  readonly storage: ItemStorage;
  /** Left out where items have no records. */
  readonly records?: KindRecords;
  /** What the audit log and refusals call one of them. */
  readonly singular: string;
  /** Items count towards the bounds that the items of several kinds have in common, whose refusals call them so. */
  readonly boundedAs?: string;
  /** Items decide who gets in, so an admin changes them. */
  readonly needsAdmin?: true;
  /** An item is there with its default before it is made, so it can be replaced. */
  readonly hasDefaults?: true;
  /** JSON Schema (2020-12) of the content. It may take a few that `parse` refuses, and refuses none that it takes. */
  readonly schema: JsonSchema;
  /** Does ahead of `parse`, in turns, what of it takes long. */
  prepare?(input: unknown): Promise<void>;
  /** The content in its one form, or what is wrong with it; pointers begin at the content. */
  parse(name: string, input: unknown): { readonly content: Content } | { readonly errors: readonly InputError[] };
  /** Why no new item may have the name, as errors of its content. A stored item keeps its name. */
  newNameErrors?(name: string): readonly InputError[];
  /** What is wrong with a content among the others with which it would be live, such as its expressions. */
  check?(content: Content, live: LiveContents): readonly InputError[];
  /** @throws Problem `conflict` where a change leaves more items of a sort than an org may have. */
  refuseTooMany?(change: CountedChange<Content>): void;
  /**
   * What keeps a content from doing anything in production, as far as the platform sees it before.
   * @param whyNot why the platform never calls an address; undefined where it may.
   */
  unfit?(content: Content, whyNot: (url: string) => string | undefined): readonly InputError[];
  /** The other items that the content cannot do without. */
  references(content: Content, name: string): readonly ItemReference[];
  /** Whether others may show it by a view of that name. */
  isShownBy?(content: Content, view: string): boolean;
  /** The same for an item that every org has and that is no config item; undefined where there is none of that name. */
  isBuiltInShownBy?(name: string, view: string): boolean | undefined;
  /** What a change means to who reads it, a sentence each: lower case, no final period, names in backticks. */
  describe(change: ContentChange<Content>): readonly string[];
  /** The same for what lets more people in, or lets them do more, than before; none where nothing does. */
  widening(change: ContentChange<Content>): readonly string[];
  /** What of a content is likely not to mean what it says, among the others with which it would be live. */
  advise?(change: ContentChange<Content>, around: Surroundings): Promise<readonly string[]>;
  /** Whether the content asks to be run, which this version of the platform does not do: it stores and promotes it. */
  isIdle?(content: Content): boolean;
}

/** What would be live beside a content. */
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
  /** Where in the content it stands. */
  readonly pointer: string;
  /** By which of its views the item is shown, where it is. A missing item is reported without it. */
  readonly view?: string;
  /** What goes after the name of the referring item, such as "looks it up in the field `customer_id`". */
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
