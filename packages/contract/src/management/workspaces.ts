import { Type } from '@sinclair/typebox';
import { WorkspaceCode } from '../app/workspaces.ts';
import { environment, nexttoken, pagesize } from '../parameters.ts';
import { reply, route } from '../route.ts';
import {
  closed,
  count,
  guid,
  lineTitle,
  named,
  oneOf,
  orNull,
  pageOf,
  reason,
  recordOf,
  text,
  time,
} from '../schema.ts';

const members = {
  id: guid,
  code: text,
  name: text,
  state: oneOf(['founding', 'ready'], { description: 'A workspace that is still `founding` admits no caller.' }),
  suspended: orNull(
    Type.Object({ at: time, by: Type.String({ format: 'uuid', description: 'The org user.' }), reason: text }),
    {
      description:
        'Set while the workspace is suspended: its members get 403 `workspace_suspended`, and its automation rests.',
    },
  ),
  created_at: time,
  members: Type.Integer({ minimum: 0, description: 'Its `user` records; each service key has one.' }),
  records: Type.Integer({ minimum: 0, description: 'Records of all entities that builders define.' }),
};

export const OrgWorkspace = named('OrgWorkspace', Type.Object(members));

export const OrgWorkspaceDetails = named(
  'OrgWorkspaceDetails',
  Type.Object({
    ...members,
    default_member_access: orNull(text, { description: 'The name of the policy that new members get.' }),
    by_entity: recordOf(count, {
      description: 'Records by the name of their entity, without entities that have none.',
    }),
  }),
);

const env = oneOf(['test', 'prod']);

export const orgWorkspacesApi = {
  listOrgWorkspaces: route({
    method: 'GET',
    path: '/org/workspaces',
    access: 'developer',
    tag: 'workspaces',
    summary: 'The workspaces of the org by code',
    description: 'In an environment, with the number of their members and records.',
    query: closed({
      env: environment,
      prefix: Type.Optional(
        Type.String({ maxLength: 63, description: 'Only workspaces whose code starts with this.' }),
      ),
      state: Type.Optional(oneOf(['suspended'], { description: 'Only workspaces that are suspended.' })),
      pagesize: Type.Integer({ ...pagesize, maximum: 50, default: 20 }),
      nexttoken,
    }),
    compressed: 'reply',
    replies: { 200: reply('A page. It may be short; with a `nexttoken` there may be more.', pageOf(OrgWorkspace)) },
    problems: ['invalid_cursor'],
  }),
  createOrgWorkspace: route({
    method: 'POST',
    path: '/org/workspaces',
    access: 'org_admin',
    tag: 'workspaces',
    summary: 'Creates a workspace in the test environment',
    description:
      'For accounts that builders make there. It has no members yet: the first account that is made in it (`POST /org/app-users`) is its admin. The code `main` is that of the default workspace, which its first user founds. Without a code, one is made from the name. In production users found the workspaces.',
    body: closed({ env, name: lineTitle, code: Type.Optional(WorkspaceCode) }),
    replies: { 201: reply('Created.', OrgWorkspace) },
    problems: ['prod_read_only', 'conflict', 'plan_limit_exceeded'],
    refusedAs: 'workspace.creation_refused',
  }),
  readOrgWorkspace: route({
    method: 'GET',
    path: '/org/workspaces/:tenant_code',
    access: 'developer',
    tag: 'workspaces',
    summary: 'A workspace of the org, with its records by entity',
    query: closed({ env: environment }),
    replies: { 200: reply('The workspace.', OrgWorkspaceDetails) },
    problems: ['not_found'],
  }),
  suspendWorkspace: route({
    method: 'POST',
    path: '/org/workspaces/:tenant_code/suspend',
    access: 'org_admin',
    tag: 'workspaces',
    summary: 'Suspends a workspace',
    description:
      'Its members are refused, and its automation rests. Calls of its members and of its service keys answer 403 `workspace_suspended`, and so do a token exchange for it and invitations into it. Records, memberships and policies stay. Deliveries of events and runs of logic blocks wait; messages to its hooks and runs by hand are refused; due times of schedules pass. Builders who view it as a user only read. The audit log keeps the reason; the members are not shown it. Other nodes learn of it within a second, and within `acl.cache_seconds` while they hear no signals.',
    body: closed({ env, reason }),
    replies: { 204: reply('Suspended.') },
    problems: ['not_found', 'conflict'],
    refusedAs: 'workspace.suspension_refused',
  }),
  resumeWorkspace: route({
    method: 'POST',
    path: '/org/workspaces/:tenant_code/resume',
    access: 'org_admin',
    tag: 'workspaces',
    summary: 'Ends the suspension of a workspace',
    description:
      'Tokens from before are good again, and what waited goes on. Deliveries and runs that waited go on within seconds; of very many, what comes behind the first 200 within a minute.',
    body: closed({ env, reason: Type.Optional(reason) }),
    replies: { 204: reply('Resumed.') },
    problems: ['not_found', 'conflict'],
    refusedAs: 'workspace.resumption_refused',
  }),
};
