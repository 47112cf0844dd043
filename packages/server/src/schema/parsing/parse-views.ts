import { pointerTo } from '../../lib/json-pointer.ts';
import { apiNamesOf, type FieldDefinition, isPlatformField, type ViewField, type Views } from '../definition.ts';
import { isSealed } from '../entity-state.ts';
import { memberNameProblem, viewNameProblem } from '../names.ts';
import { type AddError, type DefinitionPart, errorCount, isObject, partsOf, refuseUnknownMembers } from './members.ts';

/**
 * Reads `Views`, in a definition or in the body that changes one of the five configs: the views whose fields hold.
 * Whether the views exist by which lookups show other entities is not asked here, since those may come and go.
 */
export function parseViews(input: unknown, fields: readonly FieldDefinition[], add: AddError): Views {
  if (!isObject(input)) {
    add('/Views', 'wrong_type', '`Views` must be an object that holds views by their names');
    return {};
  }
  const named = Object.entries(input);
  if (named.length > viewsMax) add('/Views', 'too_many', `\`Views\` may have at most ${viewsMax} views`);
  const catalog = new Map(fields.flatMap((field) => apiNamesOf(field).map((name) => [name, field])));
  return Object.fromEntries(
    named.slice(0, viewsMax).flatMap(([name, view]) => {
      const pointer = pointerTo('Views', name);
      const problem = viewNameProblem(name);
      if (problem !== undefined) add(pointer, 'invalid_name', problem);
      if (isObject(view)) return [[name, { fields: parseView({ item: view, pointer }, catalog, add) }]];
      add(pointer, 'wrong_type', 'a view must be an object with `fields`');
      return [];
    }),
  );
}

const viewsMax = 20;
const viewFieldsMax = 200;
/** As it is and by every cast: a reply is then no more than so many times what is read for it. */
const viewsOfFieldMax = 5;
/** Each reads records for every record shown, and those may show others in turn. */
const viewLookupsMax = 10;

type FieldsByName = ReadonlyMap<string, FieldDefinition>;

function parseView(view: DefinitionPart, catalog: FieldsByName, add: AddError): readonly ViewField[] {
  refuseUnknownMembers(view, { what: 'a view', known: ['fields'] }, add);
  const pointer = `${view.pointer}/fields`;
  const parts = partsOf(view.item.fields, { name: 'fields', pointer, max: viewFieldsMax }, add);
  if (Array.isArray(view.item.fields) && view.item.fields.length === 0)
    add(pointer, 'too_few', 'a view must have at least one field');
  const shown = new Set<string>();
  const times = new Map<string, number>();
  const fields = parts.flatMap((part): readonly ViewField[] => {
    const field = parseViewField(part, catalog, add);
    if (field === undefined) return [];
    const member = field.lookup?.as ?? field.as ?? field.name;
    if (shown.has(member)) add(part.pointer, 'duplicate', `two fields of the view are shown as \`${member}\``);
    shown.add(member);
    if (field.lookup !== undefined) return [field];
    const name = catalog.get(field.name)?.name ?? field.name;
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    if (time === viewsOfFieldMax + 1)
      add(part.pointer, 'too_many', `a view may show field \`${name}\` at most ${viewsOfFieldMax} times`);
    return [field];
  });
  if (fields.filter(({ lookup }) => lookup !== undefined).length > viewLookupsMax)
    add(pointer, 'too_many', `a view may look up at most ${viewLookupsMax} fields`);
  return fields;
}

function parseViewField(part: DefinitionPart, catalog: FieldsByName, add: AddError): ViewField | undefined {
  const { item, pointer } = part;
  const counted = errorCount(add);
  refuseUnknownMembers(part, { what: 'a field of a view', known: ['name', 'as', 'cast', 'lookup'] }, counted.add);
  checkName(part, catalog, counted.add);
  const asProblem = item.as === undefined ? undefined : memberNameProblem(item.as);
  if (asProblem !== undefined) counted.add(`${pointer}/as`, 'invalid_name', asProblem);
  if (item.cast !== undefined && !casts.includes(item.cast))
    counted.add(`${pointer}/cast`, 'wrong_type', `\`cast\` must be one of ${casts.join(', ')}`);
  if (item.lookup !== undefined) checkLookup(part, catalog, counted.add);
  return counted.count() === 0 ? (item as unknown as ViewField) : undefined;
}

const casts: readonly unknown[] = ['string', 'number', 'integer', 'boolean'];

function checkName({ item, pointer }: DefinitionPart, catalog: FieldsByName, add: AddError): void {
  const { name } = item;
  if (typeof name !== 'string') {
    add(`${pointer}/name`, 'wrong_type', 'a field of a view needs the `name` of a field');
    return;
  }
  const field = catalog.get(name);
  if (field === undefined && !isPlatformField(name))
    add(`${pointer}/name`, 'unknown_field', `\`${name.slice(0, 100)}\` is not a field`);
  if (field !== undefined && isSealed(field))
    add(`${pointer}/name`, 'secret_field', `field \`${name}\` is encrypted, and no view can show it`);
}

function checkLookup({ item, pointer }: DefinitionPart, catalog: FieldsByName, add: AddError): void {
  const { name, lookup } = item;
  const at = `${pointer}/lookup`;
  if (!isObject(lookup)) {
    add(at, 'wrong_type', '`lookup` must be an object with `view` and `as`');
    return;
  }
  refuseUnknownMembers({ item: lookup, pointer: at }, { what: '`lookup`', known: ['view', 'as'] }, add);
  const viewProblem = viewNameProblem(lookup.view);
  if (viewProblem !== undefined) add(`${at}/view`, 'invalid_name', viewProblem);
  const asProblem = memberNameProblem(lookup.as);
  if (asProblem !== undefined) add(`${at}/as`, 'invalid_name', asProblem);
  for (const member of ['as', 'cast'])
    if (item[member] !== undefined)
      add(`${pointer}/${member}`, 'hint_without_meaning', `\`${member}\` cannot be combined with \`lookup\``);
  const isField = typeof name === 'string' && (catalog.has(name) || isPlatformField(name));
  if (isField && catalog.get(name)?.lookup === undefined)
    add(at, 'no_lookup', `field \`${name}\` has no \`lookup\` hint, so it shows no other record`);
}
