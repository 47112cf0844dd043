import type { ConfigItem, ConfigItemKind } from '../config/port.ts';
import type { Environment } from '../tenancy/port.ts';
import { createItem, type ItemChange, removeItem, replaceItem, restoreItem } from './items/change-item.ts';
import { type ContentToCheck, checkContent } from './items/check-content.ts';
import {
  type AskedVersion,
  type ItemAtVersion,
  listVersions,
  type PageQuery,
  showVersion,
  type VersionPage,
} from './items/item-versions.ts';
import {
  type AskedItem,
  type ItemPage,
  type ListedKind,
  listItems,
  type ShownItem,
  type ShownKind,
  showItem,
  showKinds,
} from './items/show-items.ts';
import type { PromotionCommand, PromotionDeps } from './promotion-deps.ts';

/** Config items of all kinds, by their names: read in both environments, written in test; each change is a version that stays. */
export interface ConfigItems {
  /** Whether the items of a kind are changed by admins alone. */
  needsAdmin(kind: ConfigItemKind): boolean;
  kinds(env: Environment, orgCode: string): Promise<readonly ShownKind[]>;
  /** @throws Problem `invalid_cursor`. */
  list(asked: ListedKind): Promise<ItemPage>;
  /** @throws Problem `not_found`. */
  show(asked: AskedItem): Promise<ShownItem>;
  /** @throws Problem `not_found`, `invalid_cursor`. */
  versions(orgCode: string, item: ConfigItem, query: PageQuery): Promise<VersionPage>;
  /** @throws Problem `not_found`. */
  version(asked: AskedVersion): Promise<ItemAtVersion>;
  /** @throws Problem `validation_failed`, `unknown_field`, `conflict`. */
  create(command: PromotionCommand, made: ItemChange & { readonly content: unknown }): Promise<ShownItem>;
  /** The content in its one form; nothing is stored. @throws Problem as `create` does for what is wrong with it. */
  check(asked: ContentToCheck): Promise<unknown>;
  /** @throws Problem `not_found`, `version_mismatch`, or what `create` throws. */
  replace(command: PromotionCommand, change: ItemChange & { readonly content: unknown }): Promise<ShownItem>;
  /** @throws Problem what `replace` throws. */
  restore(command: PromotionCommand, change: ItemChange & { readonly version: number }): Promise<ShownItem>;
  /** @throws Problem `not_found`, `version_mismatch`, `dangling_reference`. */
  remove(command: PromotionCommand, change: ItemChange): Promise<void>;
}

export function createConfigItems(deps: PromotionDeps): ConfigItems {
  return {
    needsAdmin: (kind) => deps.kinds[kind].needsAdmin === true,
    kinds: (env, orgCode) => showKinds(deps, env, orgCode),
    list: (asked) => listItems(deps, asked),
    show: (asked) => showItem(deps, asked),
    versions: (orgCode, item, query) => listVersions(deps, { orgCode, item }, query),
    version: (asked) => showVersion(deps, asked),
    create: (asked, made) => createItem(deps, asked, made),
    check: (asked) => checkContent(deps, asked),
    replace: (asked, change) => replaceItem(deps, asked, change),
    restore: (asked, change) => restoreItem(deps, asked, change),
    remove: (asked, change) => removeItem(deps, asked, change),
  };
}
