import { soleElementsMax } from '../../lib/where.ts';
import type { MemberFinder } from '../../lib/where-bounds.ts';
import type { AccessContext } from '../context/context.ts';
import { presentName } from '../context/context.ts';
import { type ContextKey, isPending, parseContextKey } from '../context/context-key.ts';
import { AlikeMembers, stepsThrough, unknownValue, valuesOf } from '../context/member-path.ts';
import { type Effort, spend } from '../effort.ts';
import type { FieldEquality } from '../ruling.ts';
import type { Effect } from '../truth.ts';
import { anyOf, everyOf, type Truth } from '../truth.ts';
import type { CompiledComparison } from './operators.ts';
import { type CompareUse, holdsIfMissing, type OperatorUse, type Over, readOperator } from './operators.ts';
import type { ConditionTerm } from './read-condition.ts';
import { type TestBounds, testBounds } from './test-bounds.ts';

/** A term of a condition, ready to be asked of a request. */
export interface ConditionTest {
  readonly term: ConditionTerm;
  /** The keys that it asks for: its own and those of its variables. */
  readonly keys: readonly ContextKey[];
  /**
   * Of one value that has a text it holds exactly if the text is among these, and of none it does not hold. `undefined`
   * where it depends on more.
   */
  readonly texts: readonly string[] | undefined;
  /** Means nothing once the effort is spent. */
  test(context: AccessContext, effort: Effort): Truth;
  /** A condition on one field that holds of every record of which the test holds. */
  equality(context: AccessContext, effort: Effort): FieldEquality | undefined;
  /**
   * The trees that an engine may be asked in its place, of records of which nothing else is pending. Undefined where no
   * engine can be asked, and where a record may be so that it takes many steps.
   */
  bounds(find: MemberFinder, context: AccessContext): TestBounds | undefined;
  /** The values under its key. */
  actual(context: AccessContext, effort: Effort): readonly unknown[];
}

/**
 * Several values where the operator asks for one cannot be evaluated, nor a value that the operator does not read, such as an
 * object by a String operator; and a value cannot be compared with a variable that leads to several members: then a Deny
 * takes effect and an Allow does not.
 * @param term a term that `readCondition` gave.
 */
export function compileTerm(term: ConditionTerm, effect: Effect): ConditionTest {
  const key = parseContextKey(term.key);
  const use = readOperator(term.operator);
  if (!('read' in key) || !('kind' in use)) throw new TypeError(`a condition under \`${term.operator}\` is not sound`);
  const { keys, evaluate, soleText, texts, bounds } = evaluationOf(term, use, effect);
  return {
    term,
    keys: [key, ...keys],
    texts: use.kind === 'null' || use.over === 'all' || use.mayBeMissing ? undefined : texts,
    test: (context, effort) => {
      if (isPending(key, context)) return 'unknown';
      const found = key.read(context, effort);
      const isRead = use.kind === 'null' || use.over !== 'one' || !isOfSeveral(found);
      return spend(effort, stepsOfTest + (isRead ? stepsThrough(found) : 0)) && evaluate(found, context, effort);
    },
    actual: (context, effort) => {
      const found = key.read(context, effort);
      return spend(effort, stepsThrough(found)) ? valuesOf(found) : [];
    },
    equality: (context, effort) => {
      const equality = equalityOf(key, use, soleText?.(context, effort));
      return equality && { ...equality, field: presentName(context.naming, equality.field) };
    },
    bounds: (find, context) => {
      const field = key.recordField;
      const member = field === undefined ? undefined : find(presentName(context.naming, field));
      return member && testBounds(member, { term, use, bounds: bounds ?? noBounds }, context);
    },
  };
}

/** The cost of a test itself, without its comparisons. */
const stepsOfTest = 64;

const noBounds = (): undefined => undefined;

interface TermEvaluation extends Pick<CompiledComparison, 'soleText' | 'texts' | 'keys' | 'bounds'> {
  readonly evaluate: Evaluator;
}

function evaluationOf(term: ConditionTerm, use: OperatorUse, effect: Effect): TermEvaluation {
  if (use.kind === 'null') {
    const isComplete: Evaluator = (found) => term.expected.includes(String(valuesOf(found).length === 0));
    return { keys: [], evaluate: withAlike(isComplete, { effect, over: 'all' }) };
  }
  const comparison = use.operator.comparison(term.expected, { ifVague: effect === 'Deny' });
  const evaluate = evaluatorOf(use, comparison, { ifSeveral: effect === 'Deny' });
  return { ...comparison, evaluate: withAlike(evaluate, { effect, over: use.over }) };
}

/** Of a list that is so long, whatever is in it. */
function isOfSeveral(found: unknown): boolean {
  return Array.isArray(found) && found.length > soleElementsMax;
}

type Evaluator = (found: unknown, context: AccessContext, effort: Effort) => Truth;

/**
 * Each of the members whose names differ in case alone may be the one meant: an Allow must hold of all, and a Deny
 * of one of them. Where the operator asks for one value, they are several values like those of a list. A value that is not
 * known may be any, also none.
 */
function withAlike(evaluate: Evaluator, { effect, over }: { readonly effect: Effect; readonly over: Over }): Evaluator {
  const combine = effect === 'Deny' ? anyOf : everyOf;
  return (found, context, effort) => {
    if (found === unknownValue) return effect === 'Deny';
    if (!(found instanceof AlikeMembers)) return evaluate(found, context, effort);
    if (over === 'one' && valuesOf(found).length > 1) return effect === 'Deny';
    return combine(found.contents, (content) => evaluate(content, context, effort));
  };
}

function evaluatorOf(
  { operator, over, mayBeMissing }: CompareUse,
  { compare }: CompiledComparison,
  { ifSeveral }: { readonly ifSeveral: boolean },
): Evaluator {
  const ifMissing = holdsIfMissing({ operator, over, mayBeMissing });
  return (found, context, effort) => {
    if (found === undefined || found === null) return ifMissing;
    if (!Array.isArray(found)) return compare(found, context, effort);
    if (over === 'one' && isOfSeveral(found)) return ifSeveral;
    const values = valuesOf(found);
    if (values.length === 0) return ifMissing;
    if (over === 'any') return anyOf(values, (value) => compare(value, context, effort));
    if (over === 'all') return everyOf(values, (value) => compare(value, context, effort));
    return values.length === 1 ? compare(values[0], context, effort) : ifSeveral;
  };
}

function equalityOf(
  { recordField }: ContextKey,
  use: OperatorUse,
  value: string | undefined,
): FieldEquality | undefined {
  if (recordField === undefined || value === undefined) return undefined;
  if (use.kind === 'null' || use.over !== 'one' || use.mayBeMissing) return undefined;
  return { field: recordField, value };
}
