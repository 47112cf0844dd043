import { apiNamesOf, definitionLimits, type FieldDefinition, isLookupList, lookupOf } from '../definition.ts';
import { formulaTokens } from '../field-types/formula.ts';
import { behaviourOf, readableFields } from '../field-types/registry.ts';
import { takesBackfill } from '../fills.ts';
import { isSharedParameter } from '../names.ts';
import { type AddError, partsOf } from './members.ts';
import { checkBackfillTypes, checkedHints, checkFormulaTypes, parseField } from './parse-field.ts';
import { checkConversions, checkFieldNames, type PlacedField } from './parse-names.ts';

/** The fields of a definition that hold, and remarks on what they say without effect. */
interface Catalog {
  readonly fields: readonly FieldDefinition[];
  readonly warnings: readonly string[];
}

export function parseCatalog(input: unknown, add: AddError): Catalog {
  if (input === undefined) return { fields: [], warnings: [] };
  const list = { name: 'UpdateParams', pointer: '/UpdateParams', max: definitionLimits.fieldsMax };
  const places = new Map<string, string>();
  const placed: PlacedField[] = [];
  for (const part of partsOf(input, list, add)) {
    const field = parseField(part, add);
    if (field === undefined) continue;
    places.set(field.name, part.pointer);
    placed.push({ field, pointer: part.pointer });
  }
  checkFieldNames(placed, add);
  checkConversions(placed, add);
  const fields = placed.map(({ field }) => field);
  checkExpressions(fields, places, add);
  const { indexesMax, lookupListsMax } = definitionLimits;
  if (fields.filter((field) => field.index === true || lookupOf(field) !== undefined).length > indexesMax)
    add('/UpdateParams', 'too_many', `at most ${indexesMax} fields may have an index or a lookup`);
  if (fields.filter(isLookupList).length > lookupListsMax)
    add('/UpdateParams', 'too_many', `at most ${lookupListsMax} fields may be arrays of lookups`);
  if (fields.reduce((sum, field) => sum + classesOf(field), 0) > definitionLimits.classesMax)
    add(
      '/UpdateParams',
      'too_many',
      `patterns may name at most ${definitionLimits.classesMax} classes of Unicode together`,
    );
  return { fields, warnings: fields.flatMap(warningsOf) };
}

function classesOf({ pattern = '', items = {} }: FieldDefinition): number {
  return `${pattern} ${items.pattern ?? ''}`.match(/\\p/gi)?.length ?? 0;
}

/** Formulas and backfills may read the id and fields that are not computed; tokens only values that have a text. */
function checkExpressions(
  fields: readonly FieldDefinition[],
  places: ReadonlyMap<string, string>,
  add: AddError,
): void {
  const known = new Set(['id', ...fields.filter(mayBeInFormula).flatMap(apiNamesOf)]);
  const readable = readableFields(fields);
  for (const field of fields) {
    const { name, formula } = field;
    if (field.backfill !== undefined && takesBackfill(field))
      checkBackfillTypes(field, { pointer: `${places.get(name)}/backfill`, fields: readable }, add);
    const pointer = `${places.get(name)}/formula`;
    if (typeof formula === 'object') checkFormulaTypes(formula, { name, pointer, fields: readable }, add);
    for (const token of typeof formula === 'string' ? formulaTokens(formula) : [])
      if (!known.has(token)) add(pointer, 'unknown_token', unknownToken(name, token));
  }
}

function unknownToken(name: string, token: string): string {
  return `field \`${name}\`: its formula names \`{${token}}\`, which cannot be used in a formula`;
}

function mayBeInFormula(field: FieldDefinition): boolean {
  const behaviour = behaviourOf(field);
  return typeof behaviour === 'object' && behaviour.encode !== undefined && behaviour.isComputed !== true;
}

function warningsOf(field: FieldDefinition): readonly string[] {
  return [...apiNamesOf(field).flatMap(nameWarnings), ...idleWarnings(field)];
}

function nameWarnings(name: string): readonly string[] {
  const state = name.toLowerCase();
  if (state === 'before' || state === 'after')
    return [
      `field \`${name}\`: in policies \`record.${state}.…\` is a member of its value, and not a state of the record`,
    ];
  if (!isSharedParameter(name)) return [];
  return [`field \`${name}\`: lists take \`${name}\` as a filter on it, and the parameter \`${name}\` as \`$${name}\``];
}

function idleWarnings(field: FieldDefinition): readonly string[] {
  if (field.validate === true) return [];
  const { name, items = {} } = field;
  const idle: string[] = checkedHints.filter((hint) => field[hint] !== undefined || items[hint] !== undefined);
  if (field.required === true) idle.push('required');
  return idle.map((hint) => `field \`${name}\`: \`${hint}\` is not enforced, because \`validate\` is not true`);
}
