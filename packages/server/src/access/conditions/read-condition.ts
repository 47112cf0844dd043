import { pointerTo } from '../../lib/json-pointer.ts';
import { parseContextKey } from '../context/context-key.ts';
import { type ReportMistake, type StatementMistake, shown } from '../mistakes.ts';
import { type OperatorUse, readOperator } from './operators.ts';

/** One key under one operator, with the values that the condition names, as texts. */
export interface ConditionTerm {
  readonly operator: string;
  readonly key: string;
  readonly expected: readonly string[];
}

export const termsMax = 20;
export const valuesMax = 50;

/** The terms of a condition, all of which have to hold; `undefined` where something is wrong with one of them. */
export function readCondition(condition: unknown, report: ReportMistake): readonly ConditionTerm[] | undefined {
  let isSound = true;
  const refuse: ReportMistake = (at, code, message) => {
    isSound = false;
    report(`/Condition${at}`, code, message);
  };
  const terms: ConditionTerm[] = [];
  if (!isObject(condition)) refuse('', 'invalid_type', '`Condition` must be an object of operators');
  else for (const [name, keys] of Object.entries(condition)) terms.push(...readTerms(name, keys, refuse));
  if (terms.length > termsMax) refuse('', 'too_many', `a statement has at most ${termsMax} conditions`);
  return isSound ? terms : undefined;
}

function readTerms(name: string, keys: unknown, report: ReportMistake): readonly ConditionTerm[] {
  const at = pointerTo(name);
  const operator = readOperator(name);
  if (!('kind' in operator)) report(at, ...operator);
  else if (!isObject(keys)) report(at, 'invalid_type', `\`${name}\` must be an object of keys and their values`);
  else return Object.entries(keys).map(([key, values]) => readTerm(name, operator, { key, values, report }));
  return [];
}

interface TermInput {
  readonly key: string;
  readonly values: unknown;
  readonly report: ReportMistake;
}

function readTerm(name: string, operator: OperatorUse, { key, values, report }: TermInput): ConditionTerm {
  const at = pointerTo(name, key);
  const known = parseContextKey(key);
  if (!('read' in known)) report(at, known[0], `the key \`${shown(key)}\` ${known[1]}`);
  const list: readonly unknown[] = Array.isArray(values) ? values : [values];
  if (list.length === 0) report(at, 'invalid_type', `\`${shown(key)}\` must have at least one value`);
  if (list.length > valuesMax) report(at, 'too_many', `a key has at most ${valuesMax} values`);
  const expected: string[] = [];
  for (const [index, value] of list.entries()) {
    const read = readExpected(operator, value);
    if ('text' in read) expected.push(read.text);
    else report(list === values ? `${at}/${index}` : at, read[0], `a value of \`${name}\` ${read[1]}`);
  }
  return { operator: name, key, expected };
}

function readExpected(use: OperatorUse, value: unknown): { readonly text: string } | StatementMistake {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    return ['invalid_type', 'must be a string, a number or a boolean'];
  if (use.kind === 'compare') return use.operator.readExpected(value);
  const text = String(value);
  return text === 'true' || text === 'false' ? { text } : ['invalid_value', 'must be `true` or `false`'];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
