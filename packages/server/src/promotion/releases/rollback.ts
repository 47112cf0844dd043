import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import { type ConfigItem, changeConfig, itemKey, itemOfKey } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import { itemOf, readAll } from '../differences/compare.ts';
import { type ItemTarget, planItems } from '../items/plan-items.ts';
import { liveItems, readBodies } from '../items/read-items.ts';
import type { PromotionCommand, PromotionContext, PromotionDeps } from '../promotion-deps.ts';
import type { RollbackRequest } from '../read-requests.ts';
import { releasedItem } from './activate.ts';
import {
  type CurrentRelease,
  type Release,
  readCurrent,
  readRelease,
  readSnapshot,
  releasePuts,
  type Snapshot,
} from './releases.ts';

export interface RolledBack {
  readonly version: number;
  /** The release whose configuration is live again. */
  readonly restored: number;
}

/**
 * Makes the configuration of an earlier release live again, or of a later one that was left: one commit, like an
 * activation. Records stay where they are; what is staged stays staged.
 * @throws Problem `no_previous_version`, `not_found` where there was no such activation, `conflict` where it is live.
 */
export async function rollback(
  deps: PromotionDeps,
  command: PromotionCommand,
  request: RollbackRequest,
): Promise<RolledBack> {
  const { orgCode, auditContext } = command;
  const prod = { store: deps.stores.prod, configs: deps.configs.prod };
  const scope = prod.store.scope(orgScopeName(orgCode));
  const { planned } = await changeConfig(prod, orgCode, async (set, next) => {
    const place = { store: prod.store, orgCode, set };
    const { item, current } = await readCurrent(scope);
    const restored = await targetRelease(scope, current, request);
    const targets = await targetsOf(place, restored.snapshot);
    const { changes } = await planItems(
      { ...prod, clock: deps.clock },
      { ...place, next, keepsRecords: true },
      targets,
    );
    const before = await readAll(place);
    const release: Release = {
      version: current.version + 1,
      action: 'rollback',
      at: auditContext.at,
      actor: auditContext.actor,
      ...(request.note === undefined ? {} : { note: request.note }),
      items: targets.flatMap((target) => releasedItem(before, target)),
      restored: restored.version,
    };
    return {
      version: release.version,
      restored: restored.version,
      changes: [...changes, ...releasePuts(item, release, undefined), rollbackEntry(auditContext, release)],
    };
  });
  deps.wake();
  return { version: planned.version, restored: planned.restored };
}

function rollbackEntry(auditContext: AuditContext, { version, restored = 0, items }: Release) {
  const target = { kind: 'release', id: String(version) };
  return auditEntry(auditContext, {
    action: 'deploy.rolled_back',
    target,
    env: 'prod',
    detail: { restored, items: items.length },
  });
}

/** Which activation to go to: what a rollback made live counts as the one that it restored. */
async function targetRelease(scope: Scope, { live }: CurrentRelease, { version }: RollbackRequest) {
  const wanted = version ?? (live === 0 ? undefined : (await readRelease(scope, live))?.previous);
  if (wanted === undefined) throw new Problem('no_previous_version', 'there is no earlier activation to go back to');
  const named = await readRelease(scope, wanted);
  const restored = named?.restored ?? wanted;
  if (restored === live) throw new Problem('conflict', `the configuration of release ${wanted} is live already`);
  const snapshot = await readSnapshot(scope, restored);
  if (snapshot === undefined) throw new Problem('not_found', `there is no release ${wanted}`);
  return { version: restored, snapshot };
}

/** What has to become of each item for exactly a snapshot to be live. */
async function targetsOf(
  { store, orgCode, set }: PromotionContext,
  snapshot: Snapshot,
): Promise<readonly ItemTarget[]> {
  const live = new Map(liveItems(set).map((item) => [itemKey(item), item.version]));
  const wanted = new Map(Object.entries(snapshot));
  const gone: readonly ConfigItem[] = liveItems(set).filter((item) => !wanted.has(itemKey(item)));
  const others = [...wanted].filter(([key, version]) => live.get(key) !== version);
  const bodies = await readBodies(
    store,
    orgCode,
    others.map(([key, versions]) => ({ ...itemOfKey(key), versions })),
  );
  return [
    ...bodies.map(
      (body): ItemTarget => ({ ...itemOf(body), wanted: { content: body.content, versions: body.version } }),
    ),
    ...gone.map((item): ItemTarget => ({ ...itemOf(item), wanted: undefined })),
  ];
}
