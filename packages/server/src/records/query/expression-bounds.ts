/** The expression of a list as trees over stored records. */
import type { ConditionShape, FieldTest } from '../../expressions/port.ts';
import { always, never } from '../../lib/where.ts';
import {
  allOfBounds,
  anyOfBounds,
  atMost,
  exactly,
  notBounds,
  unknownBounds,
  type WhereBounds,
} from '../../lib/where-bounds.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { FilterLanguage } from '../filtering/filter-language.ts';
import { isOrdinary, type ReadMember, readMember, testBounds } from './expression-test.ts';
import { storedMember } from './stored-member.ts';

interface Bound {
  readonly values: FilterLanguage['values'];
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * A part of an expression is also false where the record would take too many steps. Parts that are true read values of
 * the type of their field, of which texts alone may be long: so steps are a matter of other records, which may have large
 * values of other types, and of expressions that read one text several times.
 */
export function expressionBounds(entity: CompiledEntity, shape: ConditionShape, bound: Bound): WhereBounds {
  const { variables } = bound;
  const read = readerOf(entity, bound.values);
  const ideal = (test: FieldTest): WhereBounds => {
    const member = read(test);
    return member === undefined ? unknownBounds : testBounds(member, test.operator, test.constant(variables));
  };
  const tests = [...new Set(testsIn(shape))];
  const members = tests.map((test) => (test === 'other' ? undefined : boundedMember(test, read)));
  const known = members.flatMap((member) => (member === undefined || member.isList ? [] : [member]));
  const mayStarve = known.length < members.length || isReadAgain(known);
  if (known.length === members.length && isFrugal(shape, read)) return boundsOf(shape, { ideal, variables });
  if (mayStarve) return boundsOf(shape, { ideal: (test) => atMost(ideal(test)), variables });
  const whole = boundsOf(shape, { ideal, variables });
  const ordinary = allOfBounds(known.map(isOrdinary));
  return {
    above: anyOfBounds([whole, notBounds(ordinary)]).above,
    below: allOfBounds([whole, ordinary]).below,
  };
}

/** The member that a test reads; undefined where no engine can be asked about it. */
type Read = (test: FieldTest) => ReadMember | undefined;

function readerOf(entity: CompiledEntity, values: Bound['values']): Read {
  return ({ field, member }) => {
    const value = member === undefined ? values.get(field) : undefined;
    const path = value === undefined ? undefined : storedMember(entity, value.field);
    return value === undefined || path === undefined ? undefined : readMember(value, path);
  };
}

/** Undefined where a text is gone through more than once. */
function boundedMember(test: FieldTest, read: Read): ReadMember | undefined {
  const member = read(test);
  return member?.type === 'text' && !test.isPlain ? undefined : member;
}

interface Tests {
  readonly ideal: (test: FieldTest) => WhereBounds;
  readonly variables: Bound['variables'];
}

function boundsOf(shape: ConditionShape, tests: Tests): WhereBounds {
  const part = (of: ConditionShape): WhereBounds => boundsOf(of, tests);
  switch (shape.kind) {
    case 'and':
      return allOfBounds(shape.parts.map(part));
    case 'or':
      return anyOfBounds(shape.parts.map(part));
    case 'not':
      return notBounds(part(shape.part));
    case 'constant':
      return exactly(shape.constant(tests.variables) === true ? always : never);
    case 'test':
      return tests.ideal(shape.test);
    case 'other':
      return unknownBounds;
  }
}

function testsIn(shape: ConditionShape): readonly (FieldTest | 'other')[] {
  switch (shape.kind) {
    case 'and':
    case 'or':
      return shape.parts.flatMap(testsIn);
    case 'not':
      return testsIn(shape.part);
    case 'test':
      return [shape.test];
    case 'other':
      return ['other'];
    case 'constant':
      return [];
  }
}

/** Whether steps never decide: with all parts before it true, no part is out of them that would be true. */
function isFrugal(shape: ConditionShape, read: Read): boolean {
  const conjuncts = conjunctsOf(shape);
  const tests = testsIn(shape);
  const isAlone = new Set(tests).size <= 1;
  if (isAlone) return true;
  const long = tests.flatMap((test) => (test === 'other' || isEquality(test) ? [] : (read(test) ?? [])));
  return !isReadAgain(long) && conjuncts.every((part) => part.kind === 'test' || isOfOneValue(part));
}

function conjunctsOf(shape: ConditionShape): readonly ConditionShape[] {
  return shape.kind === 'and' ? shape.parts.flatMap(conjunctsOf) : [shape];
}

/** Whether it holds where one field has one of some values: a value that is longer, or of another type, is none of them. */
function isOfOneValue(shape: ConditionShape): boolean {
  if (shape.kind === 'constant') return true;
  const tests = alternativesOf(shape).map((part) =>
    part.kind === 'test' && isEquality(part.test) ? part.test : undefined,
  );
  const [first] = tests;
  return tests.every((test) => test !== undefined && test.field === first?.field);
}

function alternativesOf(shape: ConditionShape): readonly ConditionShape[] {
  return shape.kind === 'or' ? shape.parts.flatMap(alternativesOf) : [shape];
}

function isEquality({ operator }: FieldTest): boolean {
  return operator === '==' || operator === 'in';
}

/** Whether a text is gone through several times: twice that of the longest record is too much. */
function isReadAgain(members: readonly ReadMember[]): boolean {
  const texts = members.filter(({ type }) => type === 'text').map(({ path }) => path.join());
  return new Set(texts).size < texts.length;
}
