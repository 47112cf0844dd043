import type { AuditActor } from '../../audit/audit-entry.ts';
import type { ConfigItem } from '../../config/port.ts';
import type { Put, Scope } from '../../store/port.ts';
import { asRead, json, type Row, table } from '../../store/table.ts';
import type { ItemChangeKind } from '../differences/compare.ts';

/** What became of production once: by an activation, or by going back (or forward again) to an earlier release. */
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
export type Snapshot = Readonly<Record<string, number>>;

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
  json<Snapshot>('snapshot of a release', {}),
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

/** What was live with a release. Undefined where there was no such activation. */
export async function readSnapshot(scope: Scope, version: number): Promise<Snapshot | undefined> {
  return (await snapshots.read(scope, version))?.value;
}

/** Puts a release behind the one that was current. A rollback has no snapshot of its own: it has that of what it restores. */
export function releasePuts(
  current: Row<CurrentRelease> | undefined,
  release: Release,
  snapshot: Snapshot | undefined,
): readonly Put[] {
  const { version, restored = version } = release;
  return [
    currentRelease.put(undefined, { version, live: restored }, { if: asRead(current) }),
    releases.insert(version, release),
    ...(snapshot === undefined ? [] : [snapshots.insert(version, snapshot)]),
  ];
}
