import type { Operator } from './operator.ts';
import { operatorCalled } from './operators.ts';

/** An operator as the name in a condition asks for it. */
export type OperatorUse =
  | { readonly kind: 'compare'; readonly operator: Operator; readonly over: Over; readonly mayBeMissing: boolean }
  /** Asks whether the key is missing. */
  | { readonly kind: 'null' };

/** Which of the values have to be as the operator demands. Without a qualifier there may be one only. */
export type Over = 'one' | 'any' | 'all';

const qualifiers: readonly (readonly [prefix: string, over: Over])[] = [
  ['ForAnyValue:', 'any'],
  ['ForAllValues:', 'all'],
];
const existsSuffix = 'IfExists';

export function readOperator(name: string): OperatorUse | undefined {
  if (name === 'Null') return { kind: 'null' };
  const [prefix, over] = qualifiers.find(([start]) => name.startsWith(start)) ?? ['', 'one'];
  const mayBeMissing = name.endsWith(existsSuffix);
  const operator = operatorCalled(name.slice(prefix.length, mayBeMissing ? -existsSuffix.length : undefined));
  return operator === undefined ? undefined : { kind: 'compare', operator, over, mayBeMissing };
}
