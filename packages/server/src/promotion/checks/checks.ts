import { type ConfigItem, type ConfigSet, itemKey } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import { cooperatively } from '../../lib/scheduling/event-loop.ts';
import { limits } from '../../store/port.ts';
import type { ConfigKinds, DeployCheck, ItemTarget } from '../config-kind.ts';
import { type Bodies, itemOf } from '../differences/compare.ts';
import { isLoss } from '../differences/describe-change.ts';
import type { ItemBody } from '../item-storage.ts';
import { refuseTooManyOfKinds } from '../items/bounds.ts';
import { expressionErrors, type MistakenItem, newlyMistaken, parseContent } from '../items/content-errors.ts';
import { danglingReferences, danglingSentence, newlyDangling } from '../items/item-references.ts';
import { type ItemsPlan, planItems } from '../items/plan-items.ts';
import { type PromotionContext, type PromotionDeps, promotionContext } from '../promotion-deps.ts';
import { stagedTargets } from '../releases/staging.ts';

/** A switch of production to other items, not yet made. */
interface IntendedSwitch {
  readonly place: PromotionContext;
  /** The config version that it would make. */
  readonly next: number;
  /** All that is live. */
  readonly before: Bodies;
  readonly targets: readonly ItemTarget[];
}

export interface CheckedSwitch {
  readonly checks: readonly DeployCheck[];
  /** Undefined where it cannot be planned. */
  readonly plan: ItemsPlan | undefined;
  /** The refusal by the org's plan. */
  readonly exceeded: Problem | undefined;
}

/** Everything but what the records say: nothing here depends on how many there are. */
export async function checkSwitch(
  { stores, clock, kinds, gates, whyNeverCalled }: PromotionDeps,
  intended: IntendedSwitch,
): Promise<CheckedSwitch> {
  const { place, next, before, targets } = intended;
  const checks: DeployCheck[] = [];
  const after = [...bodiesAfter(before, targets).values()];
  checks.push(...(await definitionChecks(kinds, targets, { before, after })));
  if (whyNeverCalled !== undefined) checks.push(...unfitChecks(kinds, targets, whyNeverCalled));
  const dangling = [
    ...(await danglingReferences(kinds, after)).filter(({ view }) => view === undefined),
    ...(await newlyDangling(kinds, [...before.values()], after)).filter(({ view }) => view !== undefined),
  ];
  checks.push(
    ...dangling.map((one): DeployCheck => {
      const { kind, name } = one.referenced_by;
      return { kind, name, check: 'references', level: 'error', message: danglingSentence(one), missing: itemOf(one) };
    }),
  );
  let plan: ItemsPlan | undefined;
  let exceeded: Problem | undefined;
  try {
    const planParts = { store: stores.prod, clock, gate: gates?.prod, kinds };
    refuseTooManyOfKinds(kinds, { env: 'prod', before, after, targets });
    plan = await planItems(planParts, { ...place, next, keepsRecords: true }, targets);
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    // Dangling references were reported already, item by item.
    if (problem.code !== 'dangling_reference') checks.push(refusalCheck(problem));
    if (problem.code === 'plan_limit_exceeded') exceeded = problem;
  }
  if (plan !== undefined) {
    checks.push(...sizeChecks(plan, targets), ...plan.records.flatMap((one) => one.checks));
    const advice = await adviceOn(kinds, { set: place.set, plan, before, after, targets });
    for (const { item, message } of advice) checks.push({ ...item, check: 'access', level: 'warning', message });
  }
  for await (const target of cooperatively(targets))
    checks.push(...changeChecks(kinds, before.get(itemKey(target)), target));
  return { checks, plan, exceeded };
}

function refusalCheck({ code, message, details }: Problem): DeployCheck {
  if (code !== 'plan_limit_exceeded') return { ...details, check: 'switch', level: 'error', message };
  const { metric, used, limit } = details;
  return { check: 'plan', level: 'error', message, metric, used, limit };
}

/** Changes beside an activation's plan and staged rows: the head, the release, its snapshot and the audit log. */
const changesBeside = 10;

/** A switch is one commit, or none. */
export function sizeChecks(
  { changes }: Pick<ItemsPlan, 'changes'>,
  targets: readonly ItemTarget[],
): readonly DeployCheck[] {
  const count = changes.length + targets.length + changesBeside;
  if (count <= limits.changesMax) return [];
  const reported = `these ${targets.length} items are more than one commit takes, ${count} changes of at most ${limits.changesMax}`;
  const message = `${reported}: unstage some of them, and publish those after the others are live`;
  return [{ check: 'switch', level: 'error', message }];
}

/** All that is live once the targets are. */
export function bodiesAfter(before: Bodies, targets: readonly ItemTarget[]): Bodies {
  const after = new Map<string, ItemBody>(before);
  for (const { kind, name, wanted } of targets) {
    if (wanted === undefined) after.delete(itemKey({ kind, name }));
    else after.set(itemKey({ kind, name }), { kind, name, version: 0, content: wanted.content });
  }
  return after;
}

type Kinds = PromotionDeps['kinds'];

async function definitionChecks(
  kinds: Kinds,
  targets: readonly ItemTarget[],
  { before, after }: { readonly before: Bodies; readonly after: readonly ItemBody[] },
): Promise<readonly DeployCheck[]> {
  const checks: DeployCheck[] = [];
  const read: ConfigItem[] = [];
  for await (const { kind, name, wanted } of cooperatively(targets)) {
    if (wanted === undefined) continue;
    const parsed = await parseContent(kinds, { kind, name, content: wanted.content });
    if ('content' in parsed) read.push({ kind, name });
    else checks.push(...mistakeChecks({ item: { kind, name }, errors: parsed.errors }));
  }
  const mistaken = await expressionErrors(kinds, read, after);
  const others = await newlyMistaken(kinds, targets, { before, after });
  return [...checks, ...[...mistaken, ...others].flatMap(mistakeChecks)];
}

function unfitChecks(
  kinds: Kinds,
  targets: readonly ItemTarget[],
  whyNot: NonNullable<PromotionDeps['whyNeverCalled']>,
): readonly DeployCheck[] {
  return targets.flatMap(({ kind, name, wanted }) => {
    const errors = wanted === undefined ? [] : (kinds[kind].unfit?.(wanted.content, whyNot) ?? []);
    return mistakeChecks({ item: { kind, name }, errors });
  });
}

function mistakeChecks({ item: { kind, name }, errors }: MistakenItem): readonly DeployCheck[] {
  return errors.map(({ pointer, message }) => ({ kind, name, check: 'definition', level: 'error', message, pointer }));
}

function changeChecks(
  kinds: Kinds,
  before: ItemBody | undefined,
  { kind, name, wanted }: ItemTarget,
): readonly DeployCheck[] {
  if (before === undefined && wanted === undefined) return [];
  const change = { name, before: before?.content, after: wanted?.content };
  const { describe, widening } = kinds[kind];
  return [
    ...widening(change).map((message): DeployCheck => ({ kind, name, check: 'access', level: 'warning', message })),
    ...describe(change).map(
      (message): DeployCheck => ({
        kind,
        name,
        check: 'impact',
        level: 'info',
        message,
        ...(isLoss(message) ? { loss: true } : {}),
      }),
    ),
  ];
}

/** The facts that are known of the records that a switch concerns without a look at them. */
export function checksWithoutRecords({ records }: ItemsPlan): readonly DeployCheck[] {
  return records.flatMap((one) => one.checksWithoutRecords);
}

/** The objections of the records of production to a switch. */
export async function checkRecords({ records }: ItemsPlan): Promise<readonly DeployCheck[]> {
  const checks: DeployCheck[] = [];
  for (const one of records) checks.push(...(await one.checkRecords()));
  return checks;
}

interface Advice {
  readonly item: ConfigItem;
  readonly message: string;
}

interface AdvisedChange {
  readonly set: ConfigSet;
  readonly plan: Pick<ItemsPlan, 'records'>;
  readonly before: Bodies;
  readonly after: readonly ItemBody[];
  readonly targets: readonly ItemTarget[];
}

/** Likely mistakes in changed items, among all items as they are after the change. */
export async function adviceOn(
  kinds: ConfigKinds,
  { set, plan, before, after, targets }: AdvisedChange,
): Promise<readonly Advice[]> {
  const namesOf = (wanted: ConfigItem['kind']) => after.filter(({ kind }) => kind === wanted).map(({ name }) => name);
  const { entity } = plan.records.reduce((config, one) => one.setAfter(config), set);
  const around = { entity, namesOf };
  const found: Advice[] = [];
  for (const { kind, name, wanted } of targets) {
    if (wanted === undefined) continue;
    const change = { name, before: before.get(itemKey({ kind, name }))?.content, after: wanted.content };
    for (const message of (await kinds[kind].advise?.(change, around)) ?? [])
      found.push({ item: { kind, name }, message });
  }
  return found;
}

/** The first admin of production, were all that is staged activated. */
export async function founderChecks(deps: PromotionDeps, orgCode: string): Promise<readonly DeployCheck[]> {
  if (deps.founderNote === undefined) return [];
  const { before, targets } = await stagedTargets(await promotionContext(deps, 'prod', orgCode));
  const after = bodiesAfter(before, targets);
  const reported = await deps.founderNote(orgCode, (item) => after.get(itemKey(item))?.content);
  return reported === undefined ? [] : [{ check: 'founder', ...reported }];
}
