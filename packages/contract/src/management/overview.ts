import { Type } from '@sinclair/typebox';
import { environment } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { closed, count, named, oneOf, orNull, recordOf, text, time } from '../schema.ts';
import { deniedCall } from './access.ts';
import { OrgWorkspace } from './workspaces.ts';

export const OverviewBuild = named(
  'OverviewBuild',
  Type.Object({
    entity: text,
    indexes: Type.Object({ building: count, failed: count }),
    fills: Type.Object({ filling: count, failed: count }),
    progress: orNull(Type.Object({ done: count, total: count }), {
      description: 'Records that the work has gone through; null before it begins and after it has ended.',
    }),
  }),
);

export const OverviewDenial = named('OverviewDenial', Type.Object(deniedCall));

export const OverviewRelease = named(
  'OverviewRelease',
  Type.Object({
    version: Type.Integer({ minimum: 1 }),
    action: oneOf(['activate', 'rollback']),
    at: time,
    actor: Type.Object({ kind: text, id: text }),
    note: Type.Optional(text),
    live: Type.Boolean({ description: 'Whether its configuration is live.' }),
    restored: Type.Optional(Type.Integer({ minimum: 1, description: 'The release that a rollback brought back.' })),
    previous: Type.Optional(Type.Integer({ minimum: 1, description: 'The release that was live before.' })),
    items: Type.Integer({ minimum: 0, description: 'How many config items it changed.' }),
  }),
);

export const Overview = named(
  'Overview',
  Type.Object({
    builds: Type.Object(
      {
        entities: Type.Integer({ minimum: 0, description: 'How many entities have work that goes on or has failed.' }),
        items: Type.Array(OverviewBuild, { maxItems: 20 }),
      },
      { description: 'Indexes that are being built and fields that are being filled, or that failed.' },
    ),
    jobs: Type.Object(
      {
        waiting: Type.Integer({ minimum: 0, maximum: 100, description: 'At most 100 are counted.' }),
        by_kind: recordOf(count),
      },
      { description: 'Background work of the org that waits or goes on, such as the removal of an entity.' },
    ),
    webhook: orNull(
      Type.Object({
        last_delivery: orNull(
          Type.Object({ state: oneOf(['delivered', 'retrying', 'failed']), attempts: count, at: time }),
        ),
      }),
      { description: 'The alert webhook; null if there is none.' },
    ),
    denials: Type.Array(OverviewDenial, { maxItems: 5, description: 'The last denials, the latest first.' }),
    releases: Type.Array(OverviewRelease, {
      maxItems: 5,
      description: 'The last activations and rollbacks of production, the latest first.',
    }),
    workspaces: Type.Optional(
      Type.Object(
        { items: Type.Array(OrgWorkspace, { maxItems: 20 }), more: Type.Boolean() },
        { description: 'The first workspaces by code, where the call asks for them.' },
      ),
    ),
    first_steps: Type.Optional(
      Type.Object(
        {
          policy: Type.Boolean({
            description:
              'Whether there is a policy beside those that the platform makes, in a workspace or as a template of new ones.',
          }),
          member: Type.Boolean({ description: 'Whether a workspace has two people; service keys do not count.' }),
        },
        {
          description:
            'What builders have done about access, in test or in production, where the call asks for it. Only the first ten workspaces of each environment are looked at, and in each the first twenty members.',
        },
      ),
    ),
  }),
);

export const overviewApi = {
  showOverview: route({
    method: 'GET',
    path: '/org/overview',
    access: 'developer',
    tag: 'usage',
    summary: 'What goes on in an environment',
    description: 'Builds, jobs, the alert webhook, the last denials and releases.',
    query: closed({
      env: environment,
      workspaces: Type.Integer({
        minimum: 0,
        maximum: 20,
        default: 0,
        description: 'How many workspaces to show at most.',
      }),
      first_steps: Type.Boolean({ default: false, description: 'Also shows `first_steps`.' }),
    }),
    replies: { 200: reply('The present state.', Overview) },
    production: { leftOut: 'the emails of denied users' },
  }),
};
