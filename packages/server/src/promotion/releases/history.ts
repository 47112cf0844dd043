import { type ConfigItem, itemKey } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import { cooperatively } from '../../lib/scheduling/event-loop.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import type { ItemDifference } from '../differences/compare.ts';
import { changeOf, type ShownChange } from '../differences/diff.ts';
import { readBodies } from '../items/read-items.ts';
import type { PromotionDeps } from '../promotion-deps.ts';
import {
  changesTo,
  type Release,
  type ReleasedItem,
  readCurrent,
  readRelease,
  releasePartition,
  releases,
} from './releases.ts';

/** A release with what it changed. */
export interface ShownRelease extends Omit<Release, 'items'> {
  /** Whether its configuration is live. */
  readonly live: boolean;
  readonly items: readonly Pick<ReleasedItem, 'kind' | 'name' | 'change'>[];
  readonly diff: readonly (Pick<ReleasedItem, 'kind' | 'name'> & ShownChange)[];
}

/** A release, and what a rollback to it would change now. */
export interface ComparedRelease extends ShownRelease {
  readonly compared: {
    /** The release whose configuration is live. */
    readonly live: number;
    readonly items: readonly (Pick<ReleasedItem, 'kind' | 'name' | 'change'> & ShownChange)[];
  };
}

export interface HistoryQuery {
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

export interface HistoryPage {
  readonly items: readonly ShownRelease[];
  readonly nexttoken: string | null;
}

/** The releases of production, the latest first. @throws Problem `invalid_cursor`. */
export async function showHistory(
  deps: PromotionDeps,
  orgCode: string,
  { pageSize, nexttoken }: HistoryQuery,
): Promise<HistoryPage> {
  const binding = ['deploy-history', orgCode];
  const after = nexttoken === undefined ? {} : { before: deps.cursors.open(nexttoken, binding) };
  const scope = deps.stores.prod.scope(orgScopeName(orgCode));
  const rows = await releases.range(scope, releasePartition, {
    reverse: true,
    limit: pageSize,
    bytesMax: pageBytesMax,
    ...after,
  });
  const items: ShownRelease[] = [];
  let characters = 0;
  for (const { value } of rows) {
    if (characters > pageCharactersMax) break;
    const shown = await show(deps, orgCode, value);
    for await (const one of cooperatively(shown.diff)) characters += JSON.stringify(one).length;
    items.push(shown);
  }
  const last = rows[items.length - 1];
  const isAtEnd = last === undefined || items.at(-1)?.version === 1;
  return { items, nexttoken: isAtEnd ? null : deps.cursors.seal(last.sk, binding) };
}

export interface LatestRelease extends Omit<ShownRelease, 'items' | 'diff'> {
  /** The number of config items that it changed. */
  readonly items: number;
}

/** The last releases, the latest first; fewer where they changed very many items. */
export async function latestReleases(
  { stores }: Pick<PromotionDeps, 'stores'>,
  orgCode: string,
  limit: number,
): Promise<readonly LatestRelease[]> {
  const scope = stores.prod.scope(orgScopeName(orgCode));
  const { current } = await readCurrent(scope);
  const rows = await releases.range(scope, releasePartition, { reverse: true, limit, bytesMax: pageBytesMax });
  return rows.map(({ value: { items, ...release } }) => ({
    ...release,
    live: isLive(release, current),
    items: items.length,
  }));
}

/** The release whose configuration is live. */
export interface LiveRelease {
  readonly version: number;
  readonly activated_at: string;
  /** The time at which it was activated, or restored by a rollback. */
  readonly live_since: string;
}

/** Undefined before the first activation. */
export async function liveRelease(
  { stores }: Pick<PromotionDeps, 'stores'>,
  orgCode: string,
): Promise<LiveRelease | undefined> {
  const scope = stores.prod.scope(orgScopeName(orgCode));
  const { current } = await readCurrent(scope);
  const live = await readRelease(scope, current.live);
  if (live === undefined) return undefined;
  const latest = current.version === current.live ? live : await readRelease(scope, current.version);
  return { version: live.version, activated_at: live.at, live_since: (latest ?? live).at };
}

/** A page ends with the release that takes what it lists past this, */
const pageBytesMax = 256 * 1024;
/** or what it tells of contents past this. */
const pageCharactersMax = 1024 * 1024;

/** @throws Problem `not_found`. */
export async function showRelease(deps: PromotionDeps, orgCode: string, version: number): Promise<ShownRelease> {
  return show(deps, orgCode, await foundRelease(deps, orgCode, version));
}

/** The same with what leads from production as it is to the release. @throws Problem `not_found`. */
export async function compareRelease(deps: PromotionDeps, orgCode: string, version: number): Promise<ComparedRelease> {
  const release = await foundRelease(deps, orgCode, version);
  const { current } = await readCurrent(deps.stores.prod.scope(orgScopeName(orgCode)));
  const items: ComparedRelease['compared']['items'][number][] = [];
  for await (const one of cooperatively(await changesTo(deps, orgCode, release.restored ?? version)))
    items.push({ kind: one.kind, name: one.name, change: one.change, ...changeOf(deps.kinds, one) });
  return { ...(await show(deps, orgCode, release)), compared: { live: current.live, items } };
}

async function foundRelease({ stores }: PromotionDeps, orgCode: string, version: number): Promise<Release> {
  const release = await readRelease(stores.prod.scope(orgScopeName(orgCode)), version);
  if (release === undefined) throw new Problem('not_found', `there is no release ${version}`);
  return release;
}

async function show(deps: PromotionDeps, orgCode: string, { items, ...release }: Release): Promise<ShownRelease> {
  const { current } = await readCurrent(deps.stores.prod.scope(orgScopeName(orgCode)));
  const diff: ShownRelease['diff'][number][] = [];
  for await (const one of cooperatively(await differencesOf(deps, orgCode, items)))
    diff.push({ kind: one.kind, name: one.name, ...changeOf(deps.kinds, one) });
  return {
    ...release,
    live: isLive(release, current),
    items: items.map(({ kind, name, change }) => ({ kind, name, change })),
    diff,
  };
}

type CurrentRelease = Awaited<ReturnType<typeof readCurrent>>['current'];

function isLive({ version, action }: Pick<Release, 'version' | 'action'>, current: CurrentRelease): boolean {
  return version === current.version || (action === 'activate' && version === current.live);
}

async function differencesOf(
  { stores, kinds }: PromotionDeps,
  orgCode: string,
  items: readonly ReleasedItem[],
): Promise<readonly ItemDifference[]> {
  const sides = items.flatMap(({ kind, name, before, after }) =>
    [before, after].flatMap((versions) => (versions === undefined ? [] : [{ kind, name, versions }])),
  );
  const bodies = await readBodies({ store: stores.prod, orgCode, kinds }, sides);
  const atVersion = (item: ConfigItem, version: number | undefined): string => `${itemKey(item)} ${version}`;
  const found = new Map(bodies.map((body) => [atVersion(body, body.version), body]));
  return items.map((item) => ({
    kind: item.kind,
    name: item.name,
    change: item.change,
    before: found.get(atVersion(item, item.before)),
    after: found.get(atVersion(item, item.after)),
  }));
}
