import type { AccessContext } from '../context/context.ts';
import { type ContextKey, isPending, parseContextKey } from '../context/context-key.ts';
import { AlikeMembers, stepsThrough, unknownValue, valuesOf } from '../context/context-value.ts';
import { presentName } from '../context/field-naming.ts';
import type { Effect } from '../effect.ts';
import { type Effort, spend } from '../effort.ts';
import type { FieldEquality } from '../ruling.ts';
import { anyOf, everyOf, type Truth } from '../truth.ts';
import type { Comparison } from './operator.ts';
import { type OperatorUse, type Over, readOperator } from './operator-use.ts';
import type { ConditionTerm } from './read-condition.ts';

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
  /** What holds of the record's fields where the test holds. */
  equality(context: AccessContext, effort: Effort): FieldEquality | undefined;
  /** The values under its key. */
  actual(context: AccessContext, effort: Effort): readonly unknown[];
}

/**
 * Several values where the operator asks for one cannot be judged, nor a value that the operator does not read, such as an
 * object by a String operator; and a value cannot be compared with a variable that leads to several members: then a Deny
 * takes effect and an Allow does not.
 * @param term one that `readCondition` gave.
 */
export function compileTerm(term: ConditionTerm, effect: Effect): ConditionTest {
  const key = parseContextKey(term.key);
  const use = readOperator(term.operator);
  if (!('read' in key) || !('kind' in use)) throw new TypeError(`a condition under \`${term.operator}\` is not sound`);
  const { keys, judge, soleText, texts } = judgmentOf(term, use, effect);
  return {
    term,
    keys: [key, ...keys],
    texts: use.kind === 'null' || use.over === 'all' || use.mayBeMissing ? undefined : texts,
    test: (context, effort) => {
      if (isPending(key, context)) return 'unknown';
      const found = key.read(context, effort);
      return spend(effort, stepsOfTest + stepsThrough(found)) && judge(found, context, effort);
    },
    actual: (context, effort) => {
      const found = key.read(context, effort);
      return spend(effort, stepsThrough(found)) ? valuesOf(found) : [];
    },
    equality: (context, effort) => {
      const equality = equalityOf(key, use, soleText?.(context, effort));
      return equality && { ...equality, field: presentName(context.naming, equality.field) };
    },
  };
}

/** What a test costs beside what it compares. */
const stepsOfTest = 64;

interface Judgment extends Pick<Comparison, 'soleText' | 'texts' | 'keys'> {
  readonly judge: Judge;
}

function judgmentOf(term: ConditionTerm, use: OperatorUse, effect: Effect): Judgment {
  if (use.kind === 'null') {
    const isAsked: Judge = (found) => term.expected.includes(String(valuesOf(found).length === 0));
    return { keys: [], judge: withAlike(isAsked, { effect, over: 'all' }) };
  }
  const comparison = use.operator.comparison(term.expected, { ifVague: effect === 'Deny' });
  const judge = judgeOf(use, comparison, { ifSeveral: effect === 'Deny' });
  return { ...comparison, judge: withAlike(judge, { effect, over: use.over }) };
}

type Judge = (found: unknown, context: AccessContext, effort: Effort) => Truth;
type CompareUse = Extract<OperatorUse, { readonly kind: 'compare' }>;

/**
 * Each of the members whose names differ in case alone may be the one that is meant: an Allow must hold of all, and a Deny
 * of one of them. Where the operator asks for one value, they are several values like those of a list. A value that is not
 * known may be any, also none.
 */
function withAlike(judge: Judge, { effect, over }: { readonly effect: Effect; readonly over: Over }): Judge {
  const combine = effect === 'Deny' ? anyOf : everyOf;
  return (found, context, effort) => {
    if (found === unknownValue) return effect === 'Deny';
    if (!(found instanceof AlikeMembers)) return judge(found, context, effort);
    if (over === 'one' && valuesOf(found).length > 1) return effect === 'Deny';
    return combine(found.contents, (content) => judge(content, context, effort));
  };
}

function judgeOf(
  { operator, over, mayBeMissing }: CompareUse,
  { compare }: Comparison,
  { ifSeveral }: { readonly ifSeveral: boolean },
): Judge {
  const ifMissing = mayBeMissing || over === 'all' || (over === 'one' && operator.isNegated);
  return (found, context, effort) => {
    if (found === undefined || found === null) return ifMissing;
    if (!Array.isArray(found)) return compare(found, context, effort);
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
