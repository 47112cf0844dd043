/** Schemas that follow from the registries of the server. */
import { statementSchemas } from '../../access/port.ts';
import { type ConfigItemKind, configItemKinds, type SettingType } from '../../config/port.ts';
import { namesOf, settingTypes } from '../../identity/port.ts';
import {
  anyOf,
  arrayOf,
  closedObjectOf,
  type JsonSchema,
  movedDefinitions,
  objectOf,
  orNull,
  schemaReference,
  text,
} from '../../lib/json-schema.ts';
import { createConfigKinds } from '../../promotion/port.ts';
import { definitionSchemas } from '../../schema/port.ts';

const definitions = definitionSchemas(schemaReference);
const version = { type: 'integer' };

/** What is not a config's to change may be sent as it stands; `null` takes out what a definition may be without. */
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

const contentNames: Readonly<Record<ConfigItemKind, string>> = {
  entity: 'EntityContent',
  logicblock: 'LogicblockContent',
  event: 'EventContent',
  settings: 'SettingsContent',
  crew: 'CrewContent',
};

/** The contents of config items, by the schemas of their kinds, which have definitions in common. */
function contentSchemas(): Readonly<Record<string, JsonSchema>> {
  const kinds = createConfigKinds({ settingTypes });
  const each = configItemKinds.flatMap((kind) => {
    const { schema, definitions: own } = movedDefinitions(kinds[kind].schema, '#/components/schemas/');
    return [...Object.entries(own), [contentNames[kind], withReferences(schema, { ...own, ...definitions })] as const];
  });
  return Object.fromEntries(each);
}

/** A schema that refers to others where it has the same. */
function withReferences(schema: JsonSchema, others: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const text = Object.entries(others).reduce(
    (all, [name, other]) => all.replaceAll(JSON.stringify(other), JSON.stringify(schemaReference(name))),
    JSON.stringify(schema),
  );
  return JSON.parse(text) as JsonSchema;
}

/** Schemas that the management document refers to, and the contract leaves to the server. */
export const madeSchemas: Readonly<Record<string, JsonSchema>> = {
  ...contentSchemas(),
  ConfigContent: anyOf(configItemKinds.map((kind) => schemaReference(contentNames[kind]))),
  ...statementSchemas(schemaReference),
  ...definitions,
  ConfigChange: closedObjectOf(changeableMembers, Object.keys(changeableMembers)),
  CreateConfig: {
    ...objectOf({ key: text, version, ...definitions.EntityDefinition.properties }),
    required: ['key', 'version', 'entityName', 'UpdateParams'],
    description: 'The definition as it was supplied.',
  },
  ...Object.fromEntries(
    settingTypes.map(({ key, schema, description }) => [
      key,
      { ...movedDefinitions(schema, '#/components/schemas/').schema, description },
    ]),
  ),
  Setting: anyOf(settingTypes.map((type) => objectOf({ ...membersOf(type), version: settingVersion }, ['prod_value']))),
  ListedSetting: anyOf(
    settingTypes.map((type) =>
      objectOf({ ...membersOf(type), version: settingVersion, default: schemaReference(type.key), description: text }, [
        'prod_value',
      ]),
    ),
  ),
  SettingChange: anyOf(settingTypes.map((type) => closedObjectOf(membersOf(type), ['prod_value']))),
};

function membersOf(type: SettingType): Readonly<Record<string, JsonSchema>> {
  const { group, name } = namesOf(type);
  const value = schemaReference(type.key);
  return { group: { const: group }, name: { const: name }, value, prod_value: value };
}
