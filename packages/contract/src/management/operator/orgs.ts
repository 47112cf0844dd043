import { Type } from '@sinclair/typebox';
import { nexttoken, pagesize } from '../../parameters.ts';
import { reply, route } from '../../route.ts';
import { closed, count, named, oneOf, orNull, pageOf, text, time } from '../../schema.ts';
import { PlanLimits } from '../usage.ts';

const plan = Type.Object({
  name: text,
  limits: PlanLimits,
  updated_at: orNull(time, { description: 'Null for an org that was given no plan.' }),
});

const usage = Type.Object(
  {
    api_calls: Type.Object({ today: count, month: count }),
    records_added: Type.Integer({
      description: 'Records that were created less those that were removed; negative if more were removed.',
    }),
    runs: count,
    deliveries: Type.Integer({ minimum: 0, description: 'Attempts, repeated ones included.' }),
    script_ms: Type.Integer({ minimum: 0, description: 'Processor time of scripts, in milliseconds.' }),
    mails: count,
  },
  { description: 'Usage since the first of this month in UTC, of both environments together.' },
);

const members = {
  code: text,
  name: text,
  created_at: time,
  plan,
  usage,
  org_users: Type.Integer({ minimum: 0, maximum: 1000, description: 'The builders of the org, counted up to 1,000.' }),
};

export const PlatformOrg = named(
  'PlatformOrg',
  Type.Object({ ...members, has_prod: Type.Boolean({ description: 'Whether the org has a production environment.' }) }),
);

const limited = {
  api_calls_per_day: count,
  api_calls_per_month: count,
  records: count,
  entities: count,
  indexes: count,
  policies: count,
  runs_per_day: count,
  deliveries_per_day: count,
  script_seconds_per_day: count,
  mails_per_day: count,
};

const most = 'Of entities and indexes in the environment that has most, of policies in the workspace that has most.';

const LimitUsage = Type.Object({
  limit_name: oneOf(Object.keys(limited) as readonly (keyof typeof limited)[]),
  used: Type.Integer({ minimum: 0, description: most }),
  limit: count,
  percent: Type.Integer({ minimum: 0, description: 'Rounded down; 100 and more if the limit is reached.' }),
});

const environmentMembers = {
  created_at: orNull(time, { description: 'Null if the time was not recorded.' }),
  records: Type.Integer({ minimum: 0, description: 'Records of all workspaces and of entities that builders define.' }),
  entities: count,
  indexes: count,
};

export const PlatformOrgDetails = named(
  'PlatformOrgDetails',
  Type.Object({
    ...members,
    requires_second_factor: Type.Boolean({ description: 'Whether the org requires a second factor of its builders.' }),
    used: Type.Object(limited, {
      description: `Usage of all that a plan may limit, whether this one does or not. ${most}`,
    }),
    limits: Type.Array(LimitUsage, { description: 'Usage of each limit of the plan, in the order of the limits.' }),
    environments: Type.Object({
      test: Type.Object(environmentMembers),
      prod: orNull(
        Type.Object({
          ...environmentMembers,
          release: orNull(
            Type.Object({
              version: Type.Integer({ minimum: 1, description: 'The release whose configuration is live.' }),
              activated_at: time,
              live_since: Type.String({
                format: 'date-time',
                description: 'The time of the rollback to this release, or of its activation.',
              }),
            }),
            { description: 'Null before the first activation.' },
          ),
        }),
      ),
    }),
  }),
);

export const platformOrgsApi = {
  listPlatformOrgs: route({
    method: 'GET',
    path: '/platform/orgs',
    access: 'operator',
    tag: 'platform',
    summary: 'The orgs of the platform by code',
    description: 'Each with its plan, its usage this month and its number of builders.',
    query: closed({
      q: Type.Optional(
        Type.String({
          pattern: '^[a-z0-9]{0,32}$',
          description: 'Only orgs whose code starts with this: lower-case letters and digits, at most 32.',
        }),
      ),
      part: Type.Optional(
        Type.String({
          maxLength: 64,
          description:
            'Only orgs whose code or name contains this, in upper or lower case. A call looks at 1,000 orgs; its page may be short or empty, and `nexttoken` goes on.',
        }),
      ),
      pagesize: Type.Integer({ ...pagesize, maximum: 50, default: 20 }),
      nexttoken,
    }),
    compressed: 'reply',
    replies: { 200: reply('A page.', pageOf(PlatformOrg)) },
    problems: ['rate_limited', 'invalid_cursor'],
  }),
  readPlatformOrg: route({
    method: 'GET',
    path: '/platform/orgs/:org',
    access: 'operator',
    tag: 'platform',
    summary: 'An org of the platform',
    description: 'With its usage of each limit of its plan, its environments and the release that is live.',
    replies: { 200: reply('The org.', PlatformOrgDetails) },
    problems: ['rate_limited', 'not_found'],
  }),
};
