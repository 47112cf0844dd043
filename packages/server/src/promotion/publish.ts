import { auditEntry } from '../audit/audit-entry.ts';
import { type ConfigItem, itemKey } from '../entities/config-item.ts';
import { orgScopeName } from '../entities/workspace.ts';
import { timestamp } from '../lib/clock.ts';
import { invalidBody, Problem } from '../lib/problem.ts';
import { type Change, Conflict, type Put, type Scope } from '../store/port.ts';
import { type Check, checkRecords, checkSwitch } from './checks.ts';
import { type ItemDifference, itemOf } from './compare.ts';
import { type AddedDependency, withDependencies } from './dependencies.ts';
import { type Comparison, compareEnvironments } from './diff.ts';
import { bodyKeys, bodyPuts, type ItemBody } from './item-bodies.ts';
import { type Asked, type PromotionParts, placeIn } from './promotion-parts.ts';
import type { PublishRequest } from './read-requests.ts';
import { stagedTargets } from './staged-targets.ts';
import { publicationCounter, readStaged, type StagedItem, type StagedRow, stagedKey, unstage } from './staging.ts';

export interface Published {
  readonly release_id: string;
  readonly staged: readonly ConfigItem[];
  readonly added_dependencies: readonly AddedDependency[];
  readonly checks: readonly Check[];
}

/**
 * Freezes items of test as they are and stages them for production. Bodies are written first, under a number that
 * nobody else has; what makes them staged is one commit.
 * @throws Problem `validation_failed` for an item that is in neither environment, `conflict` where nothing differs.
 */
export async function publish(parts: PromotionParts, asked: Asked, request: PublishRequest): Promise<Published> {
  const { orgCode, occasion } = asked;
  const comparison = await compareEnvironments(parts, orgCode);
  const { selected, added } = withDependencies(parts.kinds, comparison, select(comparison, request));
  if (selected.length === 0)
    throw new Problem('conflict', 'test and production are the same: there is nothing to publish');
  const scope = parts.stores.prod.scope(orgScopeName(orgCode));
  const { sums } = await scope.commit([{ kind: 'add', ...publicationCounter, by: 1 }]);
  const body = sums[0] ?? 0;
  const release_id = `r${body}`;
  await writeBodies(
    scope,
    selected.flatMap(({ after }) => (after === undefined ? [] : [{ ...after, version: body }])),
  );
  const reasons = new Map(added.map((one) => [itemKey(one), one.reason]));
  const rows = selected.map((difference): StagedItem => {
    const reason = reasons.get(itemKey(difference));
    return {
      ...itemOf(difference),
      change: difference.after === undefined ? 'remove' : 'put',
      body,
      test_version: difference.after?.version ?? 0,
      release_id,
      staged_at: timestamp(parts.clock.now()),
      staged_by: occasion.actor,
      ...(request.note === undefined ? {} : { note: request.note }),
      ...(reason === undefined ? {} : { reason }),
    };
  });
  const detail = { items: rows.length };
  const told = auditEntry(occasion, {
    action: 'deploy.published',
    target: { kind: 'release', id: release_id },
    env: 'prod',
    detail,
  });
  await stage(scope, rows, told);
  return {
    release_id,
    staged: rows.map(itemOf),
    added_dependencies: added,
    checks: await checkStaged(parts, orgCode),
  };
}

function select({ differences, test, prod }: Comparison, { items }: PublishRequest): readonly ItemDifference[] {
  if (items === 'all') return differences;
  const errors = items.flatMap((item, index) => {
    if (test.has(itemKey(item)) || prod.has(itemKey(item))) return [];
    const message = `there is no ${item.kind} \`${item.name}\`, neither in test nor in production`;
    return [{ pointer: `/items/${index}`, code: 'unknown_item', message }];
  });
  if (errors.length > 0) throw invalidBody(errors);
  const named = new Set(items.map(itemKey));
  return differences.filter((difference) => named.has(itemKey(difference)));
}

/** Well below what one commit may hold. */
const bytesPerCommit = 2 * 1024 * 1024;
const putsPerCommit = 1000;

async function writeBodies(scope: Scope, bodies: readonly ItemBody[]): Promise<void> {
  let puts: Put[] = [];
  let bytes = 0;
  for (const put of bodies.flatMap(bodyPuts)) {
    const size = Buffer.byteLength(put.value);
    if (puts.length > 0 && (bytes + size > bytesPerCommit || puts.length === putsPerCommit)) {
      await scope.commit(puts);
      [puts, bytes] = [[], 0];
    }
    puts.push(put);
    bytes += size;
  }
  if (puts.length > 0) await scope.commit(puts);
}

/** What an item was staged as before gives way with its bodies. */
async function stage(scope: Scope, items: readonly StagedItem[], told: Change): Promise<void> {
  for (;;) {
    const before = new Map((await readStaged(scope)).map((row) => [itemKey(row.staged), row]));
    const changes = items.flatMap((item) => stageOne(item, before.get(itemKey(item))));
    try {
      await scope.commit([...changes, told]);
      return;
    } catch (conflict) {
      // Others staged or activated in the same moment.
      if (!(conflict instanceof Conflict)) throw conflict;
    }
  }
}

function stageOne(item: StagedItem, before: StagedRow | undefined): readonly Change[] {
  const condition = before === undefined ? 'absent' : { version: before.rowVersion };
  const put: Put = { kind: 'put', ...stagedKey(item), value: JSON.stringify(item), if: condition };
  const left = before?.staged.change === 'put' ? bodyKeys(item, before.staged.body) : [];
  return [put, ...left.map((key): Change => ({ kind: 'remove', ...key, if: 'any' }))];
}

/** What is to be known of all that is staged now. */
export async function checkStaged(parts: PromotionParts, orgCode: string): Promise<readonly Check[]> {
  const place = await placeIn(parts, 'prod', orgCode);
  const intended = await stagedTargets(place);
  const { checks, plan } = await checkSwitch(parts, { ...intended, place, next: 0 });
  return plan === undefined ? checks : [...checks, ...(await checkRecords(parts, place, plan))];
}

/** Takes one staged item back, or all of them. @throws Problem `not_found` where it is not staged. */
export async function withdraw(parts: PromotionParts, { orgCode, occasion }: Asked, item?: ConfigItem): Promise<void> {
  const scope = parts.stores.prod.scope(orgScopeName(orgCode));
  for (;;) {
    const rows = (await readStaged(scope)).filter(
      ({ staged }) => item === undefined || itemKey(staged) === itemKey(item),
    );
    if (rows.length === 0) {
      if (item === undefined) return;
      throw new Problem('not_found', `${item.kind} \`${item.name}\` is not staged`);
    }
    const detail = { items: rows.length };
    const target = item === undefined ? {} : { target: { kind: item.kind, id: item.name } };
    const told = auditEntry(occasion, { action: 'deploy.unstaged', ...target, env: 'prod', detail });
    try {
      await scope.commit([...rows.flatMap(unstage), told]);
      return;
    } catch (conflict) {
      if (!(conflict instanceof Conflict)) throw conflict;
    }
  }
}
