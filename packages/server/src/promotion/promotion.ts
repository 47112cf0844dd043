import type { ConfigItem, ConfigItemKind } from '../config/port.ts';
import { type Environment, orgScopeName } from '../tenancy/port.ts';
import { readArchive, writeArchive } from './archive/config-archive.ts';
import { type ImportOptions, importConfig } from './archive/import-config.ts';
import { founderChecks } from './checks/checks.ts';
import { readAll } from './differences/compare.ts';
import { showDiff } from './differences/diff.ts';
import {
  type ContentToCheck,
  checkContent,
  createItem,
  type ItemChange,
  removeItem,
  replaceItem,
  restoreItem,
} from './items/change-item.ts';
import { listVersions, type PageQuery, showVersion, type VersionQuery } from './items/item-versions.ts';
import { type ItemQuery, type ListedKind, listItems, showItem, showKinds } from './items/show-items.ts';
import { type PromotionCommand, type PromotionDeps, promotionContext } from './promotion-deps.ts';
import {
  readActivate,
  readPublish,
  readRollback,
  type SentActivate,
  type SentPublish,
  type SentRollback,
} from './read-requests.ts';
import { activate } from './releases/activate.ts';
import {
  compareRelease,
  type HistoryQuery,
  latestReleases,
  liveRelease,
  showHistory,
  showRelease,
} from './releases/history.ts';
import { checkStaged, publish, type StagedChecks, withdraw } from './releases/publish.ts';
import { listRetired, removeRetired } from './releases/releases.ts';
import { rollback } from './releases/rollback.ts';
import { readStaged, stagedBase } from './releases/staging.ts';

export type Promotion = ReturnType<typeof createPromotion>;

/**
 * Configuration goes from test to production, and back: what is published is frozen and staged, what is staged becomes
 * live all at once or not at all, and every release can be had again. Data never moves.
 */
export function createPromotion(deps: PromotionDeps) {
  return {
    diff: (orgCode: string) => showDiff(deps, orgCode),
    /** The live configuration of an environment, as a tar archive in pieces. */
    archive: async (orgCode: string, env: Environment): Promise<Iterable<string>> =>
      writeArchive([...(await readAll(await promotionContext(deps, env, orgCode))).values()]),
    /** @throws Problem `validation_failed`, `unknown_field`, `version_mismatch`, `conflict`, `dangling_reference`. */
    importArchive: async (command: PromotionCommand, archive: Buffer, options: ImportOptions) =>
      importConfig(deps, command, { items: await readArchive(archive), options }),
    /** @throws Problem `validation_failed`, `unknown_field`, `conflict`. */
    publish: (command: PromotionCommand, body: SentPublish, shown: StagedChecks) =>
      publish(deps, command, { request: readPublish(body), ...shown }),
    /** The staged items, under a base that names them, with the checks to see before they become live. */
    staged: async (orgCode: string, shown: StagedChecks) => {
      const rows = await readStaged(deps.stores.prod.scope(orgScopeName(orgCode)));
      const checks =
        rows.length === 0
          ? []
          : [...(await founderChecks(deps, orgCode)), ...(await checkStaged(deps, orgCode, shown))];
      return { base: stagedBase(rows), items: rows.map(({ staged: { body: _, ...item } }) => item), checks };
    },
    /** Without an item all that is staged. @throws Problem `not_found`. */
    withdraw: (command: PromotionCommand, item?: ConfigItem) => withdraw(deps, command, item),
    /** @throws Problem `conflict`, `dangling_reference`, `validation_failed`, `unknown_field`. */
    activate: (command: PromotionCommand, body?: SentActivate) => activate(deps, command, readActivate(body)),
    /** @throws Problem `no_previous_version`, `not_found`, `version_mismatch`, `conflict`, `validation_failed`, `unknown_field`. */
    rollback: (command: PromotionCommand, body?: SentRollback) => rollback(deps, command, readRollback(body)),
    /** @throws Problem `invalid_cursor`. */
    history: (orgCode: string, query: HistoryQuery) => showHistory(deps, orgCode, query),
    /** The last releases, the latest first, without what they changed. */
    latest: (orgCode: string, limit: number) => latestReleases(deps, orgCode, limit),
    /** The release whose configuration is live; undefined before the first activation. */
    live: (orgCode: string) => liveRelease(deps, orgCode),
    /** @throws Problem `not_found`. */
    release: (orgCode: string, version: number) => showRelease(deps, orgCode, version),
    /** The same with what a rollback to it would change. @throws Problem `not_found`. */
    comparedRelease: (orgCode: string, version: number) => compareRelease(deps, orgCode, version),
    /** The items that production had, whose records are still there. */
    retired: (orgCode: string, kind: ConfigItemKind) => listRetired(deps, orgCode, kind),
    /** @throws Problem `not_found`. */
    removeRetired: (command: PromotionCommand, item: ConfigItem) => removeRetired(deps, command, item),
  };
}

export type ConfigItems = ReturnType<typeof createConfigItems>;

/** Config items of all kinds, by their names: read in both environments, written in test; each change is a version that stays. */
export function createConfigItems(deps: PromotionDeps) {
  return {
    /** Whether the items of a kind are changed by admins alone. */
    needsAdmin: (kind: ConfigItemKind) => deps.kinds[kind].needsAdmin === true,
    kinds: (env: Environment, orgCode: string) => showKinds(deps, env, orgCode),
    /** @throws Problem `invalid_cursor`. */
    list: (listing: ListedKind) => listItems(deps, listing),
    /** @throws Problem `not_found`. */
    show: (query: ItemQuery) => showItem(deps, query),
    /** @throws Problem `not_found`, `invalid_cursor`. */
    versions: (orgCode: string, item: ConfigItem, query: PageQuery) => listVersions(deps, { orgCode, item }, query),
    /** @throws Problem `not_found`. */
    version: (query: VersionQuery) => showVersion(deps, query),
    /** @throws Problem `validation_failed`, `unknown_field`, `conflict`. */
    create: (command: PromotionCommand, made: ItemChange & { readonly content: unknown }) =>
      createItem(deps, command, made),
    /** The content in its one form; nothing is stored. @throws Problem as `create` does for what is wrong with it. */
    check: (content: ContentToCheck) => checkContent(deps, content),
    /** @throws Problem `not_found`, `version_mismatch`, or what `create` throws. */
    replace: (command: PromotionCommand, change: ItemChange & { readonly content: unknown }) =>
      replaceItem(deps, command, change),
    /** @throws Problem what `replace` throws. */
    restore: (command: PromotionCommand, change: ItemChange & { readonly version: number }) =>
      restoreItem(deps, command, change),
    /** @throws Problem `not_found`, `version_mismatch`, `dangling_reference`. */
    remove: (command: PromotionCommand, change: ItemChange) => removeItem(deps, command, change),
  };
}
