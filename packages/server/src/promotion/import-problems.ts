import type { ConfigItem } from '../entities/config-item.ts';
import { failingEntities } from '../entities/records-against.ts';
import { Problem } from '../lib/problem.ts';
import { newlyDangling, refuseTooMany, refuseTooMuch } from './change-items.ts';
import { bodiesAfter } from './checks.ts';
import { type Bodies, type ItemDifference, itemOf } from './compare.ts';
import { danglingSentence } from './item-references.ts';
import { type ItemTarget, planItems } from './plan-items.ts';
import type { Place, PromotionParts } from './promotion-parts.ts';

/** Why a change that is only shown yet would be refused; what is more is told as the refusal itself would tell it. */
export interface ImportProblem extends Partial<ConfigItem> {
  readonly code: string;
  readonly message: string;
  readonly [detail: string]: unknown;
}

export interface IntendedImport {
  readonly place: Place;
  readonly before: Bodies;
  readonly differences: readonly ItemDifference[];
  readonly force: boolean;
  readonly mayChange: (item: ConfigItem) => void;
}

/** All that stands against it, where its refusal would tell of the first alone. */
export async function importProblems(
  parts: PromotionParts,
  { place, before, differences, force, mayChange }: IntendedImport,
): Promise<readonly ImportProblem[]> {
  const next = place.set.version + 1;
  const targets = differences.map((one): ItemTarget => {
    const wanted = one.after === undefined ? undefined : { content: one.after.content, versions: next };
    return { ...itemOf(one), wanted };
  });
  const problems = differences.flatMap((one) => refusalOf(() => mayChange(one), itemOf(one)));
  problems.push(...refusalOf(() => refuseTooMany(place.set, targets)));
  const after = [...bodiesAfter(before, targets).values()];
  problems.push(...refusalOf(() => refuseTooMuch(targets, after)));
  const dangling = newlyDangling(parts.kinds, [...before.values()], after);
  for (const one of dangling)
    problems.push({
      ...itemOf(one.referenced_by),
      code: 'dangling_reference',
      message: danglingSentence(one),
      missing: itemOf(one),
    });
  return [...problems, ...(await planProblems(parts, { place, targets, next, force }))];
}

interface Planning {
  readonly place: Place;
  readonly targets: readonly ItemTarget[];
  readonly next: number;
  readonly force: boolean;
}

/** What is planned of entities, and what their records have against it. */
async function planProblems(
  { stores, clock }: PromotionParts,
  { place, targets, next, force }: Planning,
): Promise<readonly ImportProblem[]> {
  try {
    const { steps } = await planItems({ store: stores.test, clock }, { ...place, next, keepsRecords: false }, targets);
    if (force) return [];
    const failing = await failingEntities(stores.test, place, steps);
    return failing.map(({ name, problem }) => told(problem, { kind: 'entity', name }));
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    // What dangles was told already, item by item.
    return problem.code === 'dangling_reference' ? [] : [told(problem)];
  }
}

function refusalOf(ask: () => void, item?: ConfigItem): ImportProblem[] {
  try {
    ask();
    return [];
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    return [told(problem, item)];
  }
}

function told({ code, message, details }: Problem, item: Partial<ConfigItem> = {}): ImportProblem {
  return { ...details, ...item, code, message };
}
