import { Type } from '@sinclair/typebox';
import { environment, nexttoken, pagesize } from '../../parameters.ts';
import { reply, route } from '../../route.ts';
import { closed, guid, itemsOf, named, ofRecords, oneOf, orNull, pageOf, text, time } from '../../schema.ts';

/** The number of workspaces that may be named in one application. */
export const namedWorkspacesMax = 200;

const made = {
  code: text,
  name: text,
  made_with: oneOf(['current', 'earlier', 'unknown'], {
    description:
      'The template that was applied last: the present template, an earlier template, or a template that is not known, as in workspaces that an earlier release founded.',
  }),
  applied_at: orNull(time, { description: 'When it was.' }),
};

export const WorkspaceDrift = named(
  'WorkspaceDrift',
  Type.Object({
    ...made,
    missing: Type.Integer({ minimum: 0, description: 'Policies and groups of the template that it lacks.' }),
    changed: Type.Integer({ minimum: 0, description: 'Those that it has with another content.' }),
    local: Type.Integer({
      minimum: 0,
      description: 'Of these differences, those that the workspace itself may have made.',
    }),
    extra: Type.Integer({
      minimum: 0,
      maximum: 1000,
      description: 'Policies and groups that neither the template nor the platform has, counted up to 1,000.',
    }),
  }),
);

const step = oneOf(['none', 'create', 'replace', 'keep'], {
  description: 'What an application does. `keep` leaves what the workspace itself has changed or removed.',
});

const kind = oneOf(['policy', 'group']);

export const DriftItem = named(
  'DriftItem',
  Type.Object({
    kind,
    name: text,
    id: orNull(guid, { description: 'The record in the workspace.' }),
    state: oneOf(['same', 'missing', 'changed']),
    is_local: Type.Boolean({
      description:
        'Whether the workspace itself may have made the difference: it has changed or removed what the template made, or the template is not known to have made it.',
    }),
    step,
    before: ofRecords(
      Type.Unknown({
        description:
          'What the workspace has: statements of a policy, names of the policies of a group; `null` for nothing.',
      }),
    ),
    after: Type.Unknown({ description: 'What the template has.' }),
    widens: Type.Array(text, { description: 'What the step lets members do that they could not before.' }),
  }),
);

export const WorkspaceDriftDetails = named(
  'WorkspaceDriftDetails',
  Type.Object({
    ...made,
    items: Type.Array(DriftItem),
    extras: Type.Array(Type.Object({ kind, id: guid, name: text }), {
      description: 'The first 100 policies and the first 100 groups that neither the template nor the platform has.',
    }),
    extras_complete: Type.Boolean(),
  }),
);

const application = {
  id: guid,
  state: oneOf(['previewing', 'previewed', 'running', 'done', 'cancelled', 'failed'], {
    description: 'A preview changes nothing and waits for its start.',
  }),
  all: Type.Boolean({ description: 'Whether it is about all workspaces, or about those that were named.' }),
  replace_local: Type.Boolean({ description: 'Whether what workspaces themselves have changed is replaced too.' }),
  created_at: time,
  created_by: Type.Object({ kind: text, id: text }),
  looked: Type.Integer({ minimum: 0, description: 'Workspaces that the preview has looked at.' }),
  differ: Type.Integer({ minimum: 0, description: 'Workspaces in which something is to be done.' }),
  creates: Type.Integer({ minimum: 0, description: 'Policies and groups that are made.' }),
  replaces: Type.Integer({ minimum: 0, description: 'Policies and groups that get the content of the template.' }),
  keeps: Type.Integer({ minimum: 0, description: 'Local differences that stay.' }),
  widening: Type.Integer({ minimum: 0, description: 'Workspaces in which members may do more than before.' }),
  done: Type.Integer({ minimum: 0, description: 'Workspaces that are done, of those that differ.' }),
  failed: Type.Integer({
    minimum: 0,
    description: 'Those in which nothing was changed, for a reason that their row names.',
  }),
  error: orNull(text, { description: 'Why the application itself has ended.' }),
  started_at: orNull(time),
  ended_at: orNull(time),
};

export const TemplateApplication = named('TemplateApplication', Type.Object(application));

export const AppliedWorkspace = named(
  'AppliedWorkspace',
  Type.Object({
    code: text,
    state: oneOf(['previewed', 'done', 'failed']),
    items: Type.Array(Type.Object({ kind, name: text, step })),
    widens: Type.Array(text),
    error: orNull(text),
  }),
);

export const workspaceTemplatesApi = {
  listWorkspaceDrift: route({
    method: 'GET',
    path: '/org/workspace-template/drift',
    access: 'developer',
    tag: 'workspaces',
    summary: 'How workspaces differ from the template',
    description: 'The workspaces of an environment by code; the template is `tenancy.workspace_templates`.',
    query: closed({
      env: environment,
      pagesize: Type.Integer({ ...pagesize, maximum: 20, default: 10 }),
      nexttoken,
    }),
    compressed: 'reply',
    replies: {
      200: reply('A page. It may be short; with a `nexttoken` there may be more.', pageOf(WorkspaceDrift)),
    },
    problems: ['invalid_cursor'],
  }),
  readWorkspaceDrift: route({
    method: 'GET',
    path: '/org/workspace-template/drift/:tenant_code',
    access: 'developer',
    tag: 'workspaces',
    summary: 'How a workspace differs from the template',
    description: 'Each policy and group in which it differs, and what an application would do.',
    query: closed({
      env: environment,
      replace_local: Type.Boolean({ default: false, description: 'Shows the steps of such an application.' }),
    }),
    replies: { 200: reply('The workspace.', WorkspaceDriftDetails) },
    problems: ['not_found'],
    production: { leftOut: 'what the workspace has in place of the template' },
  }),
  previewTemplateApplication: route({
    method: 'POST',
    path: '/org/workspace-template/applications',
    access: 'org_admin',
    tag: 'workspaces',
    summary: 'Begins a preview of an application of the template',
    description: 'It changes nothing in the workspaces. It goes on in the background. One at a time in an environment.',
    query: closed({ env: environment }),
    body: closed({
      workspaces: Type.Optional(
        Type.Array(Type.String({ maxLength: 63, pattern: '^[a-z0-9-]+$' }), {
          minItems: 1,
          maxItems: namedWorkspacesMax,
          description: 'Their codes; left out, all workspaces.',
        }),
      ),
      replace_local: Type.Optional(
        Type.Boolean({
          description: 'Also replaces what workspaces themselves have changed, and makes what they have removed.',
        }),
      ),
    }),
    isBodyOptional: true,
    replies: { 201: reply('It has begun.', TemplateApplication) },
    problems: ['conflict'],
  }),
  listTemplateApplications: route({
    method: 'GET',
    path: '/org/workspace-template/applications',
    access: 'developer',
    tag: 'workspaces',
    summary: 'The last 20 applications and previews, the latest first',
    description: 'They are kept for 30 days.',
    query: closed({ env: environment }),
    compressed: 'reply',
    replies: { 200: reply('The applications.', itemsOf(TemplateApplication)) },
  }),
  readTemplateApplication: route({
    method: 'GET',
    path: '/org/workspace-template/applications/:id',
    access: 'developer',
    tag: 'workspaces',
    summary: 'How far an application is',
    query: closed({ env: environment }),
    replies: { 200: reply('The application.', TemplateApplication) },
    problems: ['not_found'],
  }),
  listAppliedWorkspaces: route({
    method: 'GET',
    path: '/org/workspace-template/applications/:id/workspaces',
    access: 'developer',
    tag: 'workspaces',
    summary: 'The workspaces in which an application acts, by code',
    query: closed({ env: environment, pagesize, nexttoken }),
    compressed: 'reply',
    replies: { 200: reply('A page.', pageOf(AppliedWorkspace)) },
    problems: ['not_found', 'invalid_cursor'],
  }),
  startTemplateApplication: route({
    method: 'POST',
    path: '/org/workspace-template/applications/:id/start',
    access: 'org_admin',
    tag: 'workspaces',
    summary: 'Applies what a preview has shown, in the background',
    description:
      'A workspace that has changed since the preview is left as it is. If members of a workspace may do more afterwards, `accept_widening` must be `true`.',
    query: closed({ env: environment }),
    body: closed({ accept_widening: Type.Optional(Type.Boolean()) }),
    isBodyOptional: true,
    replies: { 200: reply('It runs.', TemplateApplication) },
    problems: ['not_found', 'conflict', 'escalation_refused'],
  }),
  cancelTemplateApplication: route({
    method: 'POST',
    path: '/org/workspace-template/applications/:id/cancel',
    access: 'org_admin',
    tag: 'workspaces',
    summary: 'Ends a preview or an application; what is applied stays',
    query: closed({ env: environment }),
    replies: { 200: reply('It is cancelled.', TemplateApplication) },
    problems: ['not_found', 'conflict'],
  }),
};
