import type { ASTNode } from '@marcbachmann/cel-js';
import { checkExpression, type ExpressionLanguage, readPart } from './compile-expression.ts';
import { type ConditionShape, shapeOf } from './condition-shape.ts';
import {
  type ConditionConstant,
  constantOf,
  evaluated,
  type FieldRead,
  mirrored,
  readField,
} from './field-comparison.ts';
import {
  type ExpressionMistake,
  type ExpressionScope,
  fieldOf,
  isMistake,
  lookupName,
  type Reading,
  recordName,
} from './grammar.ts';
import { childrenOf, nodesOf, textOfNode } from './node-parts.ts';
import { isOrder } from './text-order.ts';

/** The inputs of a condition; a name without a value is left out. */
interface ConditionValues {
  readonly fields: Readonly<Record<string, unknown>>;
  /** By the field of a lookup: the fields of the record that it points to. */
  readonly lookups: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The size of the value that is read. */
  readonly sizeOf: (reading: Reading) => ValueSize;
}

export interface ValueSize {
  readonly characters: number;
  readonly elements: number;
}

/** The effort of a condition for one record, in steps of about 2 ns. */
interface ConditionEffort {
  steps: number;
}

/**
 * A condition on records. The parts that `&&`, `||`, `!` and `? :` put together are false where they cannot be evaluated,
 * as where they read a field without a value, or values so large that the record would take more than `stepsOfRecordMax`.
 */
export interface CompiledCondition {
  readonly readings: readonly Reading[];
  /** The demands that each record meets for which the condition holds. */
  readonly demands: readonly Demand[];
  readonly isConjunctionOfDemands: boolean;
  /** Made when it is asked for first. */
  readonly shape: () => ConditionShape;
  readonly holds: (values: ConditionValues, effort: ConditionEffort) => boolean;
}

/** A comparison of a field with a value that no record changes; of `in`, with several. */
export interface Demand extends FieldRead {
  readonly operator: '==' | '<' | '<=' | '>' | '>=' | 'startsWith' | 'in';
  /** Undefined where it cannot be evaluated; then no record meets the condition. Of `in`, a list of such values. */
  readonly constant: ConditionConstant;
}

/** Reads a condition and checks its types; gives what is wrong with it, if anything is. */
export function compileCondition(source: string, language: ExpressionLanguage): CompiledCondition | ExpressionMistake {
  const checked = checkExpression(source, language, ['bool']);
  if (isMistake(checked)) return checked;
  const { parts, tree } = checked;
  const mistake = unboundedPart(tree, language.surroundings) ?? mistakenReading(parts.readings);
  if (mistake !== undefined) return mistake;
  const test = testOf(tree, language);
  const conjuncts = conjunctsOf(tree);
  const demands = conjuncts.flatMap((conjunct) => demandOf(conjunct, language) ?? []);
  let shape: ConditionShape | undefined;
  return {
    readings: parts.readings,
    demands,
    isConjunctionOfDemands: demands.length === conjuncts.length,
    shape: () => {
      shape ??= shapeOf(tree, language);
      return shape;
    },
    holds: (values, effort) => {
      const { fields, lookups, variables, sizeOf } = values;
      const records = { [recordName]: fields, [lookupName]: { ...lookups, [recordName]: lookups } };
      return test({ context: { ...fields, ...variables, ...records }, sizeOf, effort });
    },
  };
}

/** About 50 ms. */
export const stepsOfRecordMax = 25_000_000;

interface Tested {
  readonly context: Readonly<Record<string, unknown>>;
  readonly sizeOf: ConditionValues['sizeOf'];
  readonly effort: ConditionEffort;
}

type ConditionTest = (tested: Tested) => boolean;

function testOf(node: ASTNode, language: ExpressionLanguage): ConditionTest {
  const part = (of: ASTNode): ConditionTest => testOf(of, language);
  switch (node.op) {
    case '&&': {
      const [left, right] = [part(node.args[0]), part(node.args[1])];
      return (tested) => left(tested) && right(tested);
    }
    case '||': {
      const [left, right] = [part(node.args[0]), part(node.args[1])];
      return (tested) => left(tested) || right(tested);
    }
    case '!_': {
      const negated = part(node.args);
      return (tested) => !negated(tested);
    }
    case '?:': {
      const [condition, then, otherwise] = [part(node.args[0]), part(node.args[1]), part(node.args[2])];
      return (tested) => (condition(tested) ? then(tested) : otherwise(tested));
    }
    default:
      return partTest(node, language);
  }
}

function partTest(node: ASTNode, language: ExpressionLanguage): ConditionTest {
  const { parsed, parts } = readPart(node, language);
  const steps = stepsOf(node, parts.readings);
  return ({ context, sizeOf, effort }) => {
    const taken = steps(sizeOf);
    if (effort.steps + taken > stepsOfRecordMax) return false;
    effort.steps += taken;
    const value = evaluated(parsed, context);
    if (value === undefined) effort.steps += stepsOfFailure;
    return value === true;
  };
}

/**
 * Measured: a node takes up to 60 ns, for each element where it is in a quantifier; a character up to 12 ns for each
 * operation that goes through it, of which `size` counts as two, and an element up to 60 ns.
 */
const stepsOfNode = 30;
const stepsOfCharacter = 6;
/** The steps of these calls beside a node's own: they read a text, or reckon with the calendar. */
const stepsOfCall: ReadonlyMap<string, number> = new Map([
  ['duration', 1000],
  ['timestamp', 300],
  ['getDayOfYear', 700],
]);
/** The error of an expression that cannot be evaluated tells its place, with a part of the text. */
const stepsOfFailure = 4000;
const fallible: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%', '-_']);
const fallibleCalls: ReadonlySet<string> = new Set(['int', 'double', 'timestamp', 'duration']);

function stepsOf(node: ASTNode, readings: readonly Reading[]): (sizeOf: ConditionValues['sizeOf']) => number {
  const nodes = nodesOf(node);
  const operations = Math.max(1, operationsIn(nodes));
  const whole = stepsOfNodes(nodes);
  // Of an element a failure is no failure of the quantifier, and each of its nodes may be one.
  const forEach = quantifiersIn(node).map(({ list, condition }) => {
    const inner = nodesOf(condition);
    return { list, steps: stepsOfNodes(inner) + stepsOfFailure * inner.filter(mayFail).length };
  });
  return (sizeOf) => {
    const gone = readings.reduce((sum, reading) => {
      const { characters, elements } = sizeOf(reading);
      return sum + stepsOfCharacter * characters + stepsOfNode * elements;
    }, 0);
    return forEach.reduce(
      (sum, { list, steps }) => {
        const reading = readings.find(({ name, member }) => name === list && member === undefined);
        return sum + (reading === undefined ? 0 : steps * sizeOf(reading).elements);
      },
      whole + operations * gone,
    );
  };
}

/** Without what they read of a record. */
function stepsOfNodes(nodes: readonly ASTNode[]): number {
  const written = nodes.reduce((sum, node) => sum + (node.op === 'value' ? textOfNode(node).length : 0), 0);
  const calls = nodes.reduce((sum, node) => sum + (stepsOfCall.get(nameOfCall(node) ?? '') ?? 0), 0);
  return stepsOfNode * nodes.length + calls + operationsIn(nodes) * stepsOfCharacter * written;
}

/** The number of times that they go through the characters of a text. */
function operationsIn(nodes: readonly ASTNode[]): number {
  return nodes.reduce((sum, node) => {
    const name = nameOfCall(node);
    return sum + (name === 'size' ? 2 : name !== undefined || node.op === '+' || isOrder(node.op) ? 1 : 0);
  }, 0);
}

function mayFail(node: ASTNode): boolean {
  return fallible.has(node.op) || (node.op === 'call' && fallibleCalls.has(node.args[0]));
}

function nameOfCall(node: ASTNode): string | undefined {
  return node.op === 'call' || node.op === 'rcall' ? node.args[0] : undefined;
}

/** Undefined for a part that is no comparison of a field with a constant. */
function demandOf(node: ASTNode, language: ExpressionLanguage): Demand | undefined {
  const compares = (left: ASTNode, operator: Demand['operator'], right: ASTNode): Demand | undefined => {
    const field = readField(left, language.surroundings);
    const constant = field === undefined ? undefined : constantOf(right, language);
    return field && constant && { ...field, operator, constant };
  };
  switch (node.op) {
    case '==':
    case '<':
    case '<=':
    case '>':
    case '>=': {
      const [left, right] = node.args;
      return compares(left, node.op, right) ?? compares(right, mirrored[node.op], left);
    }
    case 'in': {
      const [field, list] = node.args;
      return list.op === 'list' ? oneOf(list.args.map((element) => compares(field, '==', element))) : undefined;
    }
    case '||':
      return oneOf(node.args.map((part) => demandOf(part, language)));
    case 'rcall': {
      const [name, receiver, [start]] = node.args;
      return name === 'startsWith' && start !== undefined ? compares(receiver, name, start) : undefined;
    }
    default: {
      // A field alone is a boolean.
      const field = readField(node, language.surroundings);
      return field && { ...field, operator: '==', constant: () => true };
    }
  }
}

/** Of a condition that holds where one of these does: they ask one field for one value each. */
function oneOf(demands: readonly (Demand | undefined)[]): Demand | undefined {
  const [first, ...others] = demands;
  if (first === undefined || others.length === 0) return first;
  const { field, member } = first;
  const isAlike = (one: Demand | undefined): one is Demand =>
    one !== undefined &&
    one.field === field &&
    one.member === member &&
    (one.operator === '==' || one.operator === 'in');
  const alike = demands.filter(isAlike);
  if (alike.length < demands.length) return undefined;
  const constant: Demand['constant'] = (variables) =>
    alike.flatMap((one) => {
      const value = one.constant(variables);
      return one.operator === 'in' ? (value as readonly unknown[]) : [value];
    });
  return { field, member, operator: 'in', constant };
}

function conjunctsOf(node: ASTNode): readonly ASTNode[] {
  return node.op === '&&' ? node.args.flatMap(conjunctsOf) : [node];
}

/** Looking for more, V8 may compare all of it at each place of a text. */
const partCharactersMax = 250;
const nodesForEachMax = 12;

/** A part whose time its operands do not bound closely enough to ask it of thousands of records. */
function unboundedPart(root: ASTNode, surroundings: ExpressionScope): ExpressionMistake | undefined {
  for (const node of nodesOf(root)) {
    if (node.op !== 'rcall') continue;
    const [name, , [sought]] = node.args;
    if (name === 'contains' && !isShortText(sought, surroundings))
      return { message: `\`contains\` takes a text of at most ${partCharactersMax} characters`, at: node.range.start };
  }
  const long = quantifiersIn(root).find(({ condition }) => nodesOf(condition).length > nodesForEachMax)?.condition;
  return (
    long && { message: `the condition of a quantifier has more than ${nodesForEachMax} parts`, at: long.range.start }
  );
}

/** Variables are short. */
function isShortText(node: ASTNode | undefined, { variables }: ExpressionScope): boolean {
  if (node?.op === 'value') return typeof node.args === 'string' && node.args.length <= partCharactersMax;
  const variable = node?.op === '.' ? node.args[0] : node;
  return variable?.op === 'id' && variables.has(variable.args);
}

/** The conditions that are asked of each element of a list, and the fields with the lists. */
function quantifiersIn(node: ASTNode): readonly { readonly list: string | undefined; readonly condition: ASTNode }[] {
  if (node.op !== 'rcall') return childrenOf(node).flatMap(quantifiersIn);
  const [, receiver, [variable, condition]] = node.args;
  if (variable === undefined || condition === undefined) return childrenOf(node).flatMap(quantifiersIn);
  return [{ list: receiver.op === 'id' ? receiver.args : fieldOf(receiver), condition }];
}

function mistakenReading(readings: readonly Reading[]): ExpressionMistake | undefined {
  const other = readings.find(({ forEach }) => forEach !== undefined);
  return other && { message: 'the condition of a quantifier reads nothing but its variable', at: other.at };
}
