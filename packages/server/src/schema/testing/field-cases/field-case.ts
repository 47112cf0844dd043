import assert from 'node:assert/strict';
import type { FieldDefinition, FieldValue } from '../../definition.ts';
import type { FieldBehaviour } from '../../field-types/field-type.ts';
import { behaviourOf as behaviourOrMistake } from '../../field-types/registry.ts';

/** One type with hints, and what becomes of values and query texts. A string in place of a value is a problem's code. */
export interface TypeCases {
  readonly colType: string;
  readonly hints?: Partial<FieldDefinition>;
  readonly values: readonly (readonly [input: unknown, outcome: Value | Refused])[];
  readonly texts?: readonly (readonly [text: string, outcome: Value | Refused])[];
}

export interface Value {
  readonly is: FieldValue;
}

export interface Refused {
  readonly refused: string;
}

export const is = (value: FieldValue): Value => ({ is: value });
export const wrong: Refused = { refused: 'wrong_type' };
export const guid = '018bcfe5-6800-7000-8000-00000000000a';

export function behaviourOf(field: FieldDefinition): FieldBehaviour {
  const behaviour = behaviourOrMistake(field);
  assert.ok(typeof behaviour === 'object', String(behaviour));
  return behaviour;
}
