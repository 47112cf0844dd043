import { definitionLimits, type FieldDefinition, isPlatformField } from '../definition.ts';
import { fieldTypeOf, storedInExpressions } from '../field-types/registry.ts';
import { type AddError, type DefinitionPart, partsOf, refuseUnknownMembers } from './members.ts';

/** By the name of each field that may be part of a group: the type of its values in expressions. */
type MeasurableTypes = ReadonlyMap<string, string>;

const plainTypes = ['string', 'int', 'double', 'bool', 'google.protobuf.Timestamp'];

/** Whose the records are, and who changed them last: of the platform's own fields, these are shared by many records. */
const platformGroups = ['created_by', 'updated_by'];
const aggregateName = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;

/** Checks `aggregates` against the catalog. */
export function checkAggregates(input: unknown, fields: readonly FieldDefinition[], add: AddError): void {
  const own = fields.filter(({ name }) => !isPlatformField(name));
  const known = new Set([...own.map(({ name }) => name), ...platformGroups]);
  const types: MeasurableTypes = new Map([
    ...own.flatMap((field) => {
      const value = storedInExpressions(field);
      const isPlain = value !== undefined && plainTypes.includes(value.type) && fieldTypeOf(field).isSecret !== true;
      return isPlain ? [[field.name, value.type] as const] : [];
    }),
    ...platformGroups.map((name) => [name, 'string'] as const),
  ]);
  const names = new Set<unknown>();
  const place = { name: 'aggregates', pointer: '/aggregates', max: definitionLimits.aggregatesMax };
  for (const part of partsOf(input, place, add)) {
    const { item, pointer } = part;
    refuseUnknownMembers(part, { what: 'an aggregate', known: ['name', 'group', 'measures'] }, add);
    if (typeof item.name !== 'string' || !aggregateName.test(item.name))
      add(
        `${pointer}/name`,
        'invalid_name',
        '`name` must be a letter and then at most 62 of `A-Z`, `a-z`, `0-9`, `_`, `-`',
      );
    else if (names.has(item.name)) add(`${pointer}/name`, 'duplicate', `aggregate \`${item.name}\` is defined twice`);
    names.add(item.name);
    checkGroup(part, { known, types }, add);
    checkMeasures(part, { known, types }, add);
  }
}

interface AggregateCatalog {
  readonly known: ReadonlySet<string>;
  readonly types: MeasurableTypes;
}

function checkGroup({ item, pointer }: DefinitionPart, catalog: AggregateCatalog, add: AddError): void {
  const { group } = item;
  const max = definitionLimits.aggregateFieldsMax;
  if (!Array.isArray(group) || group.length === 0 || group.length > max) {
    add(`${pointer}/group`, 'wrong_type', `\`group\` must be a list of 1 to ${max} names of fields`);
    return;
  }
  for (const [index, name] of group.entries()) {
    const refuse: Refuse = (code, message) => add(`${pointer}/group/${index}`, code, message);
    if (typeof name !== 'string') refuse('wrong_type', 'the name of a field must be a string');
    else if (group.indexOf(name) < index) refuse('duplicate', `field \`${name}\` is named twice`);
    else typeOf(name, catalog, refuse);
  }
}

const measureForm = /^(?:sum|avg):(.+)$/s;

function checkMeasures({ item, pointer }: DefinitionPart, catalog: AggregateCatalog, add: AddError): void {
  const { measures } = item;
  const max = definitionLimits.aggregateMeasuresMax;
  if (!Array.isArray(measures) || measures.length === 0 || measures.length > max) {
    add(
      `${pointer}/measures`,
      'wrong_type',
      `\`measures\` must be a list of 1 to ${max} of \`count\`, \`sum:<field>\`, \`avg:<field>\``,
    );
    return;
  }
  for (const [index, measure] of measures.entries()) {
    const refuse: Refuse = (code, message) => add(`${pointer}/measures/${index}`, code, message);
    const field = measureForm.exec(String(measure))?.[1];
    if (typeof measure !== 'string' || (measure !== 'count' && field === undefined))
      refuse(
        'unknown_measure',
        `\`${String(measure).slice(0, 100)}\` is no measure that can be kept: take \`count\`, \`sum:<field>\`, \`avg:<field>\``,
      );
    else if (measures.indexOf(measure) < index) refuse('duplicate', `\`${measure}\` is named twice`);
    else if (field !== undefined) {
      const type = typeOf(field, catalog, refuse);
      if (type !== undefined && type !== 'int')
        refuse('wrong_type', `field \`${field}\` is no \`integer\`: sums that are kept have to be exact`);
    }
  }
}

type Refuse = (code: string, message: string) => void;

function typeOf(name: string, { known, types }: AggregateCatalog, refuse: Refuse): string | undefined {
  const shown = name.slice(0, 100);
  const type = types.get(name);
  if (type !== undefined) return type;
  const others = 'no part of time, no field over a lookup, no `id` and no `created_at`';
  if (!known.has(name)) refuse('unknown_field', `\`${shown}\` is no field of the definition: ${others} is kept`);
  else refuse('not_measurable', `field \`${shown}\` holds no plain values: it is an array, \`json\` or encrypted`);
  return undefined;
}
