import { type AuditActor, auditEntry } from '../../audit/audit-entry.ts';
import { type ConfigItem, type ConfigItemKind, changeConfig, itemKey, itemOfKey } from '../../config/port.ts';
import type { Put, Scope } from '../../store/port.ts';
import { asRead, json, type Row, table } from '../../store/table.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import type { ItemTarget, RetiredItem } from '../config-kind.ts';
import { compareBodies, type ItemChangeKind, type ItemDifference, itemOf } from '../differences/compare.ts';
import { liveItems, readBodies, readContents } from '../items/read-items.ts';
import {
  type PromotionCommand,
  type PromotionContext,
  type PromotionDeps,
  promotionContext,
} from '../promotion-deps.ts';

/** The outcome of production once: by an activation, or by going back (or forward again) to an earlier release. */
export interface Release {
  readonly version: number;
  readonly action: 'activate' | 'rollback';
  readonly at: string;
  readonly actor: AuditActor;
  readonly note?: string;
  readonly items: readonly ReleasedItem[];
  /** Of a rollback the release whose configuration is live since. */
  readonly restored?: number;
  /** Of an activation the release whose configuration was live before; none before the first. */
  readonly previous?: number;
}

/** The versions under which the bodies lie from which and to which an item went. */
export interface ReleasedItem extends ConfigItem {
  readonly change: ItemChangeKind;
  readonly before?: number;
  readonly after?: number;
}

/** The bodies that are live with a release, by `itemKey`. */
export type ReleaseVersions = Readonly<Record<string, number>>;

/** The latest release, and the one whose configuration it made live: itself, but for a rollback. */
export interface CurrentRelease {
  readonly version: number;
  readonly live: number;
}

export const currentRelease = table<void, CurrentRelease>(
  () => ({ pk: 'deploy', sk: 'current' }),
  json<CurrentRelease>('current release', { version: 'number', live: 'number' }),
);

export const releasePartition = 'deploy;releases';

export const releases = table(
  (version: number) => ({ pk: releasePartition, sk: inOrder(version) }),
  json<Release>('release', { version: 'number', action: 'string', items: 'object' }),
);

const snapshots = table(
  (version: number) => ({ pk: 'deploy;snapshots', sk: inOrder(version) }),
  json<ReleaseVersions>('snapshot of a release', {}),
);

function inOrder(version: number): string {
  return String(version).padStart(12, '0');
}

export async function readCurrent(
  scope: Scope,
): Promise<{ readonly item: Row<CurrentRelease> | undefined; readonly current: CurrentRelease }> {
  const item = await currentRelease.read(scope);
  return { item, current: item?.value ?? { version: 0, live: 0 } };
}

export async function readRelease(scope: Scope, version: number): Promise<Release | undefined> {
  return (await releases.read(scope, version))?.value;
}

/** The versions that were live with a release. Undefined where there was no such activation. */
export async function readSnapshot(scope: Scope, version: number): Promise<ReleaseVersions | undefined> {
  return (await snapshots.read(scope, version))?.value;
}

/** Puts a release behind the current one. A rollback has the snapshot of the release that it restores. */
export function releasePuts(
  current: Row<CurrentRelease> | undefined,
  release: Release,
  snapshot: ReleaseVersions | undefined,
): readonly Put[] {
  const { version, restored = version } = release;
  return [
    currentRelease.put(undefined, { version, live: restored }, { if: asRead(current) }),
    releases.insert(version, release),
    ...(snapshot === undefined ? [] : [snapshots.insert(version, snapshot)]),
  ];
}

/** The changes in production after which exactly the configuration of an activation is live again. */
export async function changesTo(
  deps: PromotionDeps,
  orgCode: string,
  activation: number,
): Promise<readonly ItemDifference[]> {
  const place = await promotionContext(deps, 'prod', orgCode);
  const snapshot = await readSnapshot(place.store.scope(orgScopeName(orgCode)), activation);
  if (snapshot === undefined) throw new Error(`release ${activation} has no snapshot`);
  const targets = await targetsOf(place, snapshot);
  const changed = new Set(targets.map(itemKey));
  const live = liveItems(place).filter((item) => changed.has(itemKey(item)));
  const before = new Map((await readContents(place, live)).map((body) => [itemKey(body), body]));
  const after = targets.flatMap(({ wanted, ...item }) =>
    wanted === undefined ? [] : [[itemKey(item), { ...item, version: 0, content: wanted.content }] as const],
  );
  return compareBodies(before, new Map(after));
}

/** The target of each item for exactly a snapshot to be live. */
export async function targetsOf(place: PromotionContext, snapshot: ReleaseVersions): Promise<readonly ItemTarget[]> {
  const live = new Map(liveItems(place).map((item) => [itemKey(item), item.version]));
  const wanted = new Map(Object.entries(snapshot));
  const gone: readonly ConfigItem[] = liveItems(place).filter((item) => !wanted.has(itemKey(item)));
  const others = [...wanted].filter(([key, version]) => live.get(key) !== version);
  const bodies = await readBodies(
    place,
    others.map(([key, versions]) => ({ ...itemOfKey(key), versions })),
  );
  return [
    ...bodies.map(
      (body): ItemTarget => ({ ...itemOf(body), wanted: { content: body.content, versions: body.version } }),
    ),
    ...gone.map((item): ItemTarget => ({ ...itemOf(item), wanted: undefined })),
  ];
}

/** The items that production had, whose records are still there: an activation or a rollback can bring them back. */
export async function listRetired(
  { stores, kinds }: PromotionDeps,
  orgCode: string,
  kind: ConfigItemKind,
): Promise<readonly RetiredItem[]> {
  return (await kinds[kind].records?.retired(stores.prod, orgCode)) ?? [];
}

/** Has the records of a retired item removed for good. @throws Problem `not_found`. */
export async function removeRetired(
  deps: PromotionDeps,
  { orgCode, auditContext }: PromotionCommand,
  { kind, name }: ConfigItem,
): Promise<void> {
  const prod = { store: deps.stores.prod, configs: deps.configs.prod };
  const { records } = deps.kinds[kind];
  if (records === undefined) throw new TypeError(`items of the kind ${kind} have no records`);
  await changeConfig(prod, orgCode, async (_set, next) => {
    const moment = { orgCode, next, now: deps.clock.now() };
    const changes = await records.planRetiredRemoval(prod.store, moment, name);
    const target = { kind, id: name };
    return {
      changes: [...changes, auditEntry(auditContext, { action: 'deploy.records_removed', target, env: 'prod' })],
    };
  });
  deps.wake();
}
