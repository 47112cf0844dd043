import assert from 'node:assert/strict';
import type { CedarValueJson, Context, Expr, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import { type ConditionEntry, readCondition } from '../reference-condition.ts';
import type { ReferenceRequest } from '../reference-evaluator.ts';
import { inSmallLetters } from '../reference-letters.ts';

/** A statement within what Cedar can say too: no `?`, no Fields, variables only as a whole value, members of one type. */
export interface PlainStatement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The types of the members of records in Cedar. */
export const memberTypes = {
  status: 'text',
  owner: 'text',
  n: 'long',
  price: 'decimal',
  when: 'moment',
  ip: 'address',
  flag: 'truth',
  tags: 'texts',
} as const;

export type Member = keyof typeof memberTypes;

export function toCedarPolicy({ Effect, Action, Resource, Condition }: PlainStatement): PolicyJson {
  const entries = readCondition(Condition);
  if (entries === 'unreadable') throw new TypeError('only sound conditions can be translated to Cedar');
  const parts = [
    some(Action.map((pattern) => like(attribute('action'), inSmallLetters(pattern)))),
    some(Resource.map((pattern) => like(attribute('resource'), pattern))),
    ...entries.map(toExpression),
  ];
  return {
    effect: Effect === 'Allow' ? 'permit' : 'forbid',
    principal: { op: 'All' },
    action: { op: 'All' },
    resource: { op: 'All' },
    conditions: parts.map((body) => ({ kind: 'when', body })),
  };
}

export function toCedarContext({ action, resource, context }: ReferenceRequest): Context {
  const members = Object.entries(context.record ?? {}).filter(([, value]) => value !== null);
  const record = members.map(([name, value]) => [name, toValue(typeOf(name), value)] as const);
  return {
    action: inSmallLetters(action),
    resource,
    user: { id: context.user.id },
    ip: extension('ip', context.request.ip ?? assert.fail('Cedar has no address that is not known')),
    record: Object.fromEntries(record),
  };
}

function toExpression({ qualifier, operator, hasIfExists, key, expected }: ConditionEntry): Expr {
  const { value, has, type } = placeOf(key);
  if (operator === 'Null') return some(expected.map((word) => (String(word) === 'true' ? not(has) : has)));
  const isNegated = operator.includes('Not');
  const test = testOf({ qualifier, operator, isNegated, value, type, expected });
  const whenMissing = hasIfExists || (qualifier === undefined ? isNegated : qualifier === 'ForAllValues');
  return whenMissing ? { '||': { left: not(has), right: test } } : { '&&': { left: has, right: test } };
}

interface Test extends Pick<ConditionEntry, 'qualifier' | 'operator' | 'expected'> {
  readonly isNegated: boolean;
  readonly value: Expr;
  readonly type: string;
}

function testOf({ qualifier, operator, isNegated, value, type, expected }: Test): Expr {
  if (qualifier !== undefined) {
    const listed: Expr = { Set: expected.map((one) => ({ Value: String(one) })) };
    const isAnyListed: Expr = { containsAny: { left: value, right: listed } };
    const areAllListed: Expr = { containsAll: { left: listed, right: value } };
    if (qualifier === 'ForAnyValue') return isNegated ? not(areAllListed) : isAnyListed;
    return isNegated ? not(isAnyListed) : areAllListed;
  }
  const fits = some(expected.map((one) => comparison(operator.replace('Not', ''), value, { type, expected: one })));
  return isNegated ? not(fits) : fits;
}

function comparison(operator: string, value: Expr, { type, expected }: { type: string; expected: unknown }): Expr {
  if (operator === 'StringLike') return like(value, String(expected));
  if (operator === 'IpAddress') return call('isInRange', [value, call('ip', [{ Value: String(expected) }])]);
  const known = variableIn(expected);
  if (known !== undefined) return { '&&': { left: known.has, right: { '==': { left: value, right: known.value } } } };
  const other = literal(type, expected);
  const order = operator.replace('String', '').replace('Numeric', '').replace('Date', '').replace('Bool', 'Equals');
  if (order === 'Equals') return { '==': { left: value, right: other } };
  if (type === 'decimal') {
    const method = order.replace('Equals', 'OrEqual');
    return call(method.charAt(0).toLowerCase() + method.slice(1), [value, other]);
  }
  if (order === 'LessThan') return { '<': { left: value, right: other } };
  if (order === 'LessThanEquals') return { '<=': { left: value, right: other } };
  if (order === 'GreaterThan') return { '>': { left: value, right: other } };
  return { '>=': { left: value, right: other } };
}

interface Place {
  readonly value: Expr;
  readonly has: Expr;
  readonly type: string;
}

function placeOf(key: string): Place {
  const name = inSmallLetters(key);
  if (name === 'user.id') return { value: member(attribute('user'), 'id'), has: { Value: true }, type: 'text' };
  if (name === 'request.ip') return { value: attribute('ip'), has: { Value: true }, type: 'address' };
  const field = name.slice('record.'.length);
  const value = member(attribute('record'), field);
  const stands: Expr = { has: { left: attribute('record'), attr: field } };
  // An empty list is as good as none.
  const has: Expr = field === 'tags' ? { '&&': { left: stands, right: not({ isEmpty: { arg: value } }) } } : stands;
  return { value, has, type: typeOf(field) };
}

function variableIn(expected: unknown): Place | undefined {
  const opening = '$' + '{';
  if (typeof expected !== 'string' || !expected.startsWith(opening)) return undefined;
  return placeOf(expected.slice(opening.length, -1));
}

function typeOf(name: string): string {
  return name in memberTypes ? memberTypes[name as Member] : 'text';
}

function toValue(type: string, value: unknown): CedarValueJson {
  if (Array.isArray(value)) return value.map(String);
  if (type === 'decimal') return extension('decimal', String(value));
  if (type === 'moment') return extension('datetime', String(value));
  if (type === 'address') return extension('ip', String(value));
  return type === 'long' || type === 'truth' ? (value as number | boolean) : String(value);
}

function literal(type: string, expected: unknown): Expr {
  if (type === 'decimal') return call('decimal', [{ Value: String(expected) }]);
  if (type === 'moment') return call('datetime', [{ Value: String(expected) }]);
  if (type === 'long') return { Value: Number(expected) };
  return { Value: type === 'truth' ? String(expected) === 'true' : String(expected) };
}

function extension(fn: string, arg: string): CedarValueJson {
  return { __extn: { fn, arg } };
}

function call(name: string, operands: Expr[]): Expr {
  return { [name]: operands };
}

function attribute(name: string): Expr {
  return member({ Var: 'context' }, name);
}

function member(left: Expr, attr: string): Expr {
  return { '.': { left, attr } };
}

function like(left: Expr, pattern: string): Expr {
  const literals = pattern.split('*').map((text) => (text === '' ? [] : [{ Literal: text }]));
  return {
    like: { left, pattern: literals.flatMap((one, index) => (index === 0 ? one : ['Wildcard' as const, ...one])) },
  };
}

function not(arg: Expr): Expr {
  return { '!': { arg } };
}

function some(alternatives: readonly Expr[]): Expr {
  return alternatives.reduce((left, right) => ({ '||': { left, right } }));
}
