/** The operators, functions and methods of values: the library of CEL runs them, one operation at a time. */
import { EvaluationError, type ParseResult } from '@marcbachmann/cel-js';
import { roomyEnvironment } from '../compile-expression.ts';
import { durationPrefix } from '../grammar.ts';
import { sentenceOf } from '../sentences.ts';
import { isOrder, ordered } from '../text-order.ts';
import { charge, chargeBuilt, chargeText, type Effort, TemplateError } from './cel-values.ts';

export type TemplateOperation = (operands: readonly unknown[], effort: Effort) => unknown;

const operandNames = ['a', 'b'] as const;

const environment = operandNames.reduce((made, name) => made.registerVariable(name, 'dyn'), roomyEnvironment.clone());

const made = new Map<string, TemplateOperation>();

/** An operator of two values. */
export function operatorNamed(sign: string): TemplateOperation {
  if (sign === 'in') return isIn;
  const operation = operationOf(`a ${sign} b`);
  return isOrder(sign) ? orderOf(sign, operation) : operation;
}

function orderOf(sign: Parameters<typeof ordered>[0], ofOthers: TemplateOperation): TemplateOperation {
  return (operands, effort) => {
    const [left, right] = operands;
    if (typeof left !== 'string' || typeof right !== 'string') return ofOthers(operands, effort);
    charge(effort, stepsOfOperation);
    for (const operand of operands) chargeOperand(operand, effort);
    return ordered(sign, left, right);
  };
}

/** Not that of the library, which does not choose between whole numbers and others where types are not known before. */
function isIn([value, holder]: readonly unknown[], effort: Effort): boolean {
  if (holder instanceof Map) return holder.has(value);
  if (!Array.isArray(holder)) throw new TemplateError('expression_failed', 'only a list or an object has elements');
  const equals = operationOf('a == b');
  return holder.some((element) => equals([value, element], effort) === true);
}

export function negation(): TemplateOperation {
  return operationOf('-a');
}

export function functionNamed(name: string): TemplateOperation {
  return operationOf(name === 'duration' ? `${durationPrefix}duration(a)` : `${name}(a)`);
}

/** A method of a value, with one argument at most. */
export function methodNamed(name: string, argumentCount: number): TemplateOperation {
  return operationOf(`a.${name}(${argumentCount === 0 ? '' : 'b'})`, name === 'contains');
}

/** Of an operation of the library, whose time on short operands is about 500 ns. */
const stepsOfOperation = 2;

/** Looking for a text in another, V8 may compare all of it at each place: this many take as long as a character else. */
const comparisonsOfCharacter = 16;

/** The library looks for the type of each operand, and for a failure puts together where it was. */
const stepsOfFailure = 40;

/** @param isSearch it may take the time of the product of two lengths, not of their sum. */
function operationOf(text: string, isSearch = false): TemplateOperation {
  const before = made.get(text);
  if (before !== undefined) return before;
  const parsed = environment.parse(text);
  const operation: TemplateOperation = (operands, effort) => {
    charge(effort, stepsOfOperation);
    for (const operand of operands) chargeOperand(operand, effort);
    const [a, b] = operands;
    if (isSearch && typeof a === 'string' && typeof b === 'string')
      chargeText(effort, (a.length * b.length) / comparisonsOfCharacter);
    const result = run(parsed, { a, b }, effort);
    if (typeof result === 'string') chargeBuilt(effort, result.length);
    return result;
  };
  made.set(text, operation);
  return operation;
}

function chargeOperand(operand: unknown, effort: Effort): void {
  if (typeof operand === 'string') chargeText(effort, operand.length);
  else if (Array.isArray(operand)) for (const element of operand) chargeOperand(element, effort);
  else if (operand instanceof Map) for (const member of operand.values()) chargeOperand(member, effort);
  else charge(effort, 1);
}

export const unsuited = 'a value is none that an operation takes';

function run(parsed: ParseResult, operands: Readonly<Record<string, unknown>>, effort: Effort): unknown {
  try {
    return parsed(operands);
  } catch (error) {
    charge(effort, stepsOfFailure);
    throw new TemplateError(
      'expression_failed',
      error instanceof EvaluationError ? sentenceOf(error, unsuited) : unsuited,
    );
  }
}
