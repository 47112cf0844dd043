import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import { changeConfig } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import { readAll } from '../differences/compare.ts';
import { planItems } from '../items/plan-items.ts';
import type { PromotionCommand, PromotionDeps } from '../promotion-deps.ts';
import type { RollbackRequest } from '../read-requests.ts';
import { releasedItem } from './activate.ts';
import {
  type CurrentRelease,
  type Release,
  readCurrent,
  readRelease,
  readSnapshot,
  releasePuts,
  targetsOf,
} from './releases.ts';

export interface RolledBack {
  readonly version: number;
  /** The release whose configuration is live again. */
  readonly restored: number;
}

/**
 * Makes the configuration of an earlier release live again, or of a later one that was left: one commit, like an
 * activation. Records stay where they are; staged items stay staged.
 * @throws Problem `no_previous_version`, `not_found` where there was no such activation, `conflict` where it is live,
 * `version_mismatch` where another release is live than the caller has reviewed.
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
    const place = { store: prod.store, orgCode, set, kinds: deps.kinds };
    const { item, current } = await readCurrent(scope);
    const restored = await targetRelease(scope, current, request);
    const targets = await targetsOf(place, restored.snapshot);
    const { changes } = await planItems(
      { ...prod, clock: deps.clock, kinds: deps.kinds },
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

/** The activation to go to: a release that a rollback made live counts as the restored one. */
async function targetRelease(scope: Scope, { live }: CurrentRelease, { version, live: reviewed }: RollbackRequest) {
  if (reviewed !== undefined && reviewed !== live)
    throw new Problem('version_mismatch', `another release is live meanwhile: ${live}`, { live });
  const wanted = version ?? (live === 0 ? undefined : (await readRelease(scope, live))?.previous);
  if (wanted === undefined) throw new Problem('no_previous_version', 'there is no earlier activation to go back to');
  const named = await readRelease(scope, wanted);
  const restored = named?.restored ?? wanted;
  if (restored === live) throw new Problem('conflict', `the configuration of release ${wanted} is live already`);
  const snapshot = await readSnapshot(scope, restored);
  if (snapshot === undefined) throw new Problem('not_found', `there is no release ${wanted}`);
  return { version: restored, snapshot };
}
