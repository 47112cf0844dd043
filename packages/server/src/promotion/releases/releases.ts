import type { AuditActor } from '../../audit/audit-entry.ts';
import type { ConfigItem } from '../../config/port.ts';
import type { Condition, Item, Key, Put, Scope } from '../../store/port.ts';
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

export const currentReleaseKey: Key = { pk: 'deploy', sk: 'current' };
export const releaseRows = 'deploy;releases';

function releaseKey(version: number): Key {
  return { pk: releaseRows, sk: inOrder(version) };
}

function snapshotKey(version: number): Key {
  return { pk: 'deploy;snapshots', sk: inOrder(version) };
}

function inOrder(version: number): string {
  return String(version).padStart(12, '0');
}

export async function readCurrent(
  scope: Scope,
): Promise<{ readonly item: Item | undefined; readonly current: CurrentRelease }> {
  const [item] = await scope.get([currentReleaseKey]);
  const current = item === undefined ? { version: 0, live: 0 } : (JSON.parse(item.value) as CurrentRelease);
  return { item, current };
}

/** Holds a commit to an item being as it was read. */
export function asRead(current: Item | undefined): Condition {
  return current === undefined ? 'absent' : { version: current.version };
}

export async function readRelease(scope: Scope, version: number): Promise<Release | undefined> {
  const [item] = await scope.get([releaseKey(version)]);
  return item === undefined ? undefined : (JSON.parse(item.value) as Release);
}

/** What was live with a release. Undefined where there was no such activation. */
export async function readSnapshot(scope: Scope, version: number): Promise<Snapshot | undefined> {
  const [item] = await scope.get([snapshotKey(version)]);
  return item === undefined ? undefined : (JSON.parse(item.value) as Snapshot);
}

/** Puts a release behind the one that was current. A rollback has no snapshot of its own: it has that of what it restores. */
export function releasePuts(
  current: Item | undefined,
  release: Release,
  snapshot: Snapshot | undefined,
): readonly Put[] {
  const { version, restored = version } = release;
  const now: CurrentRelease = { version, live: restored };
  return [
    { kind: 'put', ...currentReleaseKey, value: JSON.stringify(now), if: asRead(current) },
    { kind: 'put', ...releaseKey(version), value: JSON.stringify(release), if: 'absent' },
    ...(snapshot === undefined
      ? []
      : [{ kind: 'put', ...snapshotKey(version), value: JSON.stringify(snapshot), if: 'absent' } as const]),
  ];
}
