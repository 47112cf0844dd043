import {
  anyOf,
  arrayOf,
  closedObjectOf,
  guid,
  type JsonSchema,
  objectOf,
  schemaReference,
  text,
  time,
} from '../../lib/json-schema.ts';
import { jsonContent, type Operation } from './operation.ts';

const tag = 'workspaces';
const name: JsonSchema = { ...text, minLength: 1, maxLength: 128, pattern: '^[^\\u0000-\\u001f\\u007f]*\\S' };
const code: JsonSchema = { ...text, pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' };
const bad = ['validation_failed', 'unknown_field'] as const;

/** What `handlers/app/workspaces.ts` serves. */
export const workspaceOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/app/:org/user/tenants',
    operationId: 'readTenants',
    tag,
    summary: 'The workspaces that the caller is in, the one joined last first',
    access: 'token',
    replies: [
      {
        status: 200,
        description: 'The workspaces.',
        content: jsonContent(objectOf({ items: arrayOf(schemaReference('Tenant')) })),
      },
    ],
  },
  {
    method: 'POST',
    path: '/app/:org/user/workspace',
    operationId: 'createWorkspace',
    tag,
    summary: 'Makes a workspace, of which the caller is the admin',
    description: 'A fresh token is of it; the token in hand is not. Without a code one is made from the name.',
    access: 'token',
    body: jsonContent(closedObjectOf({ name, code }, ['code'])),
    replies: [{ status: 201, description: 'Made.', content: jsonContent(schemaReference('MadeWorkspace')) }],
    problems: [...bad, 'conflict', 'plan_limit_exceeded'],
  },
  {
    method: 'PUT',
    path: '/app/:org/user/workspace',
    operationId: 'updateWorkspace',
    tag,
    summary: 'Changes the workspace of the token: its name, and what new members get',
    description: 'Action `updateworkspace`. `default_member_access` is the name of a policy that the caller may grant.',
    access: 'token',
    body: jsonContent({
      ...closedObjectOf({ name, default_member_access: text }, ['name', 'default_member_access']),
      minProperties: 1,
    }),
    replies: [{ status: 200, description: 'Changed.', content: jsonContent(schemaReference('Workspace')) }],
    problems: [...bad, 'workspace_required', 'escalation_refused', 'not_found', 'conflict', 'plan_limit_exceeded'],
  },
  {
    method: 'DELETE',
    path: '/app/:org/user/workspace',
    operationId: 'deleteWorkspace',
    tag,
    summary: 'Removes the workspace of the token with all that is in it',
    description:
      'Action `deleteworkspace`. The body repeats the code of the workspace. Nobody is let in from then on; the data is removed within minutes, and the code can be taken again 30 days later.',
    access: 'token',
    body: jsonContent(closedObjectOf({ code: text })),
    replies: [{ status: 204, description: 'Removed.' }],
    problems: [...bad, 'workspace_required', 'not_found', 'conflict'],
  },
  {
    method: 'POST',
    path: '/app/:org/user/switch-tenant',
    operationId: 'switchTenant',
    tag,
    summary: 'Chooses the workspace of the caller’s tokens to come',
    access: 'token',
    body: jsonContent(schemaReference('TenantName')),
    replies: [
      {
        status: 200,
        description: 'Chosen: the token in hand stays as it is.',
        content: jsonContent(objectOf({ tenant_id: guid, tenant_code: text })),
      },
    ],
    problems: [...bad, 'not_found'],
  },
  {
    method: 'POST',
    path: '/app/:org/user/leave',
    operationId: 'leaveWorkspace',
    tag,
    summary: 'Takes the caller out of a workspace',
    access: 'token',
    body: jsonContent(schemaReference('TenantName')),
    replies: [{ status: 204, description: 'Left: the tokens of the workspace are dead.' }],
    problems: [...bad, 'not_found', 'last_admin', 'conflict'],
  },
];

const workspace = { id: guid, code: text, name: text };

export const workspaceSchemas: Readonly<Record<string, JsonSchema>> = {
  Tenant: objectOf({
    ...workspace,
    role: text,
    current: { type: 'boolean', description: 'Whether the token is of this workspace.' },
    joined_at: time,
  }),
  MadeWorkspace: objectOf({ ...workspace, current: { const: true } }),
  Workspace: objectOf({
    ...workspace,
    default_member_access: { ...text, description: 'The name of the policy that new members get.' },
  }),
  TenantName: anyOf([closedObjectOf({ tenant_id: text }), closedObjectOf({ tenant_code: text })]),
};
