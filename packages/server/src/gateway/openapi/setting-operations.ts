import type { SettingType } from '../../config/port.ts';
import { namesOf, settingTypes } from '../../identity/port.ts';
import {
  anyOf,
  arrayOf,
  closedObjectOf,
  type JsonSchema,
  objectOf,
  schemaReference,
  text,
  time,
} from '../../lib/json-schema.ts';
import { jsonContent, type Operation } from './operation.ts';
import { env, queryParameter } from './parameters.ts';

const tag = 'settings';
const groups = [...new Set(settingTypes.map((type) => namesOf(type).group))];

/** `handlers/management/settings.ts` */
export const settingOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/org/settings',
    operationId: 'listSettings',
    tag,
    summary: 'What the org has settled, and the defaults of what it has not',
    access: 'token',
    parameters: [env, queryParameter('group', { ...text, examples: groups })],
    replies: [
      {
        status: 200,
        description: 'The settings.',
        content: jsonContent(objectOf({ items: arrayOf(schemaReference('Setting')) })),
      },
    ],
  },
  {
    method: 'PUT',
    path: '/org/settings',
    operationId: 'changeSetting',
    tag,
    summary: 'Settles one thing, in place of what was settled before',
    description: 'Where there is a `prod_value`, production uses that; a change takes effect within a second.',
    access: 'token',
    parameters: [env],
    body: jsonContent(schemaReference('SettingChange')),
    replies: [{ status: 200, description: 'Settled.', content: jsonContent(schemaReference('Setting')) }],
    problems: ['validation_failed', 'unknown_field', 'role_required', 'prod_read_only', 'conflict'],
  },
  {
    method: 'GET',
    path: '/org/refused-origins',
    operationId: 'listRefusedOrigins',
    tag,
    summary: 'Whose pages have called the app lately and may not, the last one first',
    access: 'token',
    replies: [
      {
        status: 200,
        description: 'The origins, as far as this process knows since its start.',
        content: jsonContent(objectOf({ items: arrayOf(schemaReference('RefusedOrigin')) })),
      },
    ],
  },
];

const version: JsonSchema = { type: 'integer', description: '0 where the value is the default.' };

export const settingSchemas: Readonly<Record<string, JsonSchema>> = {
  ...Object.fromEntries(settingTypes.map(({ key, schema, description }) => [key, { ...schema, description }])),
  Setting: anyOf(settingTypes.map((type) => objectOf({ ...membersOf(type), version }, ['prod_value']))),
  SettingChange: anyOf(settingTypes.map((type) => closedObjectOf(membersOf(type), ['prod_value']))),
  RefusedOrigin: objectOf({ origin: text, count: { type: 'integer', minimum: 1 }, last_at: time }),
};

function membersOf(type: SettingType): Readonly<Record<string, JsonSchema>> {
  const { group, name } = namesOf(type);
  const value = schemaReference(type.key);
  return { group: { const: group }, name: { const: name }, value, prod_value: value };
}
