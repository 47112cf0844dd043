import type { ConfigItem } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import { cooperatively } from '../../lib/scheduling/cooperatively.ts';
import { limits } from '../../store/port.ts';
import { adviceOn } from '../checks/advice.ts';
import { bodiesAfter } from '../checks/checks.ts';
import type { ConfigKinds } from '../config-kind.ts';
import { type Bodies, type ItemDifference, itemOf } from '../differences/compare.ts';
import type { ItemBody } from '../item-storage.ts';
import { refuseTooMany, refuseTooManyOfKind, refuseTooMuch } from '../items/bounds.ts';
import { expressionErrors, newNameErrors } from '../items/content-errors.ts';
import { danglingSentence, newlyDangling } from '../items/item-references.ts';
import { type ItemsPlan, planItems } from '../items/plan-items.ts';
import type { ItemTarget } from '../kind-records.ts';
import type { PromotionContext, PromotionDeps } from '../promotion-deps.ts';

/** Why a change that is only shown yet would be refused; further errors are cut as in the refusal itself. */
export interface ImportProblem extends Partial<ConfigItem> {
  readonly code: string;
  readonly message: string;
  readonly [detail: string]: unknown;
}

export interface IntendedImport {
  readonly place: PromotionContext;
  readonly before: Bodies;
  readonly differences: readonly ItemDifference[];
  readonly force: boolean;
}

export interface ForeseenImport {
  /** All errors, where the refusal would contain the first only. */
  readonly problems: readonly ImportProblem[];
  readonly warnings: readonly string[];
}

export async function importProblems(
  deps: PromotionDeps,
  { place, before, differences, force }: IntendedImport,
): Promise<ForeseenImport> {
  const next = place.set.version + 1;
  const targets = differences.map((one): ItemTarget => {
    const wanted = one.after === undefined ? undefined : { content: one.after.content, versions: next };
    return { ...itemOf(one), wanted };
  });
  const problems: ImportProblem[] = [];
  problems.push(...(await refusalOf(() => refuseTooMany(place, targets))));
  const after = [...bodiesAfter(before, targets).values()];
  problems.push(...(await refusalOf(() => refuseTooMuch(deps.kinds, targets, after))));
  const counted = { env: 'test', before, after, targets } as const;
  for (const kind of Object.values(deps.kinds))
    problems.push(...(await refusalOf(() => refuseTooManyOfKind(kind, counted))));
  const wanted = targets.filter((target) => target.wanted !== undefined);
  const mistaken = [
    ...newNameErrors(deps.kinds, before, wanted),
    ...(await expressionErrors(deps.kinds, targets, after)),
  ];
  for (const { item, errors } of mistaken) problems.push(...errors.map((error) => ({ ...itemOf(item), ...error })));
  const dangling = await newlyDangling(deps.kinds, [...before.values()], after);
  for (const one of dangling)
    problems.push({
      ...itemOf(one.referenced_by),
      code: 'dangling_reference',
      message: danglingSentence(one),
      missing: itemOf(one),
    });
  const planned = await planProblems(deps, { place, before, after, targets, next, force });
  return { problems: [...problems, ...planned.problems], warnings: planned.warnings };
}

interface Planning {
  readonly place: PromotionContext;
  readonly before: Bodies;
  readonly after: readonly ItemBody[];
  readonly targets: readonly ItemTarget[];
  readonly next: number;
  readonly force: boolean;
}

/** What is planned of entities, what their records have against it, and what of other items is to be looked at. */
async function planProblems(
  { stores, clock, gates, kinds }: PromotionDeps,
  { place, before, after, targets, next, force }: Planning,
): Promise<ForeseenImport> {
  try {
    const planParts = { store: stores.test, clock, gate: gates?.test, kinds };
    const plan = await planItems(planParts, { ...place, next, keepsRecords: false }, targets);
    const tooLarge = await refusalOf(() => refuseMoreThanACommit(kinds, plan, targets));
    const advice = await adviceOn(kinds, { set: place.set, plan, before, after, targets });
    const failing: ImportProblem[] = [];
    for (const one of force ? [] : plan.records)
      for await (const { item, problem } of one.failing()) failing.push(shownProblem(problem, item));
    return {
      problems: [...tooLarge, ...failing],
      warnings: advice.map(({ message }) => message),
    };
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    // Dangling references were reported already, item by item.
    return { problems: problem.code === 'dangling_reference' ? [] : [shownProblem(problem)], warnings: [] };
  }
}

/** What the commit holds at least: the plan, a body for each item, and what its history and the audit log tell of it. */
async function refuseMoreThanACommit(
  kinds: ConfigKinds,
  { changes }: Pick<ItemsPlan, 'changes'>,
  targets: readonly ItemTarget[],
): Promise<void> {
  const wanted = targets.flatMap(({ kind, wanted }) => (wanted === undefined ? [] : [{ kind, ...wanted }]));
  // Of items with records, parts that stay as they are lie there already.
  const plain = wanted.filter(({ kind }) => kinds[kind].records === undefined);
  let characters = 0;
  for await (const { content } of cooperatively(plain)) characters += JSON.stringify(content).length;
  const count = changes.length + wanted.length + 2 * targets.length;
  if (count < limits.changesMax && characters < limits.commitBytesMax) return;
  throw new Problem('body_too_large', 'the change would write more than one commit takes: import it in parts');
}

async function refusalOf(ask: () => void | Promise<void>): Promise<ImportProblem[]> {
  try {
    await ask();
    return [];
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    return [shownProblem(problem)];
  }
}

export function shownProblem({ code, message, details }: Problem, item: Partial<ConfigItem> = {}): ImportProblem {
  return { ...details, ...item, code, message };
}
