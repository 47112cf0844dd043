import type { AccessContext } from '../context.ts';
import { type ContextKey, isPending, parseContextKey } from '../context-key.ts';
import { AlikeMembers, valuesOf } from '../context-value.ts';
import type { Effect } from '../effect.ts';
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
  test(context: AccessContext): Truth;
  /** What holds of the record's fields where the test holds. */
  equality(context: AccessContext): FieldEquality | undefined;
  /** The values under its key. */
  actual(context: AccessContext): readonly unknown[];
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
  const actual = (context: AccessContext) => valuesOf(key.read(context));
  if (use.kind === 'null') {
    const isAsked: Judge = (found) => term.expected.includes(String(valuesOf(found).length === 0));
    const judge = withAlike(isAsked, { effect, over: 'all' });
    const test = (context: AccessContext) => (isPending(key, context) ? 'unknown' : judge(key.read(context), context));
    return { term, keys: [key], test, actual, equality: () => undefined };
  }
  const comparison = use.operator.comparison(term.expected, { ifVague: effect === 'Deny' });
  const judge = withAlike(judgeOf(use, comparison, { ifSeveral: effect === 'Deny' }), { effect, over: use.over });
  return {
    term,
    keys: [key, ...comparison.keys],
    test: (context) => (isPending(key, context) ? 'unknown' : judge(key.read(context), context)),
    actual,
    equality: (context) => equalityOf(key, use, comparison.soleText?.(context)),
  };
}

type Judge = (found: unknown, context: AccessContext) => Truth;
type CompareUse = Extract<OperatorUse, { readonly kind: 'compare' }>;

/**
 * Each of the members whose names differ in case alone may be the one that is meant: an Allow must hold of all, and a Deny
 * of one of them. Where the operator asks for one value, they are several values like those of a list.
 */
function withAlike(judge: Judge, { effect, over }: { readonly effect: Effect; readonly over: Over }): Judge {
  const combine = effect === 'Deny' ? anyOf : everyOf;
  return (found, context) => {
    if (!(found instanceof AlikeMembers)) return judge(found, context);
    if (over === 'one' && valuesOf(found).length > 1) return effect === 'Deny';
    return combine(found.contents, (content) => judge(content, context));
  };
}

function judgeOf(
  { operator, over, mayBeMissing }: CompareUse,
  { compare }: Comparison,
  { ifSeveral }: { readonly ifSeveral: boolean },
): Judge {
  const ifMissing = mayBeMissing || over === 'all' || (over === 'one' && operator.isNegated);
  return (found, context) => {
    if (found === undefined || found === null) return ifMissing;
    if (!Array.isArray(found)) return compare(found, context);
    const values = valuesOf(found);
    if (values.length === 0) return ifMissing;
    if (over === 'any') return anyOf(values, (value) => compare(value, context));
    if (over === 'all') return everyOf(values, (value) => compare(value, context));
    return values.length === 1 ? compare(values[0], context) : ifSeveral;
  };
}

function equalityOf(
  { recordField }: ContextKey,
  { over, mayBeMissing }: CompareUse,
  value: string | undefined,
): FieldEquality | undefined {
  if (recordField === undefined || value === undefined || over !== 'one' || mayBeMissing) return undefined;
  return { field: recordField, value };
}
