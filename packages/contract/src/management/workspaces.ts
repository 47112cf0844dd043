import { Type } from '@sinclair/typebox';
import { environment, nexttoken, pagesize } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { closed, count, guid, named, oneOf, orNull, pageOf, recordOf, text, time } from '../schema.ts';

const members = {
  id: guid,
  code: text,
  name: text,
  state: oneOf(['founding', 'ready'], { description: 'A workspace that is still `founding` admits no caller.' }),
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

export const orgWorkspacesApi = {
  listOrgWorkspaces: route({
    method: 'GET',
    path: '/org/workspaces',
    access: 'developer',
    tag: 'workspaces',
    summary: 'The workspaces of the org in an environment, by code, with the number of their members and records',
    query: closed({
      env: environment,
      prefix: Type.Optional(
        Type.String({ maxLength: 63, description: 'Only workspaces whose code starts with this.' }),
      ),
      pagesize: Type.Integer({ ...pagesize, maximum: 50, default: 20 }),
      nexttoken,
    }),
    replies: { 200: reply('A page. It may be short; with a `nexttoken` there may be more.', pageOf(OrgWorkspace)) },
    problems: ['invalid_cursor'],
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
};
