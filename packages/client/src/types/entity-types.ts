/** The types of one entity. */
import { type Entity, type Field, stampNames, type ViewMember, type Views } from './definition.ts';
import { arrayOf, keyText, literal, literals, type Member, objectType, unionOf } from './type-text.ts';

/** All entities of an app, by name. */
export type Entities = ReadonlyMap<string, Entity>;

const indent = '    ';

/** The type of an entity in `Schema`. */
export function entityType(entity: Entity, entities: Entities): string {
  const { get, ...others } = entity.views;
  const shape = (views: Views, name: string) => viewType(entity, entities, views.get(name) ?? []);
  const viewsType = (views: Views, deeper: string): string =>
    objectType(
      [...views.keys()].toSorted(byText).map((name) => ({ name, type: reindented(shape(views, name), deeper) })),
      deeper,
    );
  const differing = Object.entries(others).filter(([, views]) => viewsType(views, indent) !== viewsType(get, indent));
  return objectType(
    [
      { name: 'record', type: shape(get, 'default') },
      {
        name: 'create',
        type: objectType(
          entity.fields.flatMap((field) => created(field, entity)),
          indent,
        ),
      },
      { name: 'update', type: objectType(entity.fields.flatMap(updated), indent) },
      { name: 'where', type: objectType(filtered(entity), indent) },
      { name: 'sort', type: literals(sorted(entity, entities)) },
      { name: 'views', type: viewsType(get, indent) },
      {
        name: 'viewsOf',
        type: objectType(
          differing.map(([action, views]) => ({ name: action, type: viewsType(views, `${indent}  `) })),
          indent,
        ),
      },
      { name: 'expand', type: objectType(expanded(entity, entities), indent) },
    ],
    '  ',
  );
}

function valueType({ colType, enumValues, items, formulaType }: Field): string {
  switch (colType) {
    case 'number':
    case 'integer':
    case 'autoincrement':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'enum':
      return literals(enumValues);
    case 'array':
      return arrayOf(items === undefined ? 'string' : valueType(items));
    case 'json':
      return 'unknown';
    case 'formula':
      return formulaType === undefined ? 'string' : valueType(plainField(formulaType));
    default:
      return 'string';
  }
}

function plainField(colType: string): Field {
  const none = { lookup: undefined, description: undefined, formulaType: undefined, items: undefined };
  const flags = { isRequired: false, hasDefault: false, isIndexed: false };
  return { name: '', colType, aliases: [], enumValues: [], ...flags, ...none };
}

/** The platform makes the value, so that callers never send one. */
function isMade({ colType }: Field): boolean {
  return colType === 'formula' || colType === 'autoincrement';
}

/** Whether each record has a value. */
function isAlwaysThere(field: Field): boolean {
  return field.isRequired || (field.colType === 'formula' && field.formulaType === undefined);
}

/** A member for each name of a field; those for clients of an earlier version are deprecated. */
function named(field: Field, member: Omit<Member, 'name'>): readonly Member[] {
  const { name, aliases, description } = field;
  return [
    { description, ...member, name },
    ...aliases.map((alias) => ({ description, ...member, name: alias, isDeprecated: true })),
  ];
}

function created(field: Field, { owners }: Entity): readonly Member[] {
  if (isMade(field)) return [];
  const isOptional = !field.isRequired || field.hasDefault || owners.has(field.name);
  const type = field.isRequired ? valueType(field) : orNull(valueType(field));
  const [own, ...aliases] = named(field, { type, isOptional, isWritable: true });
  return own === undefined ? [] : [own, ...aliases.map((alias) => ({ ...alias, isOptional: true }))];
}

function updated(field: Field): readonly Member[] {
  if (isMade(field)) return [];
  const type = field.isRequired ? valueType(field) : orNull(valueType(field));
  return named(field, { type, isOptional: true, isWritable: true });
}

function orNull(type: string): string {
  return type === 'unknown' ? type : `${type} | null`;
}

function filtered({ fields }: Entity): readonly Member[] {
  const own = fields
    .filter(({ colType, items }) => !['json', 'encrypted'].includes(colType) && items?.colType !== 'json')
    .flatMap((field) => named(field, { type: valueType(field) }));
  const stamps = stampNames.filter((name) => name !== 'version');
  return [...own, ...stamps.map((name) => ({ name, type: stampType(name) }))];
}

function sorted(entity: Entity, entities: Entities): readonly string[] {
  const over = entity.fields.flatMap(({ name, aliases, lookup }) => {
    const target = lookup === undefined ? undefined : entities.get(lookup);
    const names = target === undefined ? [] : [...indexed(target), 'updated_at'];
    return [name, ...aliases].flatMap((own) => names.map((other) => `${own}.${other}`));
  });
  return ['created_at', 'updated_at', ...indexed(entity), ...over];
}

function indexed({ fields, ordered }: Entity): readonly string[] {
  return fields
    .filter(({ name, isIndexed, lookup }) => isIndexed || name === 'name' || lookup !== undefined || ordered.has(name))
    .flatMap(({ name, aliases }) => [name, ...aliases]);
}

function expanded(entity: Entity, entities: Entities): readonly Member[] {
  const refers = entity.fields.flatMap((field) => {
    const target = field.lookup ?? field.items?.lookup;
    if (target === undefined || !entities.has(target)) return [];
    return named(field, { type: `{ readonly ${field.lookup === undefined ? 'each' : 'one'}: ${literal(target)} }` });
  });
  const referred = [...entities.values()].flatMap((other) =>
    other.fields
      .filter(({ lookup, items }) => (lookup ?? items?.lookup) === entity.name)
      .flatMap(({ name, aliases }) => [name, ...aliases])
      .map((name) => ({ name: `${other.name}_via_${name}`, type: `{ readonly many: ${literal(other.name)} }` })),
  );
  return [...refers, ...referred];
}

function viewType(entity: Entity, entities: Entities, view: readonly ViewMember[]): string {
  return objectType(
    view.flatMap((member) => viewMember(entity, entities, member)),
    indent,
  );
}

function viewMember(entity: Entity, entities: Entities, { name, as, cast, lookup }: ViewMember): readonly Member[] {
  if (stampNames.includes(name)) return [{ name: as, type: castType(cast, stampType(name)) }];
  const field = entity.fields.find((one) => one.name === name || one.aliases.includes(name));
  if (field === undefined || field.colType === 'encrypted') return [];
  if (lookup !== undefined) {
    const type = orNull(lookedUpType(entities.get(field.lookup ?? ''), lookup.view));
    return [{ name: lookup.as, type, isOptional: true, description: field.description }];
  }
  const isDeprecated = field.name !== name && as === name;
  const { description } = field;
  const isOptional = !isAlwaysThere(field);
  return [{ name: as, type: castType(cast, valueType(field)), isOptional, isDeprecated, description }];
}

/** Records are looked up by the views of getting one. */
function lookedUpType(target: Entity | undefined, view: string): string {
  if (target === undefined || !target.views.get.has(view)) return 'unknown';
  return `Schema[${literal(target.name)}]["views"][${literal(view)}]`;
}

function castType(cast: string | undefined, type: string): string {
  if (cast === undefined) return type;
  if (cast === 'string') return 'string';
  return unionOf([cast === 'boolean' ? 'boolean' : 'number', 'null']);
}

function stampType(name: string): string {
  return name === 'version' ? 'number' : 'string';
}

/** Of a type that was made for the usual depth. */
function reindented(type: string, deeper: string): string {
  return type.replaceAll('\n', `\n${deeper.slice(indent.length)}  `);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

export function schemaMember(name: string, type: string): string {
  return `  readonly ${keyText(name)}: ${type};\n`;
}
