import type { policyLabApi } from '@freehold/contract/management/access/policy-lab';
import type { ReplyOf } from '@freehold/contract/route';
import {
  type AttachedPolicy,
  actionMatcher,
  type Explanation,
  parseStatements,
  readStatement,
  type Statement,
} from '../../access/port.ts';

interface UsedPart {
  readonly reading: ReturnType<typeof readStatement>;
  readonly actions: Set<string>;
  readonly shapes: Set<string>;
}

interface UsedAt {
  readonly action: string;
  readonly shape: string;
  readonly Effect: 'Allow' | 'Deny';
}

interface SuggestedPolicy {
  readonly statements: readonly Statement[];
  /** Actions. */
  readonly left_out: number;
  /** Report-only statements. */
  readonly reports_left_out: number;
}

const shapesMax = 20;

/**
 * The rest of statements when everything unused is taken out of them. Conditions and fields stay as they are, so that
 * no statement allows more than its origin.
 */
export class SuggestedStatements {
  /** By effect, resources, condition and fields. */
  readonly #parts = new Map<string, UsedPart>();
  readonly #reports = new Map<string, Statement>();

  add(stored: unknown, { action, shape, Effect }: UsedAt): void {
    const reading = readStatement(stored);
    const { Resource, Condition, Fields, errors } = reading;
    if (errors.length > 0) return;
    const key = JSON.stringify([Effect, Resource, Condition, Fields]);
    const known = this.#parts.get(key) ?? { reading, actions: new Set<string>(), shapes: new Set<string>() };
    known.actions.add(action);
    known.shapes.add(shape);
    this.#parts.set(key, known);
  }

  /** A statement as it is. */
  keep(stored: unknown): void {
    const reading = readStatement(stored);
    const { Effect, Action, Resource, Condition, Fields, errors } = reading;
    if (errors.length > 0 || Action === undefined) return;
    const key = JSON.stringify([Effect, Resource, Condition, Fields, Action]);
    this.#parts.set(key, { reading, actions: new Set(Action), shapes: new Set() });
  }

  /** A report-only statement as it is. It allows and denies nothing. */
  keepReport(stored: unknown): void {
    const parsed = parseStatements([stored]);
    if (!('statements' in parsed)) return;
    for (const statement of parsed.statements) this.#reports.set(JSON.stringify(statement), statement);
  }

  /**
   * As many as one policy may have, in a fixed order. Where not all have room, a report-only statement is left out before an
   * Allow, and never a Deny; the Allows with the most actions stay.
   */
  async result(pause: () => Promise<void> | undefined): Promise<SuggestedPolicy> {
    const all = [...this.#parts.values()].sort(
      (left, right) => denies(right) - denies(left) || right.actions.size - left.actions.size,
    );
    const taken: Statement[] = [];
    let left_out = 0;
    for (const part of all) {
      await pause();
      const statement = statementOf(part);
      if ('statements' in parseStatements([...taken, statement])) taken.push(statement);
      else left_out += part.actions.size;
    }
    const enforced = inOrder(taken);
    const statements = await this.#withReports(enforced, pause);
    const reports_left_out = this.#reports.size - (statements.length - enforced.length);
    return { statements, left_out, reports_left_out };
  }

  async #withReports(
    enforced: readonly Statement[],
    pause: () => Promise<void> | undefined,
  ): Promise<readonly Statement[]> {
    const taken = [...enforced];
    for (const report of inOrder([...this.#reports.values()])) {
      await pause();
      const { Sid, ...nameless } = report;
      // Two policies of a group may use the same name.
      const statement = taken.some((one) => Sid !== undefined && one.Sid === Sid) ? nameless : report;
      if ('statements' in parseStatements([...taken, statement])) taken.push(statement);
    }
    return taken;
  }
}

function inOrder(statements: readonly Statement[]): readonly Statement[] {
  const order = (one: Statement): string => `${one.Effect} ${one.Action.join()} ${JSON.stringify(one)}`;
  return statements.toSorted((one, other) => (order(one) < order(other) ? -1 : 1));
}

function denies({ reading: { Effect } }: UsedPart): number {
  return Effect === 'Deny' ? 1 : 0;
}

function statementOf({ reading, actions, shapes }: UsedPart): Statement {
  const { Effect = 'Allow', Resource = ['*'], Condition, Fields } = reading;
  const isOpen = Effect === 'Allow' && Resource.includes('*') && shapes.size <= shapesMax;
  const narrowed = [...new Set([...shapes].map(patternOf))].sort();
  const isSound = narrowed.every((pattern) => pattern.length <= patternLengthMax);
  return {
    Effect,
    Action: [...actions].sort(),
    Resource: isOpen && isSound ? narrowed : Resource,
    ...(Condition === undefined || Condition.length === 0 ? {} : { Condition: conditionOf(Condition) }),
    ...(Fields === undefined ? {} : { Fields }),
  };
}

const patternLengthMax = 256;

/** The resources of one kind: what is no wildcard in them stays none. */
function patternOf(shape: string): string {
  return shape
    .split(/\{(?:id|path)\}/)
    .map((text) => text.replaceAll('$', '$\u007b$}').replaceAll('*', '$\u007b*}').replaceAll('?', '$\u007b?}'))
    .join('*');
}

function conditionOf(terms: NonNullable<UsedPart['reading']['Condition']>): NonNullable<Statement['Condition']> {
  const condition: Record<string, Record<string, readonly string[]>> = {};
  for (const { operator, key, expected } of terms) condition[operator] = { ...condition[operator], [key]: expected };
  return condition;
}

type Unused = ReplyOf<typeof policyLabApi.suggestPolicy>['unused'][number];

const unusedMax = 200;

/** Which of the Allows that members hold were used, pattern by pattern. */
export class UsedStatements {
  readonly #held = new Map<string, AttachedPolicy>();
  /** The actions for which a statement was needed. */
  readonly #actions = new Map<string, Set<string>>();

  hold(held: readonly AttachedPolicy[]): void {
    for (const policy of held) this.#held.set(policy.policyId, policy);
  }

  use({ policyId, index }: Explanation['matched'][number], action: string): void {
    const key = `${policyId} ${index}`;
    const actions = this.#actions.get(key) ?? new Set();
    this.#actions.set(key, actions.add(action));
  }

  /** The enforced Denies that are held. */
  denies(): readonly unknown[] {
    return [...this.#held.values()].flatMap((policy) =>
      elementsOf(policy).filter((element) => {
        const { Effect, Mode } = readStatement(element);
        return Effect === 'Deny' && Mode === undefined;
      }),
    );
  }

  /** The report-only statements that are held. */
  reports(): readonly unknown[] {
    return [...this.#held.values()].flatMap((policy) =>
      elementsOf(policy).filter((element) => readStatement(element).Mode === 'report'),
    );
  }

  async unused(pause: () => Promise<void> | undefined): Promise<readonly Unused[]> {
    const all: Unused[] = [];
    for (const policy of [...this.#held.values()].toSorted((one, other) =>
      one.policyName < other.policyName ? -1 : 1,
    ))
      for (const [index, element] of elementsOf(policy).entries()) {
        await pause();
        const unused = this.#unusedOf(policy, element, index);
        if (unused !== undefined) all.push(unused);
        if (all.length >= unusedMax) return all;
      }
    return all;
  }

  #unusedOf({ policyId, policyName }: AttachedPolicy, element: unknown, index: number): Unused | undefined {
    const { Sid, Effect, Action = [], Mode, errors } = readStatement(element);
    if (Effect !== 'Allow' || errors.length > 0 || Mode !== undefined) return undefined;
    const used = [...(this.#actions.get(`${policyId} ${index}`) ?? [])];
    const unused = Action.filter((pattern) => !isUsed(pattern, used));
    if (unused.length === 0) return undefined;
    const named = Sid === undefined ? {} : { Sid };
    const whole = unused.length === Action.length;
    return { policy_id: policyId, policy: policyName, index, ...named, Action: unused, whole };
  }
}

function isUsed(pattern: string, actions: readonly string[]): boolean {
  const matches = actionMatcher(pattern);
  return actions.some((action) => matches(action, { stepsLeft: 100_000 }));
}

function elementsOf({ statements }: AttachedPolicy): readonly unknown[] {
  return Array.isArray(statements) ? statements : [];
}

/** The enforced Denies that may concern an action. */
export function deniesAbout(held: readonly AttachedPolicy[], action: string): readonly unknown[] {
  return held.flatMap((policy) =>
    elementsOf(policy).filter((element) => {
      const { Effect, Action = [], Mode } = readStatement(element);
      return Effect === 'Deny' && Mode === undefined && Action.some((pattern) => isUsed(pattern, [action]));
    }),
  );
}
