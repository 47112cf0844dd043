import { parseStatements, readStatement, type Statement, type StatementReading } from '../../access/port.ts';

interface UsedPart {
  readonly reading: StatementReading;
  readonly actions: Set<string>;
  readonly shapes: Set<string>;
}

interface UsedAt {
  readonly action: string;
  readonly shape: string;
  readonly Effect: 'Allow' | 'Deny';
}

export interface SuggestedPolicy {
  readonly statements: readonly Statement[];
  /** Actions. */
  readonly left_out: number;
  /** Report-only statements. */
  readonly reports_left_out: number;
}

const shapesMax = 20;

/**
 * What is left of statements when all is taken out of them that was not used. Conditions and fields stay as they are, so
 * that no statement allows more than its origin.
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

function conditionOf(terms: NonNullable<StatementReading['Condition']>): NonNullable<Statement['Condition']> {
  const condition: Record<string, Record<string, readonly string[]>> = {};
  for (const { operator, key, expected } of terms) condition[operator] = { ...condition[operator], [key]: expected };
  return condition;
}
