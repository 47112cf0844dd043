import { type Mistake, shown } from '../mistake.ts';
import type { Operator } from './operator.ts';
import { operatorCalled } from './operators.ts';

/** An operator as the name in a condition asks for it. */
export type OperatorUse =
  | {
      readonly kind: 'compare';
      readonly operator: Operator;
      readonly over: Over;
      /** It holds where the key is missing. */
      readonly mayBeMissing: boolean;
    }
  /** Asks whether the key is missing. */
  | { readonly kind: 'null' };

/** Which of the values have to be as the operator demands. Without a qualifier there may be one only. */
export type Over = 'one' | 'any' | 'all';

export const qualifiers: readonly (readonly [prefix: string, over: Over])[] = [
  ['ForAnyValue:', 'any'],
  ['ForAllValues:', 'all'],
];
export const existsSuffix = 'IfExists';

export function readOperator(name: string): OperatorUse | Mistake {
  if (name === 'Null') return { kind: 'null' };
  const [prefix, over] = qualifiers.find(([start]) => name.startsWith(start)) ?? ['', 'one'];
  const mayBeMissing = name.endsWith(existsSuffix);
  const operator = operatorCalled(name.slice(prefix.length, mayBeMissing ? -existsSuffix.length : undefined));
  if (operator === undefined) return ['invalid_value', `there is no operator \`${shown(name)}\``];
  // An Allow with both would hold where the caller leaves the key out.
  if (prefix !== '' && mayBeMissing)
    return [
      'invalid_value',
      `\`${shown(name)}\` has both \`${prefix}\` and \`${existsSuffix}\`: only one is permitted`,
    ];
  return { kind: 'compare', operator, over, mayBeMissing };
}
