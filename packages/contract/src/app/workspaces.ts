import { Type } from '@sinclair/typebox';
import { reply, route } from '../route.ts';
import { closed, guid, itemsOf, lineTitle, named, text, time } from '../schema.ts';

export const Tenant = named(
  'Tenant',
  Type.Object({
    id: guid,
    code: text,
    name: text,
    role: text,
    current: Type.Boolean({ description: 'Whether the token is of this workspace.' }),
    suspended: Type.Boolean({
      description: 'Whether an admin of the app’s org has suspended it: then no token is given for it.',
    }),
    joined_at: time,
  }),
);

export const MadeWorkspace = named(
  'MadeWorkspace',
  Type.Object({ id: guid, code: text, name: text, current: Type.Literal(true) }),
);

export const Workspace = named(
  'Workspace',
  Type.Object({
    id: guid,
    code: text,
    name: text,
    default_member_access: Type.String({ description: 'The name of the policy that new members get.' }),
  }),
);

/** A code of a workspace that is asked for. */
export const WorkspaceCode = Type.String({
  pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
  description: '1 to 63 of `a-z`, `0-9`, `-`, with no hyphen at an end',
});

export const TenantName = named('TenantName', Type.Union([closed({ tenant_id: guid }), closed({ tenant_code: text })]));

export const workspacesApi = {
  readTenants: route({
    method: 'GET',
    path: '/app/:org/user/tenants',
    access: 'self',
    tag: 'workspaces',
    summary: 'The caller’s workspaces, the latest joined first',
    replies: { 200: reply('The workspaces.', itemsOf(Tenant)) },
  }),
  createWorkspace: route({
    method: 'POST',
    path: '/app/:org/user/workspace',
    access: 'self',
    tag: 'workspaces',
    summary: 'Creates a workspace with the caller as its admin',
    description:
      'The caller’s next token is for the new workspace; the current one is not. Without a code, one is made from the name.',
    body: closed({
      name: lineTitle,
      code: Type.Optional(WorkspaceCode),
    }),
    replies: { 201: reply('Made.', MadeWorkspace) },
    problems: ['conflict', 'plan_limit_exceeded'],
    isGated: true,
  }),
  updateWorkspace: route({
    method: 'PUT',
    path: '/app/:org/user/workspace',
    access: 'updateworkspace',
    tag: 'workspaces',
    summary: 'Changes the token’s workspace',
    description:
      'Its name, and the policy of new members. `default_member_access` is the name of a policy that the caller may grant.',
    body: closed(
      {
        name: Type.Optional(lineTitle),
        default_member_access: Type.Optional(text),
      },
      { minProperties: 1 },
    ),
    replies: { 200: reply('Changed.', Workspace) },
    problems: ['workspace_required', 'escalation_refused', 'not_found', 'conflict', 'plan_limit_exceeded'],
    isGated: true,
  }),
  deleteWorkspace: route({
    method: 'DELETE',
    path: '/app/:org/user/workspace',
    access: 'deleteworkspace',
    tag: 'workspaces',
    summary: 'Deletes the token’s workspace with all its data',
    description:
      'The body repeats the code of the workspace. From then on every call is refused; the data is removed within minutes, and the code is free again after 30 days.',
    body: closed({ code: text }),
    replies: { 204: reply('Removed.') },
    problems: ['workspace_required', 'not_found', 'conflict'],
  }),
  switchTenant: route({
    method: 'POST',
    path: '/app/:org/user/switch-tenant',
    access: 'self',
    tag: 'workspaces',
    summary: 'Chooses the workspace of the caller’s next tokens',
    body: TenantName,
    replies: {
      200: reply('Chosen: the current token is unchanged.', Type.Object({ tenant_id: guid, tenant_code: text })),
    },
    problems: ['not_found', 'workspace_suspended'],
  }),
  leaveWorkspace: route({
    method: 'POST',
    path: '/app/:org/user/leave',
    access: 'self',
    tag: 'workspaces',
    summary: 'Removes the caller from a workspace',
    body: TenantName,
    replies: { 204: reply('Left: the caller’s tokens for the workspace are revoked.') },
    problems: ['not_found', 'last_admin', 'conflict'],
  }),
};
