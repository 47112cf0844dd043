/** Expressions of templates give what a naive evaluator gives that knows no bounds and no library. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thinned } from '../../store/testing/quick.ts';
import { isMistake } from '../grammar.ts';
import { TemplateError } from './cel-values.ts';
import { compileTemplate, compileWhen } from './compile-template.ts';

/** Why there is no value. */
const absent = Symbol('absent');
const failed = Symbol('failed');
const outOfReach: readonly unknown[] = [absent, failed];

interface Moment {
  readonly input: Readonly<Record<string, unknown>>;
}

interface Expression {
  readonly text: string;
  readonly value: (moment: Moment) => unknown;
}

type Naive = (...operands: readonly unknown[]) => unknown;

/** An operation has a value where all operands have: a failure goes before a value that is not there. */
function operation(text: (...parts: readonly string[]) => string, of: readonly Expression[], naive: Naive): Expression {
  return {
    text: text(...of.map((part) => part.text)),
    value: (moment) => {
      const operands = of.map((part) => part.value(moment));
      if (operands.includes(failed)) return failed;
      return operands.includes(absent) ? absent : naive(...operands);
    },
  };
}

const isTrue = ({ value }: Expression, moment: Moment): boolean => value(moment) === true;
const numbers = (apply: (a: number, b: number) => unknown): Naive => {
  return (a, b) => (typeof a === 'number' && typeof b === 'number' ? apply(a, b) : failed);
};
const texts = (apply: (a: string, b: string) => unknown): Naive => {
  return (a, b) => (typeof a === 'string' && typeof b === 'string' ? apply(a, b) : failed);
};
const less: Naive = (a, b) => {
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) < Number(b);
  return typeof a === 'number' ? numbers((x, y) => x < y)(a, b) : texts((x, y) => x < y)(a, b);
};

const names = ['a', 'b', 'c', 'constructor', 'if'];
const lists = ['list', 'map'];
const named = (name: string): Expression => ({
  text: `input.${name}`,
  value: ({ input }) => (Object.hasOwn(input, name) ? input[name] : absent),
});
const literal = (text: string, value: unknown): Expression => ({ text, value: () => value });

type Kind = 'number' | 'text' | 'flag';
type Some = fc.Arbitrary<Expression>;

const read = fc.constantFrom(...names).map(named);
const leaves: Readonly<Record<Kind, Some>> = {
  number: fc.integer({ min: 0, max: 3 }).map((value) => literal(`${value}.0`, value)),
  text: fc.constantFrom('', 'a', 'b', 'x y').map((value) => literal(JSON.stringify(value), value)),
  flag: fc.oneof(
    fc.boolean().map((value) => literal(String(value), value)),
    fc.constantFrom(...names, ...lists).map((name): Expression => {
      return { text: `has(input.${name})`, value: ({ input }) => Object.hasOwn(input, name) };
    }),
    fc
      .tuple(
        fc.constantFrom('all', 'exists', 'exists_one'),
        fc.constantFrom(...names, ...lists),
        fc.integer({ min: 0, max: 2 }),
      )
      .map(([name, list, bound]): Expression => {
        return {
          text: `input.${list}.${name}(i, i < ${bound}.0)`,
          value: ({ input }) => quantified(name, Object.hasOwn(input, list) ? input[list] : absent, bound),
        };
      }),
  ),
};

const { number, text, flag } = fc.letrec<Record<Kind, Expression>>((tie) => {
  const of = { number: tie('number'), text: tie('text'), flag: tie('flag') };
  const grown = (kind: Kind, others: readonly Some[]): Some =>
    fc.oneof({ maxDepth: 5 }, leaves[kind], read, choice(of.flag, of[kind]), ...others);
  const binary = (sign: string, part: Some, naive: Naive): Some =>
    fc.tuple(part, part).map((both) => operation((a, b) => `(${a} ${sign} ${b})`, both, naive));
  const joined: Naive = (a, b) => (typeof a === 'number' ? numbers((x, y) => x + y) : texts((x, y) => x + y))(a, b);
  const compared = Object.values(of).flatMap((part) => [
    binary('==', part, (a, b) => a === b),
    binary('!=', part, (a, b) => a !== b),
    binary('<', part, less),
    fc.tuple(part, part).map((both) =>
      operation(
        (a, b) => `(${a} in [${b}])`,
        both,
        (a, b) => a === b,
      ),
    ),
  ]);
  return {
    number: grown('number', [
      binary(
        '-',
        of.number,
        numbers((a, b) => a - b),
      ),
      binary(
        '*',
        of.number,
        numbers((a, b) => a * b),
      ),
      binary('+', of.number, joined),
    ]),
    text: grown('text', [
      binary('+', of.text, joined),
      of.text.map((one) =>
        operation(
          (a) => `(${a}).upperAscii()`,
          [one],
          (a) => texts((x) => x.toUpperCase())(a, ''),
        ),
      ),
    ]),
    flag: grown('flag', [
      ...compared,
      ...logic(of.flag),
      fc.tuple(of.text, of.text).map((both) =>
        operation(
          (a, b) => `(${a}).contains(${b})`,
          both,
          texts((a, b) => a.includes(b)),
        ),
      ),
    ]),
  };
});

function choice(condition: Some, part: Some): Some {
  return fc.tuple(condition, part, part).map(([test, a, b]): Expression => {
    return {
      text: `(${test.text} ? ${a.text} : ${b.text})`,
      value: (moment) => (isTrue(test, moment) ? a : b).value(moment),
    };
  });
}

function logic(part: Some): readonly Some[] {
  return [
    part.map((one): Expression => ({ text: `!(${one.text})`, value: (moment) => !isTrue(one, moment) })),
    fc.tuple(part, part).map(([a, b]): Expression => {
      return { text: `(${a.text} && ${b.text})`, value: (moment) => isTrue(a, moment) && isTrue(b, moment) };
    }),
    fc.tuple(part, part).map(([a, b]): Expression => {
      return { text: `(${a.text} || ${b.text})`, value: (moment) => isTrue(a, moment) || isTrue(b, moment) };
    }),
  ];
}

function quantified(name: string, list: unknown, bound: number): unknown {
  if (!Array.isArray(list)) return absent;
  const found = list.filter((element) => less(element, bound) === true).length;
  return name === 'all' ? found === list.length : name === 'exists' ? found > 0 : found === 1;
}

const inputs = fc
  .tuple(
    fc.dictionary(
      fc.constantFrom(...names),
      fc.oneof(fc.integer({ min: -2, max: 3 }), fc.constantFrom('', 'a', 'ab'), fc.boolean()),
      { noNullPrototype: true },
    ),
    fc.dictionary(
      fc.constantFrom(...lists),
      fc.array(fc.oneof(fc.integer({ min: -1, max: 2 }), fc.constant('a')), { maxLength: 3 }),
      { noNullPrototype: true },
    ),
  )
  .map(([scalars, arrays]): Readonly<Record<string, unknown>> => ({ ...scalars, ...arrays }));

const numRuns = thinned(5000);

test('a template and a condition give what a naive evaluator gives', () => {
  let compared = 0;
  fc.assert(
    fc.property(fc.oneof(number, text, flag), inputs, (expression, input) => {
      const compiled = compileTemplate(`{{${expression.text}}}`, { steps: new Map() }, '');
      // Too long an expression is refused before.
      if (!('evaluate' in compiled)) return;
      const values = { steps: {}, input, env: 'test', now: 0 };
      const expected = expression.value({ input });
      compared += 1;
      try {
        const found = compiled.evaluate(values, { steps: 0 });
        assert.deepEqual(found, expected === absent ? null : positive(expected));
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        assert.equal(expected, failed, error.message);
      }
      const when = compileWhen(expression.text, { steps: new Map() });
      if (!isMistake(when)) assert.equal(when.holds(values), !outOfReach.includes(expected) && expected === true);
    }),
    { numRuns },
  );
  assert.ok(compared > numRuns * 0.9, `${compared} were compared`);
});

/** JSON has no zero below zero. */
function positive(value: unknown): unknown {
  return value === 0 ? 0 : value;
}
