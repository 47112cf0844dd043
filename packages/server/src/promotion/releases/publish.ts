import { auditEntry } from '../../audit/audit-entry.ts';
import { type ConfigItem, itemKey } from '../../config/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import { type CommitPlan, transact } from '../../store/transact.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import { bodiesAfter, checkRecords, checkSwitch, checksWithoutRecords } from '../checks/checks.ts';
import { type AddedDependency, withDependencies } from '../checks/dependencies.ts';
import type { DeployCheck } from '../config-kind.ts';
import { type ItemDifference, itemOf } from '../differences/compare.ts';
import { compareEnvironments, type SpaceComparison } from '../differences/diff.ts';
import { type PromotionCommand, type PromotionDeps, promotionContext } from '../promotion-deps.ts';
import type { PublishRequest } from '../read-requests.ts';
import {
  conditionsNow,
  nothingLeftStaged,
  publicationCounter,
  readStaged,
  readStagedTargets,
  removeBodies,
  type StagedItem,
  stage,
  stagedTargets,
  stagingMoves,
  unstage,
  writeBodies,
} from './staging.ts';

export interface Published {
  readonly release_id: string;
  readonly staged: readonly ConfigItem[];
  readonly added_dependencies: readonly AddedDependency[];
  readonly checks: readonly DeployCheck[];
}

/**
 * Freezes items of test as they are and stages them for production. Bodies are written first, under a number of its
 * own; what makes them staged is one commit, which holds only while production, and what else is staged, is what they
 * were compared with. What was staged of an item that is the same on both sides by now is staged no more.
 * @throws Problem `validation_failed` for an item that is in neither environment, `conflict` where nothing differs.
 */
export async function publish(
  deps: PromotionDeps,
  command: PromotionCommand,
  { request, showsRecords }: { readonly request: PublishRequest } & StagedChecks,
): Promise<Published> {
  const scope = deps.stores.prod.scope(orgScopeName(command.orgCode));
  const { planned } = await transact(scope, () => planPublication(deps, command, request));
  return { ...planned.published, checks: await checkStaged(deps, command.orgCode, { showsRecords }) };
}

interface Publishing extends CommitPlan {
  readonly published: Omit<Published, 'checks'>;
}

/** The bodies are written already, and are taken away again where others changed production or what is staged for it. */
async function planPublication(
  deps: PromotionDeps,
  { orgCode, auditContext }: PromotionCommand,
  request: PublishRequest,
): Promise<Publishing> {
  const { kinds } = deps;
  const scope = deps.stores.prod.scope(orgScopeName(orgCode));
  // Read before what it is about: what others do in between is noticed then.
  const conditions = await conditionsNow(scope);
  const comparison = await compareEnvironments(deps, orgCode);
  const { rows, targets } = await readStagedTargets({ store: deps.stores.prod, orgCode, kinds });
  const isSettled = settledBy(comparison, request);
  const settled = rows.filter(({ staged }) => isSettled(staged));
  const expected = bodiesAfter(
    comparison.prod,
    targets.filter((target) => !isSettled(target)),
  );
  const { differences } = comparison;
  const named = select(comparison, request);
  const { selected, added } = await withDependencies(kinds, { differences, expected }, named);
  if (selected.length + settled.length === 0)
    throw new Problem(
      'conflict',
      'the requested items are the same in test and in production: there is nothing to publish',
    );
  const { sums } = await scope.commit([{ kind: 'add', ...publicationCounter, by: 1 }]);
  const body = sums[0] ?? 0;
  const bodies = selected.flatMap(({ after }) => (after === undefined ? [] : [{ ...after, version: body }]));
  await writeBodies(kinds, scope, bodies);
  const items = stagedItems(selected, added, {
    body,
    staged_at: timestamp(deps.clock.now()),
    staged_by: auditContext.actor,
    ...(request.note === undefined ? {} : { note: request.note }),
  });
  const release_id = releaseId(body);
  const target = { kind: 'release', id: release_id };
  const detail = { items: items.length };
  const logEntry = auditEntry(auditContext, { action: 'deploy.published', target, env: 'prod', detail });
  return {
    changes: stage(kinds, { items, rows, settled, conditions, logEntry }),
    refused: () => removeBodies(kinds, scope, bodies),
    published: { release_id, staged: items.map(itemOf), added_dependencies: added },
  };
}

function releaseId(body: number): string {
  return `r${body}`;
}

function stagedItems(
  selected: readonly ItemDifference[],
  added: readonly AddedDependency[],
  publication: Pick<StagedItem, 'body' | 'staged_at' | 'staged_by' | 'note'>,
): readonly StagedItem[] {
  const reasons = new Map(added.map((one) => [itemKey(one), one.reason]));
  return selected.map((difference): StagedItem => {
    const reason = reasons.get(itemKey(difference));
    return {
      ...itemOf(difference),
      change: difference.after === undefined ? 'remove' : 'put',
      test_version: difference.after?.version ?? 0,
      release_id: releaseId(publication.body),
      ...publication,
      ...(reason === undefined ? {} : { reason }),
    };
  });
}

/** Whether a staged item was asked for and is the same on both sides, so that production has it as it is to be. */
function settledBy({ differences }: SpaceComparison, { items }: PublishRequest): (staged: ConfigItem) => boolean {
  const different = new Set(differences.map(itemKey));
  const named = items === 'all' ? undefined : new Set(items.map(itemKey));
  return (staged) => !different.has(itemKey(staged)) && (named === undefined || named.has(itemKey(staged)));
}

function select({ differences, test, prod }: SpaceComparison, { items }: PublishRequest): readonly ItemDifference[] {
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

export interface StagedChecks {
  /** Whether the caller may learn what the records of production have against it. */
  readonly showsRecords: boolean;
}

/** The checks of all that is staged now. */
export async function checkStaged(
  deps: PromotionDeps,
  orgCode: string,
  { showsRecords }: StagedChecks,
): Promise<readonly DeployCheck[]> {
  const place = await promotionContext(deps, 'prod', orgCode);
  const intended = await stagedTargets(place);
  const { checks, plan } = await checkSwitch(deps, { ...intended, place, next: 0 });
  if (plan === undefined) return checks;
  return [...checks, ...(showsRecords ? await checkRecords(plan) : checksWithoutRecords(plan))];
}

/** Unstages one item, or all of them. @throws Problem `not_found` where it is not staged. */
export async function withdraw(
  deps: PromotionDeps,
  { orgCode, auditContext }: PromotionCommand,
  item?: ConfigItem,
): Promise<void> {
  const scope = deps.stores.prod.scope(orgScopeName(orgCode));
  // Items that others stage meanwhile are to go with all the rest.
  const whole = item === undefined ? [nothingLeftStaged] : [];
  const plan = async (): Promise<CommitPlan> => {
    const rows = (await readStaged(scope)).filter(
      ({ staged }) => item === undefined || itemKey(staged) === itemKey(item),
    );
    if (rows.length === 0) {
      if (item === undefined) return { changes: [] };
      throw new Problem('not_found', `${item.kind} \`${item.name}\` is not staged`);
    }
    const detail = { items: rows.length };
    const target = item === undefined ? {} : { target: { kind: item.kind, id: item.name } };
    const logEntry = auditEntry(auditContext, { action: 'deploy.unstaged', ...target, env: 'prod', detail });
    return { changes: [...rows.flatMap((row) => unstage(deps.kinds, row)), ...whole, stagingMoves, logEntry] };
  };
  await transact(scope, plan, { attemptsMax: Number.POSITIVE_INFINITY });
}
