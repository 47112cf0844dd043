import { arrayOf, guid as guidSchema, type JsonSchema, schemaReference } from '../../lib/json-schema.ts';
import { type CompiledEntity, compileEntity } from '../compile-entity.ts';
import type { EntityDefinition, FieldDefinition, UniqueIndexDefinition } from '../definition.ts';

const guid = (name: string): FieldDefinition => ({ name, colType: 'guid', validate: true, index: true });
const label = (name: string, maxlength: number): FieldDefinition => ({ name, validate: true, minlength: 1, maxlength });
const optional = (name: string, maxlength: number): FieldDefinition => ({
  name,
  validate: true,
  required: false,
  maxlength,
});

/** Names are unique in their workspace, ignoring the case of ASCII letters. */
const uniqueName: UniqueIndexDefinition = { indexName: 'name', fields: ['name'], ignoreCase: true };

/** A person is linked to a policy or group once. */
const link = (entityName: string, to: string): EntityDefinition => ({
  entityName,
  UpdateParams: [guid('user_id'), guid(to)],
  UniqueIndexes: [{ indexName: `user_id,${to}`, fields: ['user_id', to] }],
});

const definitions: readonly EntityDefinition[] = [
  {
    entityName: 'aclpolicy',
    UpdateParams: [label('name', 128), { name: 'statements', colType: 'json', validate: true }],
    UniqueIndexes: [uniqueName],
  },
  {
    entityName: 'group',
    UpdateParams: [label('name', 128), { name: 'acl_policies', colType: 'json', default: [] }],
    UniqueIndexes: [uniqueName],
  },
  link('useraclpolicy', 'acl_policy_id'),
  link('usergroup', 'group_id'),
  { entityName: 'userrole', UpdateParams: [label('name', 64)], UniqueIndexes: [uniqueName] },
  {
    entityName: 'user',
    UpdateParams: [
      { ...label('email', 254), index: true },
      optional('fn', 128),
      optional('ln', 128),
      optional('picture', 1024),
      optional('role', 64),
      {
        name: 'status',
        colType: 'enum',
        enumValues: ['active', 'suspended', 'password_suspended'],
        validate: true,
        required: false,
        default: 'active',
      },
    ],
  },
];

/** The most policies that a group holds. */
export const groupPoliciesMax = 50;

/** The schemas in documents for fields whose values the rules of access control read, by the names of the fields. */
const fieldSchemas: Readonly<Record<string, JsonSchema>> = {
  statements: schemaReference('PolicyStatements'),
  acl_policies: { ...arrayOf(guidSchema), maxItems: groupPoliciesMax, description: 'The ids of policies.' },
};

/** The entities of access control: the same in every workspace, served by the runtime that serves all the others. */
export const systemEntities: ReadonlyMap<string, CompiledEntity> = new Map(
  definitions.map((definition) => [definition.entityName, described(compileEntity(definition, 0))]),
);

function described(entity: CompiledEntity): CompiledEntity {
  const fields = [...entity.fields].map(([name, field]) => {
    const schema = fieldSchemas[name];
    return [name, schema === undefined ? field : { ...field, behaviour: { ...field.behaviour, schema } }] as const;
  });
  return { ...entity, fields: new Map(fields) };
}

/** A system entity that must be there. */
export function systemEntity(name: string): CompiledEntity {
  const entity = systemEntities.get(name);
  if (entity === undefined) throw new TypeError(`there is no system entity ${name}`);
  return entity;
}
