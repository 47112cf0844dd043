/** Schemas that follow from the registries of the server. */
import { isDeepStrictEqual } from 'node:util';
import { schemaPath } from '@freehold/contract/schema';
import { statementSchemas } from '../../access/port.ts';
import { type ConfigItemKind, configItemKinds, type SettingType } from '../../config/port.ts';
import {
  anyOf,
  arrayOf,
  closedObjectOf,
  type JsonSchema,
  objectOf,
  orNull,
  schemaReference,
  text,
} from '../../lib/json-schema.ts';
import { namesOf } from '../../people/port.ts';
import type { ConfigKinds } from '../../promotion/port.ts';
import { definitionSchemas } from '../../schema/port.ts';

const definitions = definitionSchemas(schemaReference);
const version = { type: 'integer' };

/** Members that a config may not change may be sent unchanged; `null` takes out what a definition may be without. */
const changeableMembers: Readonly<Record<string, JsonSchema>> = {
  ...Object.fromEntries(
    Object.entries(definitions.EntityDefinition.properties).map(([name, schema]) => [
      name,
      name === 'entityName' ? schema : orNull(schema),
    ]),
  ),
  UpdateParams: {
    ...arrayOf({ ...objectOf({ name: text }), additionalProperties: true }),
    description:
      'Fields as in `EntityDefinition`, merged by their names: a field that is not sent is kept, and so is each member that is not sent with a field. `null` removes a member. `renamedFrom` is the name that the field has until then: it keeps its values, and the old name stays as an alias.',
  },
  removeFields: { ...arrayOf(text), description: 'Fields to remove, with the values that records have in them.' },
  key: text,
  version,
  action: text,
  method: text,
  path: text,
};

const settingVersion: JsonSchema = { type: 'integer', description: '0 where the value is the default.' };

/** `LogicblockContent` of `logicblock`. */
function contentNameOf(kind: ConfigItemKind): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Content`;
}

/** The contents of config items, by the schemas of their kinds, which have definitions in common. */
function contentSchemas(kinds: ConfigKinds): Readonly<Record<string, JsonSchema>> {
  const contents = Object.fromEntries(configItemKinds.map((kind) => [contentNameOf(kind), kinds[kind].schema]));
  const own = definitionSchemas((name) => ({ $ref: `#/$defs/${name}` }));
  const known = Object.assign({}, own, ...configItemKinds.map((kind) => kinds[kind].schema.$defs ?? {}));
  const all = Object.entries<JsonSchema>({ ...known, ...contents });
  return Object.fromEntries(all.map(([name, schema]) => [name, inDocument(schema, known)]));
}

/** A schema whose definitions are schemas of the document, with references in place of those that it has in itself. */
function inDocument({ $defs: _, ...schema }: JsonSchema, known: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const within = (value: unknown): unknown => {
    const same = Object.entries(known).find(([, other]) => isDeepStrictEqual(other, value));
    if (same !== undefined) return schemaReference(same[0]);
    if (Array.isArray(value)) return value.map(within);
    return typeof value === 'object' && value !== null ? ofMembers(value) : value;
  };
  const ofMembers = (value: object): JsonSchema => {
    const members = Object.entries(value).map(([key, member]): [string, unknown] =>
      key === '$ref' && typeof member === 'string'
        ? [key, member.replace('#/$defs/', schemaPath(''))]
        : [key, within(member)],
    );
    return Object.fromEntries(members);
  };
  return ofMembers(schema);
}

/** Schemas that the management document refers to, and the contract leaves to the server. */
export function madeSchemas(kinds: ConfigKinds): Readonly<Record<string, JsonSchema>> {
  return { ...contentSchemas(kinds), ...fixedSchemas, ...settingSchemas(kinds.settings.settings ?? []) };
}

const fixedSchemas: Readonly<Record<string, JsonSchema>> = {
  ConfigContent: anyOf(configItemKinds.map((kind) => schemaReference(contentNameOf(kind)))),
  ...statementSchemas(schemaReference),
  ...definitions,
  ConfigChange: closedObjectOf(changeableMembers, Object.keys(changeableMembers)),
  CreateConfig: {
    ...objectOf({ key: text, version, ...definitions.EntityDefinition.properties }),
    required: ['key', 'version', 'entityName', 'UpdateParams'],
    description: 'The definition as it was supplied.',
  },
};

function settingSchemas(types: readonly SettingType[]): Readonly<Record<string, JsonSchema>> {
  return {
    ...Object.fromEntries(
      types.map(({ key, schema, description }) => [key, { ...inDocument(schema, {}), description }]),
    ),
    Setting: anyOf(types.map((type) => objectOf({ ...membersOf(type), version: settingVersion }, ['prod_value']))),
    ListedSetting: anyOf(
      types.map((type) =>
        objectOf(
          { ...membersOf(type), version: settingVersion, default: schemaReference(type.key), description: text },
          ['prod_value'],
        ),
      ),
    ),
    SettingChange: anyOf(types.map((type) => closedObjectOf(membersOf(type), ['prod_value']))),
  };
}

function membersOf(type: SettingType): Readonly<Record<string, JsonSchema>> {
  const { group, name } = namesOf(type);
  const value = schemaReference(type.key);
  return { group: { const: group }, name: { const: name }, value, prod_value: value };
}
