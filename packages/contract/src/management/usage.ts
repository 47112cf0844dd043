import { Type } from '@sinclair/typebox';
import { reply, route } from '../route.ts';
import { closed, count, linesOf, named, oneOf, orNull, recordOf, text, time } from '../schema.ts';

const alertPercent = Type.Integer({ minimum: 1, maximum: 100 });
const limit = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const limits = {
  api_calls_per_day: Type.Optional(limit),
  api_calls_per_month: Type.Optional(limit),
  records: Type.Optional(limit),
  entities: Type.Optional(limit),
  indexes: Type.Optional(limit),
  policies: Type.Optional(limit),
  runs_per_day: Type.Optional(limit),
  deliveries_per_day: Type.Optional(limit),
  script_seconds_per_day: Type.Optional(limit),
  mails_per_day: Type.Optional(limit),
  run_days: Type.Optional(daysKept('runs')),
  receipt_days: Type.Optional(daysKept('receipts of deliveries')),
};

function daysKept(what: string) {
  return Type.Integer({
    minimum: 1,
    maximum: 400,
    description: `For how many days ${what} are kept once they are over. Left out, 7.`,
  });
}

const work = {
  runs: count,
  deliveries: Type.Integer({ minimum: 0, description: 'Attempts, repeated ones included.' }),
  script_ms: Type.Integer({ minimum: 0, description: 'Processor time of scripts, in milliseconds.' }),
  mails: count,
};

export const PlanLimits = named('PlanLimits', Type.Object(limits));

export const OrgPlan = named(
  'OrgPlan',
  Type.Object({ org: text, name: text, limits: PlanLimits, updated_at: orNull(time) }),
);

export const Usage = named(
  'Usage',
  Type.Object({
    api_calls: Type.Object({
      today: count,
      month: count,
      by_day: Type.Array(
        Type.Object({
          date: Type.String({ format: 'date', description: 'A day of UTC.' }),
          calls: count,
          records_added: Type.Integer(),
        }),
      ),
    }),
    records: Type.Object({ total: count, by_entity: recordOf(count) }),
  }),
);

export const WorkspaceUsage = named(
  'WorkspaceUsage',
  Type.Object({
    env: oneOf(['test', 'prod']),
    tenant_code: orNull(text, { description: 'Null for calls that are in no workspace, such as signing in.' }),
    api_calls: Type.Object({ today: count, month: count }),
    records: Type.Object({ total: count, by_entity: recordOf(count) }),
  }),
);

export const UsagePart = named(
  'UsagePart',
  Type.Object({
    metric: oneOf(['api_calls', 'records', 'runs', 'deliveries', 'script_ms', 'mails']),
    env: oneOf(['test', 'prod']),
    date: orNull(Type.String({ format: 'date', description: 'A day of UTC.' }), {
      description: 'Null for records, which have their present count.',
    }),
    tenant_code: orNull(text, {
      description: 'Null for calls that are in no workspace, such as signing in, and for work of automation.',
    }),
    entity: orNull(text, { description: 'Null for all but records.' }),
    value: count,
  }),
);

export const Observability = named(
  'Observability',
  Type.Object({
    org: text,
    plan: Type.Object({
      name: text,
      limits: PlanLimits,
      updated_at: orNull(time),
      upgrade_url: Type.String({ format: 'uri' }),
    }),
    usage: Type.Object({
      api_calls: Type.Object({
        today: count,
        month: count,
        by_day: Type.Array(
          Type.Object({
            date: Type.String({ format: 'date', description: 'A day of UTC.' }),
            calls: count,
            records_added: Type.Integer(),
          }),
        ),
      }),
      records: Type.Object({ total: count, by_entity: recordOf(count) }),
      by_workspace: Type.Array(WorkspaceUsage),
    }),
    environments: Type.Object({ test: Usage, prod: orNull(Usage) }),
    work: Type.Object(
      {
        today: Type.Object(work),
        by_day: Type.Array(
          Type.Object({ date: Type.String({ format: 'date', description: 'A day of UTC.' }), ...work }),
        ),
      },
      { description: 'What automation has done, in both environments together.' },
    ),
    flags: Type.Object({
      apiLimitExceeded: Type.Boolean(),
      dailyLimitExceeded: Type.Boolean(),
      recordLimitExceeded: Type.Boolean(),
    }),
    alerts: Type.Array(
      Type.Object({
        metric: oneOf([
          'api_calls_per_day',
          'api_calls_per_month',
          'records',
          'runs_per_day',
          'deliveries_per_day',
          'script_seconds_per_day',
          'mails_per_day',
        ]),
        percent: alertPercent,
        used: count,
        limit: count,
        level: oneOf(['info', 'warning', 'critical']),
        since: orNull(time, { description: 'When it was recorded in the audit log.' }),
        resets_at: orNull(time),
        message: text,
      }),
    ),
    alert_percents: Type.Array(alertPercent, {
      description: 'The shares of a limit at which the org is warned, the lowest first.',
    }),
    forecast: Type.Object({
      api_calls_per_day: orNull(Type.String({ format: 'date', description: 'A day of UTC.' })),
      api_calls_per_month: orNull(Type.String({ format: 'date', description: 'A day of UTC.' })),
      records: orNull(Type.String({ format: 'date', description: 'A day of UTC.' })),
    }),
    caps: Type.Object(
      {
        entities: Type.Object({ limit: orNull(count), test: count, prod: orNull(count) }),
        indexes: Type.Object({ limit: orNull(count), test: count, prod: orNull(count) }),
        policies: Type.Object({
          limit: orNull(count),
          test: count,
          prod: orNull(count),
          workspaces: Type.Array(Type.Object({ env: oneOf(['test', 'prod']), tenant_code: text, used: count })),
        }),
      },
      { description: 'The count of each, and its limit per environment; for policies, per workspace.' },
    ),
    resets_at: orNull(time, { description: 'When the limits of calls reset.' }),
    windows: Type.Object({ day: orNull(time), month: orNull(time) }),
    explain: Type.Optional(
      Type.Object({
        figure: text,
        value: Type.Integer(),
        parts: Type.Array(
          Type.Object({
            env: oneOf(['test', 'prod']),
            date: Type.Optional(Type.String({ format: 'date', description: 'A day of UTC.' })),
            tenant_code: orNull(text),
            entity: Type.Optional(text),
            value: Type.Integer(),
          }),
        ),
        others: Type.Object(
          { count, value: Type.Integer() },
          { description: 'If there are more than 1,000 parts, the sum of those that are not listed.' },
        ),
      }),
    ),
  }),
);

const AlertPercents = named(
  'AlertPercents',
  closed({
    percents: Type.Array(alertPercent, {
      minItems: 1,
      maxItems: 5,
      uniqueItems: true,
      description: 'Percent of a limit, in any order. They contain 100: a limit that is reached stops writes.',
    }),
  }),
);

export const usageApi = {
  showPlan: route({
    method: 'GET',
    path: '/platform/orgs/:org/plan',
    access: 'operator',
    tag: 'platform',
    summary: 'The plan of an org',
    replies: { 200: reply('The plan.', OrgPlan) },
    problems: ['rate_limited', 'not_found'],
  }),
  changePlan: route({
    method: 'PUT',
    path: '/platform/orgs/:org/plan',
    access: 'operator',
    tag: 'platform',
    summary: 'Sets the plan of an org',
    description: 'Replaces all limits; a limit that is left out is unlimited.',
    body: closed({
      name: Type.String({
        pattern: '^[a-z][a-z0-9_-]{0,63}$',
        description: 'lower-case letters, digits, `-` and `_`, beginning with a letter, at most 64',
      }),
      limits: Type.Optional(
        closed(limits, { description: 'Left out for `free`, `pro` and `unlimited`, which have limits of their own.' }),
      ),
    }),
    replies: { 200: reply('Changed.', OrgPlan) },
    problems: ['rate_limited', 'not_found'],
    refusedAs: 'plan.change_refused',
  }),
  showUsage: route({
    method: 'GET',
    path: '/observability',
    access: 'developer',
    tag: 'usage',
    summary: 'The org’s usage of its plan',
    description: 'Also when a limit will be reached.',
    query: closed({
      days: Type.Integer({ minimum: 1, maximum: 400, default: 31, description: 'How far `by_day` goes back.' }),
      explain: Type.Optional(
        oneOf(
          [
            'api_calls.today',
            'api_calls.month',
            'records.total',
            'runs.today',
            'deliveries.today',
            'script_ms.today',
            'mails.today',
          ],
          { description: 'The figure to break down. Work of automation is counted by environment alone.' },
        ),
      ),
    }),
    replies: { 200: reply('The present value.', Observability) },
  }),
  changeAlertPercents: route({
    method: 'PUT',
    path: '/org/alerts',
    access: 'org_admin',
    tag: 'usage',
    summary: 'Sets the shares of a limit at which the org is warned',
    body: AlertPercents,
    replies: { 200: reply('Set.', AlertPercents) },
    refusedAs: 'alert_percents.change_refused',
  }),
  exportUsage: route({
    method: 'GET',
    path: '/observability/export',
    access: 'developer',
    tag: 'usage',
    summary: 'The rows that usage is summed from, as a file',
    query: closed({
      format: Type.Optional(
        oneOf(['csv', 'jsonl'], { description: 'If it is left out, `Accept` decides; the default is `jsonl`.' }),
      ),
      metric: Type.Optional(
        oneOf(['api_calls', 'records', 'runs', 'deliveries', 'script_ms', 'mails'], {
          description: 'The default is all.',
        }),
      ),
      from: Type.Optional(
        Type.String({
          format: 'date',
          description: 'The first day of calls and work; the default is the first of this month.',
        }),
      ),
      to: Type.Optional(Type.String({ format: 'date', description: 'The last day; the default is today.' })),
    }),
    replies: {
      200: {
        description:
          'Calls by day and workspace, records by workspace and entity, and work of automation by day, a line each.',
        content: {
          'text/csv': Type.String({ description: 'A line with the names of the members, and one for each part.' }),
          'application/x-ndjson': linesOf(UsagePart),
        },
        headers: ['Content-Disposition'],
      },
    },
  }),
};
