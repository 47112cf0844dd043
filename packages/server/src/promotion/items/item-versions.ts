import type { ConfigItem } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import { type ItemDifference, itemOf } from '../differences/compare.ts';
import { changeOf, type ShownChange } from '../differences/diff.ts';
import type { ItemBody } from '../item-storage.ts';
import { type PromotionDeps, promotionContext } from '../promotion-deps.ts';
import { type ItemChanged, itemHistory, itemHistoryPrefix } from './item-history.ts';
import { liveItem, readBodies } from './read-items.ts';

export interface PageQuery {
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

/** A version of an item in test: who made it, when, and what was done. */
interface ShownVersion extends Omit<ItemChanged, 'configs'> {
  /** Whether it is live. */
  readonly active: boolean;
}

export interface VersionPage {
  readonly items: readonly ShownVersion[];
  readonly nexttoken: string | null;
}

/** An item at a version; a removal has no content. */
export interface ItemAtVersion extends ConfigItem, ShownVersion {
  readonly content?: unknown;
  /** The outcome of the version that it is compared with. */
  readonly compared?: ShownChange & { readonly with: number };
}

/** The versions of an item, the latest first. @throws Problem `not_found`, `invalid_cursor`. */
export async function listVersions(
  deps: PromotionDeps,
  { orgCode, item }: { readonly orgCode: string; readonly item: ConfigItem },
  { pageSize, nexttoken }: PageQuery,
): Promise<VersionPage> {
  const binding = ['item-versions', orgCode, item.kind, item.name];
  const after = nexttoken === undefined ? {} : { before: deps.cursors.open(nexttoken, binding) };
  const place = await promotionContext(deps, 'test', orgCode);
  const { pk } = itemHistory.key({ ...item, version: 0 });
  const read = { prefix: itemHistoryPrefix(item), reverse: true, limit: pageSize + 1, ...after };
  const rows = await itemHistory.range(place.store.scope(orgScopeName(orgCode)), pk, read);
  const live = liveItem(place, item);
  if (rows.length === 0 && live === undefined) throw unknownItem(item);
  const page = rows.slice(0, pageSize);
  const last = rows.length > pageSize ? page.at(-1) : undefined;
  return {
    items: page.map(({ value }) => shownVersion(value, live?.version)),
    nexttoken: last === undefined ? null : deps.cursors.seal(last.sk, binding),
  };
}

function shownVersion({ configs: _, ...noted }: ItemChanged, live: number | undefined): ShownVersion {
  return { ...noted, active: noted.version === live };
}

export interface VersionQuery {
  readonly orgCode: string;
  readonly item: ConfigItem;
  readonly version: number;
  /** Another version, or the live version. */
  readonly compare?: number | 'active' | undefined;
}

/** An item as it was; compared, what leads from the other version to this one. @throws Problem `not_found`. */
export async function showVersion(deps: PromotionDeps, query: VersionQuery): Promise<ItemAtVersion> {
  const { orgCode, item, compare } = query;
  const place = await promotionContext(deps, 'test', orgCode);
  const live = liveItem(place, item);
  const { noted, body } = await bodyAtVersion(deps, query);
  const shown = {
    ...itemOf(item),
    ...shownVersion(noted, live?.version),
    ...(body === undefined ? {} : { content: body.content }),
  };
  if (compare === undefined) return shown;
  const other = compare === 'active' ? live?.version : compare;
  if (other === undefined) throw unknownItem(item);
  const { body: before } = await bodyAtVersion(deps, { ...query, version: other });
  return { ...shown, compared: { with: other, ...changeBetween(deps, item, [before, body]) } };
}

type Sides = readonly [ItemBody | undefined, ItemBody | undefined];

function changeBetween({ kinds }: PromotionDeps, item: ConfigItem, [before, after]: Sides) {
  if (before === undefined && after === undefined) return { changes: [], summary: [], losses: [] };
  const difference: ItemDifference = { ...itemOf(item), change: 'modified', before, after };
  return changeOf(kinds, difference);
}

/** The row of a version, with the item's body unless the item was removed. @throws Problem `not_found`. */
export async function bodyAtVersion(
  { stores, kinds }: PromotionDeps,
  { orgCode, item, version }: Pick<VersionQuery, 'orgCode' | 'item' | 'version'>,
): Promise<{ readonly noted: ItemChanged; readonly body: ItemBody | undefined }> {
  const row = await itemHistory.read(stores.test.scope(orgScopeName(orgCode)), { ...item, version });
  if (row === undefined)
    throw new Problem('not_found', `there is no version ${version} of the ${item.kind} \`${item.name.slice(0, 100)}\``);
  const noted = row.value;
  if (noted.action === 'removed') return { noted, body: undefined };
  const [body] = await readBodies({ store: stores.test, orgCode, kinds }, [
    { ...item, versions: noted.configs ?? version },
  ]);
  return { noted, body };
}

export function unknownItem({ kind, name }: ConfigItem): Problem {
  return new Problem('not_found', `there is no ${kind} \`${name.slice(0, 100)}\``);
}
