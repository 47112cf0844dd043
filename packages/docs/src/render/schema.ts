import { boundsOf, nameOf, type Schema, typeOf } from '../openapi/openapi.ts';
import { type Child, h, sentence } from './tree.ts';

/** Where a named schema is described. */
export type SchemaLink = (name: string) => string | undefined;

/** The members of a value, those of its members in lists below them. Named schemas are links. */
export function schemaTree(schema: Schema, link: SchemaLink): readonly Child[] {
  const objects = objectsIn(schema);
  if (objects.length === 0) return [h('p', { class: 'type' }, ...typeTree(schema, link), ...boundsTree(schema))];
  return objects.flatMap((object, index) => [
    ...(objects.length > 1 ? [h('p', { class: 'choice' }, `${index === 0 ? 'One form' : 'Another form'}`)] : []),
    membersTree(object, link),
  ]);
}

function membersTree({ properties = {}, required = [] }: Schema, link: SchemaLink): Child {
  const rows = Object.entries(properties).map(([name, member]) =>
    h(
      'li',
      {},
      h('code', { class: 'member' }, name),
      ' ',
      h('span', { class: 'type' }, ...typeTree(member, link), ...boundsTree(member)),
      ...(required.includes(name) ? [' ', h('span', { class: 'needed' }, 'required')] : []),
      ...(member.readOnly === true ? [' ', h('span', { class: 'flag' }, 'read only')] : []),
      ...(member.deprecated === true ? [' ', h('span', { class: 'flag' }, 'deprecated')] : []),
      ...(member.description === undefined ? [] : [h('div', { class: 'about' }, ...sentence(member.description))]),
      ...nestedTree(member, link),
    ),
  );
  return h('ul', { class: 'members' }, ...rows);
}

function nestedTree(member: Schema, link: SchemaLink): readonly Child[] {
  const objects = objectsIn(member);
  if (objects.length === 0) return [];
  return [h('details', {}, h('summary', {}, 'Members'), ...schemaTree(member, link))];
}

/** The objects without a name that a value may be, or that its elements or members may be. */
function objectsIn(schema: Schema): readonly Schema[] {
  if (schema.$ref !== undefined) return [];
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (choices !== undefined) return choices.flatMap(objectsIn);
  if (schema.items !== undefined) return objectsIn(schema.items);
  if (schema.properties !== undefined) return Object.keys(schema.properties).length === 0 ? [] : [schema];
  return typeof schema.additionalProperties === 'object' ? objectsIn(schema.additionalProperties) : [];
}

/** What a value is, in words, with links to named schemas. */
export function typeTree(schema: Schema, link: SchemaLink): readonly Child[] {
  if (schema.$ref !== undefined) return [nameTree(nameOf(schema.$ref), link)];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return joined(distinct(choices.map((choice) => typeTree(choice, link))), ' or ');
  if (schema.allOf !== undefined) return joined(distinct(schema.allOf.map((part) => typeTree(part, link))), ' and ');
  if (schema.items !== undefined) return ['array of ', ...typeTree(schema.items, link)];
  const values = schema.additionalProperties;
  if (schema.properties === undefined && typeof values === 'object' && Object.keys(values).length > 0)
    return ['object of ', ...typeTree(values, link)];
  return [typeOf(schema)];
}

function nameTree(name: string, link: SchemaLink): Child {
  const href = link(name);
  return href === undefined ? name : h('a', { href }, name);
}

function boundsTree(schema: Schema): readonly Child[] {
  const bounds = boundsOf(schema);
  const fallback = schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`;
  return [bounds, fallback].filter((words) => words !== '').map((words) => `, ${words}`);
}

function distinct(parts: readonly (readonly Child[])[]): readonly (readonly Child[])[] {
  return [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()];
}

function joined(parts: readonly (readonly Child[])[], word: string): readonly Child[] {
  return parts.flatMap((part, index) => (index === 0 ? part : [word, ...part]));
}

/** The names of the schemas that a schema refers to, those behind them included. */
export function namesIn(schemas: Readonly<Record<string, unknown>>, roots: readonly unknown[]): readonly string[] {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (key === '$ref' && typeof member === 'string' && member.startsWith('#/components/schemas/'))
        found.add(nameOf(member));
      else look(member);
    }
  };
  for (const root of roots) look(root);
  for (const name of found) look(schemas[name]);
  return [...found].sort();
}
