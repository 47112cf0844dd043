import { isMistake } from '../../expressions/port.ts';
import type { ExpressionFormula, FieldDefinition } from '../definition.ts';
import type { ReadableFields } from '../field-types/computed/readable-fields.ts';
import { compileFormula, formulaTypes } from '../field-types/computed/typed-formula.ts';
import { compileBackfill } from '../fills/compile-fills.ts';
import type { AddError } from './add-error.ts';
import { type Part, refuseUnknownMembers } from './members.ts';

/** Reads a formula in CEL, but for its expression, which needs the other fields. */
export function checkFormula(part: Part, name: string, add: AddError): void {
  const { cel, type } = part.item;
  refuseUnknownMembers(part, { what: 'a formula', known: ['cel', 'type'] }, add);
  if (typeof cel !== 'string')
    add(`${part.pointer}/cel`, 'wrong_type', `field \`${name}\`: the \`cel\` of its formula must be a string`);
  if (typeof type !== 'string' || !formulaTypes.includes(type))
    add(
      `${part.pointer}/type`,
      'unknown_type',
      `field \`${name}\`: the \`type\` of its formula must be one of ${formulaTypes.join(', ')}`,
    );
}

/** Checks the types of a formula in CEL. */
export function checkFormulaTypes(
  formula: ExpressionFormula,
  place: { readonly name: string; readonly pointer: string; readonly fields: ReadableFields },
  add: AddError,
): void {
  const compiled = compileFormula(formula, place.fields);
  if (!isMistake(compiled)) return;
  const message = `field \`${place.name}\`: its formula, at character ${compiled.at + 1}: ${compiled.message}`;
  add(`${place.pointer}/cel`, 'invalid_expression', message);
}

/** Checks the types of an expression that gives standing records their values. */
export function checkBackfillTypes(
  field: FieldDefinition,
  { pointer, fields }: { readonly pointer: string; readonly fields: ReadableFields },
  add: AddError,
): void {
  const compiled = compileBackfill(field, fields);
  if (!isMistake(compiled)) return;
  const message = `field \`${field.name}\`: its backfill, at character ${compiled.at + 1}: ${compiled.message}`;
  add(pointer, 'invalid_expression', message);
}
