import type { AuditActor } from '../../audit/audit-entry.ts';
import { type ConfigItem, type ConfigItemKind, configItemKinds, itemKey } from '../../config/port.ts';
import { compareBytes } from '../../lib/byte-order.ts';
import type { JsonSchema } from '../../lib/json-schema.ts';
import { cooperatively } from '../../lib/scheduling/event-loop.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import type { ItemReference } from '../config-kind.ts';
import { itemOf } from '../differences/compare.ts';
import type { ItemBody } from '../item-storage.ts';
import { type PromotionContext, type PromotionDeps, promotionContext } from '../promotion-deps.ts';
import { type ItemChanged, itemHistory } from './item-history.ts';
import { referencesOf } from './item-references.ts';
import { type PageQuery, unknownItem } from './item-versions.ts';
import { liveItem, liveItems, type ReadItem, readContents } from './read-items.ts';

/** A kind of config items, and how many there are of it. */
export interface ShownKind {
  readonly kind: ConfigItemKind;
  readonly schema: JsonSchema;
  readonly count: number;
}

/** A live item. Who made it and when is known of the items of test, as far back as that was noted. */
interface ListedItem extends ConfigItem {
  readonly version: number;
  readonly updated_at?: string;
  readonly updated_by?: AuditActor;
}

export interface ShownItem extends ListedItem {
  readonly content: unknown;
  /** Facts that its author would not expect of it, or of the change that was just made. */
  readonly warnings?: readonly string[];
  /** Only if they were asked for. */
  readonly references?: readonly Referring[];
  readonly referenced_by?: readonly Referring[];
}

/** The other side of a reference, each item once. */
interface Referring extends ConfigItem {
  readonly reason: string;
}

export interface ItemPage {
  readonly items: readonly ListedItem[];
  readonly nexttoken: string | null;
}

export async function showKinds(deps: PromotionDeps, env: Environment, orgCode: string): Promise<readonly ShownKind[]> {
  const place = await promotionContext(deps, env, orgCode);
  return configItemKinds.map((kind) => ({
    kind,
    schema: deps.kinds[kind].schema,
    count: liveItems(place, kind).length,
  }));
}

export interface ListedKind extends PageQuery {
  readonly env: Environment;
  readonly orgCode: string;
  readonly kind: ConfigItemKind;
}

/** The live items of a kind by name. @throws Problem `invalid_cursor`. */
export async function listItems(deps: PromotionDeps, listing: ListedKind): Promise<ItemPage> {
  const { env, orgCode, kind, pageSize, nexttoken } = listing;
  const binding = ['items', env, orgCode, kind];
  const after = nexttoken === undefined ? undefined : deps.cursors.open(nexttoken, binding);
  const place = await promotionContext(deps, env, orgCode);
  const rest = liveItems(place, kind).filter(({ name }) => after === undefined || compareBytes(name, after) > 0);
  const page = rest.slice(0, pageSize);
  const last = rest.length > pageSize ? page.at(-1) : undefined;
  const noted = await lastChanges(env, place, page);
  return {
    items: page.map((item, index) => listed(item, noted[index])),
    nexttoken: last === undefined ? null : deps.cursors.seal(last.name, binding),
  };
}

export interface ItemQuery {
  readonly env: Environment;
  readonly orgCode: string;
  readonly item: ConfigItem;
  /** Also says what it refers to and what refers to it, for which the live items of the org are read. */
  readonly references?: boolean;
}

/** @throws Problem `not_found`. */
export async function showItem(deps: PromotionDeps, query: ItemQuery): Promise<ShownItem> {
  const { env, orgCode, item } = query;
  const place = await promotionContext(deps, env, orgCode);
  const live = liveItem(place, item);
  if (live === undefined) throw unknownItem(item);
  const [body] = await readContents(place, [live]);
  const [noted] = await lastChanges(env, place, [live]);
  const shown = withContent(deps, listed(live, noted), body?.content);
  if (body === undefined || query.references !== true) return shown;
  return { ...shown, ...(await referencesAround(deps, place, body)) };
}

/** The references of an item, and the live items that refer to it. */
async function referencesAround(
  { kinds }: Pick<PromotionDeps, 'kinds'>,
  place: PromotionContext,
  body: ItemBody,
): Promise<Required<Pick<ShownItem, 'references' | 'referenced_by'>>> {
  const key = itemKey(body);
  const referring: Referring[] = [];
  for await (const other of cooperatively(await readContents(place, liveItems(place)))) {
    const found = referencesOf(kinds, other).find((reference) => itemKey(reference) === key);
    if (found !== undefined && itemKey(other) !== key)
      referring.push({ kind: other.kind, name: other.name, reason: found.reason });
  }
  return { references: eachOnce(referencesOf(kinds, body)), referenced_by: referring };
}

function eachOnce(references: readonly ItemReference[]): readonly Referring[] {
  const first = new Map(references.toReversed().map((reference) => [itemKey(reference), reference]));
  return [...first.values()].toReversed().map(({ kind, name, reason }) => ({ kind, name, reason }));
}

export function withContent({ kinds }: Pick<PromotionDeps, 'kinds'>, item: ListedItem, content: unknown): ShownItem {
  if (content === undefined || kinds[item.kind].isIdle?.(content) !== true) return { ...item, content };
  const warning = `this \`${item.kind}\` is not run yet: it is stored and promoted, and has no effect`;
  return { ...item, content, warnings: [warning] };
}

function listed(item: ReadItem, noted: ItemChanged | undefined): ListedItem {
  const known = noted === undefined ? {} : { updated_at: noted.at, updated_by: noted.actor };
  return { ...itemOf(item), version: item.version, ...known };
}

/** The last change of each item; items of production were published, so their history is that of the releases. */
async function lastChanges(
  env: Environment,
  { store, orgCode }: PromotionContext,
  items: readonly ReadItem[],
): Promise<readonly (ItemChanged | undefined)[]> {
  if (env === 'prod') return [];
  const rows = await itemHistory.readMany(store.scope(orgScopeName(orgCode)), items);
  return rows.map((row) => row?.value);
}
