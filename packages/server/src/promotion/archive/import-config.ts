import type { InputError } from '@freehold/contract/problem';
import { type ConfigItem, itemKey } from '../../config/port.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import { cooperatively } from '../../lib/scheduling/event-loop.ts';
import { limits } from '../../store/port.ts';
import { adviceOn, bodiesAfter } from '../checks/checks.ts';
import type { ConfigKind, ConfigKinds, ItemTarget } from '../config-kind.ts';
import {
  type Bodies,
  compareBodies,
  type ItemChangeKind,
  type ItemDifference,
  itemOf,
  readAll,
} from '../differences/compare.ts';
import { changeOf, type ShownChange } from '../differences/diff.ts';
import type { ItemBody } from '../item-storage.ts';
import { refuseTooMany, refuseTooManyOfKind, refuseTooMuch } from '../items/bounds.ts';
import { changeItems, type ItemEdit } from '../items/change-items.ts';
import { expressionErrors, newNameErrors, parseContent } from '../items/content-errors.ts';
import { danglingSentence, newlyDangling } from '../items/item-references.ts';
import { type ItemsPlan, planItems } from '../items/plan-items.ts';
import {
  type PromotionCommand,
  type PromotionContext,
  type PromotionDeps,
  promotionContext,
} from '../promotion-deps.ts';
import { baseOf, refuseOtherBase } from '../releases/staging.ts';
import type { ArchivedItem } from './config-archive.ts';

export interface ImportOptions {
  /** Whether items of test that are not among those given are taken away. */
  readonly removes: boolean;
  /** Takes definitions also where stored records contradict them. */
  readonly force: boolean;
  /** The `base` of the comparison that is applied; without it nothing is written. */
  readonly base: string | undefined;
  /** Why the caller may not change such an item; undefined where it may. */
  readonly refusalOf: (item: ConfigItem, kind: ConfigKind) => Problem | undefined;
}

export interface Imported {
  /** Names the configuration of test that was compared. */
  readonly base: string;
  readonly applied: boolean;
  /** The reasons for which the change would be refused, as far as it is only shown yet. */
  readonly problems?: readonly ImportProblem[];
  /** The items that the caller may not change, and that stay as they are; left out where there are none. */
  readonly refused?: readonly ImportProblem[];
  /** The config version that it made; none where nothing was to be changed. */
  readonly version?: number;
  /** Parts of records that stay and are served no more, once it is made; and likely mistakes in the items. */
  readonly warnings?: readonly string[];
  readonly items: readonly (ConfigItem & { readonly change: ItemChangeKind } & ShownChange)[];
}

/**
 * Brings test to a configuration from outside: first what would change and the objections to it, and then, with the
 * `base` of that answer, the change, all of it by one commit.
 * @throws Problem `validation_failed`, `version_mismatch` where test has changed since, and what `changeItems` throws.
 */
export async function importConfig(
  deps: PromotionDeps,
  command: PromotionCommand,
  { items, options }: { readonly items: readonly ArchivedItem[]; readonly options: ImportOptions },
): Promise<Imported> {
  const wanted = await readItems(deps.kinds, items);
  const place = await promotionContext(deps, 'test', command.orgCode);
  const before = await readAll(place);
  const after: Bodies = options.removes ? wanted : new Map([...before, ...wanted]);
  const { differences, refused, firstRefusal } = split(deps.kinds, await compareBodies(before, after), options);
  const named = refused.length === 0 ? {} : { refused };
  const base = versionsOf(before);
  const shown = await showDifferences(deps.kinds, differences);
  if (options.base === undefined) {
    const { problems, warnings } = await importProblems(deps, { place, before, differences, ...options });
    return { base, applied: false, problems, ...named, ...warned(warnings), items: shown };
  }
  if (differences.length === 0) {
    refuseOtherBase(base, options.base, changedSince);
    if (firstRefusal !== undefined) throw firstRefusal;
    return { base, applied: true, items: shown };
  }
  const edits = differences.map((one): ItemEdit => ({ ...itemOf(one), content: one.after?.content }));
  const { version, warnings } = await changeItems(deps, command, edits, {
    force: options.force,
    judge: (_place, base) => refuseOtherBase(versionsOf(base), options.base, changedSince),
  });
  return { base, applied: true, version, ...named, ...warned(warnings), items: shown };
}

function warned(warnings: readonly string[]): Pick<Imported, 'warnings'> {
  return warnings.length > 0 ? { warnings } : {};
}

/** Splits the changes into those that the caller may make, and those that it may not. */
function split(kinds: ConfigKinds, all: readonly ItemDifference[], { refusalOf }: ImportOptions) {
  const differences: ItemDifference[] = [];
  const refused: ImportProblem[] = [];
  let firstRefusal: Problem | undefined;
  for (const one of all) {
    const refusal = refusalOf(one, kinds[one.kind]);
    if (refusal === undefined) differences.push(one);
    else refused.push(shownProblem(refusal, itemOf(one)));
    firstRefusal ??= refusal;
  }
  return { differences, refused, firstRefusal };
}

async function readItems(kinds: ConfigKinds, items: readonly ArchivedItem[]): Promise<Bodies> {
  const bodies = new Map<string, ItemBody>();
  const errors: InputError[] = [];
  for await (const { kind, name, content } of cooperatively(items)) {
    const parsed = await parseContent(kinds, { kind, name, content });
    if ('content' in parsed) bodies.set(itemKey({ kind, name }), { kind, name, version: 0, content: parsed.content });
    else errors.push(...parsed.errors.map((error) => ({ ...error, message: `${kind} \`${name}\`: ${error.message}` })));
  }
  if (errors.length > 0) throw invalidBody(errors);
  return bodies;
}

async function showDifferences(kinds: ConfigKinds, differences: readonly ItemDifference[]): Promise<Imported['items']> {
  const shown: Imported['items'][number][] = [];
  for await (const one of cooperatively(differences))
    shown.push({ ...itemOf(one), change: one.change, ...changeOf(kinds, one) });
  return shown;
}

const changedSince = 'test has changed since it was compared: review the changes again';

/** The same for the same items at the same versions. */
function versionsOf(bodies: Bodies): string {
  return baseOf([...bodies].map(([key, { version }]) => `${key}@${version}`));
}

/** Why a change that is only shown yet would be refused; further errors are cut as in the refusal itself. */
interface ImportProblem extends Partial<ConfigItem> {
  readonly code: string;
  readonly message: string;
  readonly [detail: string]: unknown;
}

interface IntendedImport {
  readonly place: PromotionContext;
  readonly before: Bodies;
  readonly differences: readonly ItemDifference[];
  readonly force: boolean;
}

interface ForeseenImport {
  /** All errors, where the refusal would contain the first only. */
  readonly problems: readonly ImportProblem[];
  readonly warnings: readonly string[];
}

async function importProblems(
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

/** The plan for entities, the objections of their records to it, and the warnings for other items. */
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

/** The least size of the commit: the plan, and for each item a body and its entries in history and audit log. */
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

function shownProblem({ code, message, details }: Problem, item: Partial<ConfigItem> = {}): ImportProblem {
  return { ...details, ...item, code, message };
}
