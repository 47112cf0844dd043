import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import { type ConfigItem, changeConfig, itemKey } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import type { Change } from '../../store/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import { type CheckedSwitch, checkRecords, checkSwitch } from '../checks/checks.ts';
import type { DeployCheck, ItemTarget } from '../config-kind.ts';
import { type Bodies, type ItemChangeKind, itemOf } from '../differences/compare.ts';
import { newestOf } from '../item-storage.ts';
import type { ItemsPlan } from '../items/plan-items.ts';
import { liveItems } from '../items/read-items.ts';
import type { PromotionCommand, PromotionContext, PromotionDeps } from '../promotion-deps.ts';
import type { ActivateRequest } from '../read-requests.ts';
import { type ReleasedItem, type ReleaseVersions, readCurrent, releasePuts } from './releases.ts';
import {
  nothingLeftStaged,
  refuseOtherBase,
  type StagedTargets,
  stagedBase,
  stagedItems,
  stagedTargets,
} from './staging.ts';

export interface Activated {
  readonly version: number;
  readonly activated: readonly (ConfigItem & { readonly change: ItemChangeKind })[];
  readonly checks: readonly DeployCheck[];
}

/**
 * Makes all that is staged live, by one commit: the bodies lie there already, and what is flipped is which of them hold.
 * @throws Problem `conflict` where nothing is staged or a check speaks against it, `dangling_reference`,
 * `plan_limit_exceeded`, `version_mismatch` where other items are staged than the caller agreed to.
 */
export async function activate(
  deps: PromotionDeps,
  command: PromotionCommand,
  request: ActivateRequest,
): Promise<Activated> {
  const { orgCode, auditContext } = command;
  const prod = { store: deps.stores.prod, configs: deps.configs.prod };
  const records = new RecordChecks(request.force);
  const { planned } = await changeConfig(prod, orgCode, async (set, next) => {
    const place = { store: prod.store, orgCode, set, kinds: deps.kinds };
    const staged = await stagedTargets(place);
    if (staged.rows.length === 0) throw new Problem('conflict', 'nothing is staged: publish items first');
    refuseOtherBase(stagedBase(staged.rows), request.base, stagedSince);
    const checked = await checkSwitch(deps, { ...staged, place, next });
    refuseErrors(checked);
    const { checks, plan } = checked;
    if (plan === undefined) throw new TypeError('a switch without an error has a plan');
    const found = await records.of(staged, plan);
    const { release, changes } = await releaseOf({ place, auditContext, staged, note: request.note });
    const activated = release.items.map(({ kind, name, change }) => ({ kind, name, change }));
    return {
      version: release.version,
      activated,
      checks: [...checks, ...found],
      changes: [...plan.changes, ...changes],
    };
  });
  deps.wake();
  const { version, activated, checks } = planned;
  return { version, activated, checks };
}

const stagedSince = 'the staged items have changed: review them again';

/** @throws Problem with all checks, where one of them is an error. */
function refuseErrors({ checks, exceeded }: CheckedSwitch): void {
  const errors = checks.filter(({ level }) => level === 'error');
  if (errors.length === 0) return;
  const isDangling = errors.some(({ check }) => check === 'references');
  const sentences = errors.slice(0, 5).map(({ message }) => message);
  if (errors.length > sentences.length) sentences.push(`and ${errors.length - sentences.length} more`);
  const message = `nothing was activated: ${sentences.join('; ')}`;
  const details = { checks: errors.slice(0, 100) };
  // Refused like every other change over a plan, if it has no other error.
  if (exceeded !== undefined && errors.length === 1)
    throw new Problem(exceeded.code, message, { ...exceeded.details, ...details });
  throw new Problem(isDangling ? 'dangling_reference' : 'conflict', message, details);
}

/**
 * However often an activation is planned again, the records are looked at once for each way from what is live to what
 * is staged.
 */
class RecordChecks {
  readonly #isForced: boolean;
  #looked: { readonly at: string; readonly checks: readonly DeployCheck[] } | undefined;

  constructor(isForced: boolean) {
    this.#isForced = isForced;
  }

  async of({ rows }: StagedTargets, plan: ItemsPlan): Promise<readonly DeployCheck[]> {
    const from = plan.records.flatMap((one) => one.from);
    const at = JSON.stringify([rows.map(({ rowVersion }) => rowVersion), from]);
    if (this.#looked?.at !== at) this.#looked = { at, checks: await checkRecords(plan) };
    const { checks } = this.#looked;
    if (this.#isForced)
      return checks.map((check) => (check.level === 'error' ? { ...check, level: 'warning' } : check));
    if (checks.some(({ level }) => level === 'error')) throw recordsRefuse(checks);
    return checks;
  }
}

function recordsRefuse(checks: readonly DeployCheck[]): Problem {
  const sentences = checks
    .filter(({ level }) => level === 'error')
    .map(({ kind, name, message }) => `${kind} \`${name}\`: ${message}`);
  return new Problem(
    'conflict',
    `nothing was activated: ${sentences.slice(0, 5).join('; ')}; \`force: true\` activates anyway`,
    { checks },
  );
}

interface Releasing {
  readonly place: PromotionContext;
  readonly auditContext: AuditContext;
  readonly staged: StagedTargets;
  readonly note: string | undefined;
}

async function releaseOf({ place, auditContext, staged, note }: Releasing) {
  const { item, current } = await readCurrent(place.store.scope(orgScopeName(place.orgCode)));
  const version = current.version + 1;
  const items = staged.targets.flatMap((target) => releasedItem(staged.before, target));
  const notes =
    note ??
    [...new Set(staged.rows.flatMap(({ staged: { note: expected } }) => expected ?? []))].join('; ').slice(0, 1000);
  const release = {
    version,
    action: 'activate' as const,
    at: auditContext.at,
    actor: auditContext.actor,
    ...(notes === '' ? {} : { note: notes }),
    items,
    ...(current.live === 0 ? {} : { previous: current.live }),
  };
  const target = { kind: 'release', id: String(version) };
  const changes: readonly Change[] = [
    ...releasePuts(item, release, snapshotAfter(place, staged.targets)),
    ...staged.rows.map(({ staged: one, rowVersion }) => stagedItems.remove(one, { version: rowVersion })),
    nothingLeftStaged,
    auditEntry(auditContext, { action: 'deploy.activated', target, env: 'prod', detail: { items: items.length } }),
  ];
  return { release, changes };
}

/** An item's change from its live version to its target; none where it is there neither before nor after. */
export function releasedItem(before: Bodies, target: ItemTarget): readonly ReleasedItem[] {
  const from = before.get(itemKey(target))?.version;
  const to = target.wanted === undefined ? undefined : newestOf(target.wanted.versions);
  if (from === undefined && to === undefined) return [];
  const change = from === undefined ? 'added' : to === undefined ? 'removed' : 'modified';
  return [
    {
      ...itemOf(target),
      change,
      ...(from === undefined ? {} : { before: from }),
      ...(to === undefined ? {} : { after: to }),
    },
  ];
}

function snapshotAfter(place: PromotionContext, targets: readonly ItemTarget[]): ReleaseVersions {
  const snapshot = new Map(liveItems(place).map((item) => [itemKey(item), item.version]));
  for (const target of targets) {
    if (target.wanted === undefined) snapshot.delete(itemKey(target));
    else snapshot.set(itemKey(target), newestOf(target.wanted.versions));
  }
  return Object.fromEntries(snapshot);
}
