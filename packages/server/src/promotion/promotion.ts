import type { ConfigItem, ConfigItemKind } from '../config/port.ts';
import type { Environment } from '../tenancy/port.ts';
import { orgScopeName } from '../tenancy/port.ts';
import { readArchive, writeArchive } from './archive/config-archive.ts';
import { type Imported, type ImportOptions, importConfig } from './archive/import-config.ts';
import { founderChecks } from './checks/founder-check.ts';
import { readAll } from './differences/compare.ts';
import { type ShownDifference, showDiff } from './differences/diff.ts';
import type { Check, RetiredItem } from './kind-records.ts';
import { type PromotionCommand, type PromotionDeps, promotionContext } from './promotion-deps.ts';
import {
  readActivate,
  readPublish,
  readRollback,
  type SentActivate,
  type SentPublish,
  type SentRollback,
} from './read-requests.ts';
import { type Activated, activate } from './releases/activate.ts';
import {
  type ComparedRelease,
  compareRelease,
  type HistoryPage,
  type HistoryQuery,
  type LatestRelease,
  type LiveRelease,
  latestReleases,
  liveRelease,
  type ShownRelease,
  showHistory,
  showRelease,
} from './releases/history.ts';
import { checkStaged, type Published, publish, type StagedChecks, withdraw } from './releases/publish.ts';
import { listRetired, removeRetired } from './releases/retired.ts';
import { type RolledBack, rollback } from './releases/rollback.ts';
import { readStaged, type StagedItem, stagedBase } from './releases/staging.ts';

/**
 * Configuration goes from test to production, and back: what is published is frozen and staged, what is staged becomes
 * live all at once or not at all, and every release can be had again. Data never moves.
 */
export interface Promotion {
  diff(orgCode: string): Promise<readonly ShownDifference[]>;
  /** What is live in an environment, as a tar archive in pieces. */
  archive(orgCode: string, env: Environment): Promise<Iterable<string>>;
  /** @throws Problem `validation_failed`, `unknown_field`, `version_mismatch`, `conflict`, `dangling_reference`. */
  importArchive(command: PromotionCommand, archive: Buffer, options: ImportOptions): Promise<Imported>;
  /** @throws Problem `validation_failed`, `unknown_field`, `conflict`. */
  publish(command: PromotionCommand, body: SentPublish, shown: StagedChecks): Promise<Published>;
  staged(orgCode: string, shown: StagedChecks): Promise<ShownStaged>;
  /** Without an item all that is staged. @throws Problem `not_found`. */
  withdraw(command: PromotionCommand, item?: ConfigItem): Promise<void>;
  /** @throws Problem `conflict`, `dangling_reference`, `validation_failed`, `unknown_field`. */
  activate(command: PromotionCommand, body?: SentActivate): Promise<Activated>;
  /** @throws Problem `no_previous_version`, `not_found`, `version_mismatch`, `conflict`, `validation_failed`, `unknown_field`. */
  rollback(command: PromotionCommand, body?: SentRollback): Promise<RolledBack>;
  /** @throws Problem `invalid_cursor`. */
  history(orgCode: string, query: HistoryQuery): Promise<HistoryPage>;
  /** The last releases, the latest first, without what they changed. */
  latest(orgCode: string, limit: number): Promise<readonly LatestRelease[]>;
  /** The release whose configuration is live; undefined before the first activation. */
  live(orgCode: string): Promise<LiveRelease | undefined>;
  /** @throws Problem `not_found`. */
  release(orgCode: string, version: number): Promise<ShownRelease>;
  /** The same with what a rollback to it would change. @throws Problem `not_found`. */
  comparedRelease(orgCode: string, version: number): Promise<ComparedRelease>;
  /** The items that production had, whose records are still there. */
  retired(orgCode: string, kind: ConfigItemKind): Promise<readonly RetiredItem[]>;
  /** @throws Problem `not_found`. */
  removeRetired(command: PromotionCommand, item: ConfigItem): Promise<void>;
}

export interface ShownStaged {
  /** Names what is staged, for who activates that and nothing else. */
  readonly base: string;
  readonly items: readonly Omit<StagedItem, 'body'>[];
  /** What is to be known of it before it becomes live. */
  readonly checks: readonly Check[];
}

export function createPromotion(deps: PromotionDeps): Promotion {
  return {
    diff: (orgCode) => showDiff(deps, orgCode),
    archive: async (orgCode, env) =>
      writeArchive([...(await readAll(await promotionContext(deps, env, orgCode))).values()]),
    importArchive: async (asked, archive, options) =>
      importConfig(deps, asked, { items: await readArchive(archive), options }),
    publish: (asked, body, shown) => publish(deps, asked, { request: readPublish(body), ...shown }),
    staged: async (orgCode, shown) => {
      const rows = await readStaged(deps.stores.prod.scope(orgScopeName(orgCode)));
      const items = rows.map(({ staged: { body: _, ...shown } }) => shown);
      const base = stagedBase(rows);
      if (items.length === 0) return { base, items, checks: [] };
      const checks = await checkStaged(deps, orgCode, shown);
      return { base, items, checks: [...(await founderChecks(deps, orgCode)), ...checks] };
    },
    withdraw: (asked, item) => withdraw(deps, asked, item),
    activate: (asked, body) => activate(deps, asked, readActivate(body)),
    rollback: (asked, body) => rollback(deps, asked, readRollback(body)),
    history: (orgCode, query) => showHistory(deps, orgCode, query),
    latest: (orgCode, limit) => latestReleases(deps, orgCode, limit),
    live: (orgCode) => liveRelease(deps, orgCode),
    release: (orgCode, version) => showRelease(deps, orgCode, version),
    comparedRelease: (orgCode, version) => compareRelease(deps, orgCode, version),
    retired: (orgCode, kind) => listRetired(deps, orgCode, kind),
    removeRetired: (asked, item) => removeRetired(deps, asked, item),
  };
}
