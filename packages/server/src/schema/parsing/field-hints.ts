import { pointerTo } from '../../lib/json-pointer.ts';
import { definitionLimits } from '../definition.ts';
import { type AddError, isObject, type Part } from './members.ts';

/** Checks that the hints of a field are known, of the right types, and among those that mean something for it. */
export function checkHints(
  part: Part,
  field: { readonly name: string; readonly hints: readonly string[] },
  add: AddError,
): void {
  const { name, hints } = field;
  for (const [hint, value] of Object.entries(part.item)) {
    if (hint === 'name' || hint === 'colType') continue;
    const at = part.pointer + pointerTo(hint);
    const shape = Object.hasOwn(hintShapes, hint) ? hintShapes[hint] : undefined;
    if (shape === undefined)
      add(at, 'unknown_field', `field \`${name}\` has an unknown hint \`${hint.slice(0, 100)}\``);
    else if (!shape.holds(value)) add(at, 'wrong_type', `field \`${name}\`: \`${hint}\` must be ${shape.expected}`);
    else if (!hints.includes(hint)) add(at, 'hint_without_meaning', withoutMeaning(name, hint));
  }
}

export function withoutMeaning(name: string, hint: string): string {
  return `field \`${name}\`: \`${hint}\` does not apply to its colType`;
}

/** Hints that the checks of a field come from, so that they say nothing where `validate` is not true. */
export const checkedHints = ['minlength', 'maxlength', 'min', 'max', 'pattern'] as const;

interface HintShape {
  readonly holds: (value: unknown) => boolean;
  readonly expected: string;
}

const flag: HintShape = { holds: (value) => typeof value === 'boolean', expected: '`true` or `false`' };
const text: HintShape = { holds: (value) => typeof value === 'string', expected: 'a string' };
const length: HintShape = {
  holds: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  expected: 'a whole number from 0',
};
const number: HintShape = { holds: (value) => Number.isFinite(value), expected: 'a number' };
const object: HintShape = { holds: isObject, expected: 'an object' };

const names: HintShape = {
  holds: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  expected: 'a list of names',
};

const hintShapes: Readonly<Record<string, HintShape>> = {
  validate: flag,
  required: flag,
  index: flag,
  search: flag,
  minlength: length,
  maxlength: length,
  min: number,
  max: number,
  pattern: text,
  backfill: text,
  enumValues: { holds: isEnumValues, expected: `a list of 1 to ${definitionLimits.enumValuesMax} strings` },
  formula: { holds: (value) => typeof value === 'string' || isObject(value), expected: 'a string or an object' },
  items: object,
  lookup: object,
  aliases: names,
  formerNames: names,
  storedAs: text,
  convert: { holds: isObject, expected: 'an expression that is sent for a field that stands' },
  description: { holds: (value) => typeof value === 'string' && value.length <= 2000, expected: 'a string' },
  default: { holds: (value) => value !== null, expected: 'a value of the field' },
};

function isEnumValues(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= definitionLimits.enumValuesMax &&
    value.every((item) => typeof item === 'string' && item !== '' && item.length <= 256)
  );
}
