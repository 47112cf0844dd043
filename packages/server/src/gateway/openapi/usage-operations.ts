import {
  arrayOf,
  closedObjectOf,
  type JsonSchema,
  objectOf,
  orNull,
  schemaReference,
  text,
  time,
} from '../../lib/json-schema.ts';
import { caps, limitNames, metrics } from '../../metering/plan.ts';
import { exportedMetrics } from '../../metering/usage-export.ts';
import { jsonContent, linesContent, type Operation } from './operation.ts';
import { queryParameter } from './parameters.ts';

const day: JsonSchema = { ...text, format: 'date', description: 'A day of UTC.' };
const integer: JsonSchema = { type: 'integer' };
const count: JsonSchema = { type: 'integer', minimum: 0 };
const env: JsonSchema = { ...text, enum: ['test', 'prod'] };
const metric: JsonSchema = { ...text, enum: metrics };

/** `handlers/management/observability.ts` */
export const usageOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/observability',
    operationId: 'showUsage',
    tag: 'usage',
    summary: 'What the org uses of its plan, and when a limit will be reached',
    access: 'token',
    parameters: [
      queryParameter('days', { type: 'integer', minimum: 1, maximum: 400, default: 31 }, 'How far `by_day` goes back.'),
      queryParameter(
        'explain',
        { ...text, enum: ['api_calls.today', 'api_calls.month', 'records.total'] },
        'The figure to break down.',
      ),
    ],
    replies: [{ status: 200, description: 'As it is by now.', content: jsonContent(schemaReference('Observability')) }],
  },
  {
    method: 'GET',
    path: '/observability/export',
    operationId: 'exportUsage',
    tag: 'usage',
    summary: 'All parts that usage is added up from, as a file',
    access: 'token',
    parameters: [
      queryParameter(
        'format',
        { ...text, enum: ['csv', 'jsonl'] },
        'Where it is left out, `Accept` decides; else `jsonl`.',
      ),
      queryParameter('metric', { ...text, enum: exportedMetrics }, 'Where it is left out, both.'),
      queryParameter('from', day, 'The first day of which calls are told; left out, the first of this month.'),
      queryParameter('to', day, 'The last one; left out, today.'),
    ],
    replies: [
      {
        status: 200,
        description: 'Calls by day and workspace, and records by workspace and entity, a line each.',
        content: {
          'text/csv': { ...text, description: 'A line with the names of the members, and one for each part.' },
          ...linesContent(['application/x-ndjson'], schemaReference('UsagePart')),
        },
        headers: ['Content-Disposition'],
      },
    ],
  },
];

const plan = jsonContent(schemaReference('OrgPlan'));
const tag = 'platform';

/** `handlers/management/plans.ts` */
export const planOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/platform/orgs/:org/plan',
    operationId: 'showPlan',
    tag,
    summary: 'The plan of an org',
    access: 'token',
    replies: [{ status: 200, description: 'The plan.', content: plan }],
    problems: ['rate_limited', 'not_found'],
  },
  {
    method: 'PUT',
    path: '/platform/orgs/:org/plan',
    operationId: 'changePlan',
    tag,
    summary: 'Gives an org a plan: replaces all limits, and one that is left out is none',
    access: 'token',
    body: jsonContent(
      closedObjectOf(
        {
          name: { ...text, pattern: '^[a-z][a-z0-9_-]{0,63}$' },
          limits: {
            ...closedObjectOf(Object.fromEntries(limitNames.map((name) => [name, count])), limitNames),
            description: 'Left out for `free`, `pro` and `unlimited`, which have limits of their own.',
          },
        },
        ['limits'],
      ),
    ),
    replies: [{ status: 200, description: 'Changed.', content: plan }],
    problems: ['rate_limited', 'not_found', 'validation_failed', 'unknown_field'],
  },
];

export const planSchemas: Readonly<Record<string, JsonSchema>> = {
  OrgPlan: objectOf({ org: text, name: text, limits: schemaReference('PlanLimits'), updated_at: orNull(time) }),
};

const byEntity: JsonSchema = { type: 'object', additionalProperties: count };
const records = objectOf({ total: count, by_entity: byEntity });
const usage = {
  api_calls: objectOf({
    today: count,
    month: count,
    by_day: arrayOf(objectOf({ date: day, calls: count, records_added: integer })),
  }),
  records,
};

const shownCap = { limit: orNull(count), test: count, prod: orNull(count) };
const workspacePolicies = arrayOf(objectOf({ env, tenant_code: text, used: count }));

export const usageSchemas: Readonly<Record<string, JsonSchema>> = {
  PlanLimits: objectOf(Object.fromEntries(limitNames.map((name) => [name, count])), limitNames),
  Usage: objectOf(usage),
  WorkspaceUsage: objectOf({
    env,
    tenant_code: { ...orNull(text), description: 'Null for calls that are in no workspace, such as signing in.' },
    api_calls: objectOf({ today: count, month: count }),
    records,
  }),
  UsagePart: objectOf({
    metric: { ...text, enum: exportedMetrics },
    env,
    date: { ...orNull(day), description: 'Null for records, which are told as they are by now.' },
    tenant_code: { ...orNull(text), description: 'Null for calls that are in no workspace, such as signing in.' },
    entity: { ...orNull(text), description: 'Null for calls.' },
    value: count,
  }),
  Observability: objectOf(
    {
      org: text,
      plan: objectOf({
        name: text,
        limits: schemaReference('PlanLimits'),
        updated_at: orNull(time),
        upgrade_url: { ...text, format: 'uri' },
      }),
      usage: objectOf({ ...usage, by_workspace: arrayOf(schemaReference('WorkspaceUsage')) }),
      environments: objectOf({ test: schemaReference('Usage'), prod: orNull(schemaReference('Usage')) }),
      flags: objectOf({
        apiLimitExceeded: { type: 'boolean' },
        dailyLimitExceeded: { type: 'boolean' },
        recordLimitExceeded: { type: 'boolean' },
      }),
      alerts: arrayOf(
        objectOf({
          metric,
          percent: { type: 'integer', enum: [80, 95, 100] },
          used: count,
          limit: count,
          level: { ...text, enum: ['info', 'warning', 'critical'] },
          since: { ...orNull(time), description: 'When it was told in the audit log.' },
          resets_at: orNull(time),
          message: text,
        }),
      ),
      forecast: objectOf(Object.fromEntries(metrics.map((name) => [name, orNull(day)]))),
      caps: {
        ...objectOf({
          ...Object.fromEntries(caps.map((name) => [name, objectOf(shownCap)])),
          policies: objectOf({ ...shownCap, workspaces: workspacePolicies }),
        }),
        description: 'What there is of each, and the limit of each environment: of policies that of each workspace.',
      },
      resets_at: { ...time, description: 'When the call flags that stand are gone at last.' },
      windows: objectOf({ day: time, month: time }),
      explain: objectOf({
        figure: text,
        value: integer,
        parts: arrayOf(
          objectOf({ env, date: day, tenant_code: orNull(text), entity: text, value: integer }, ['date', 'entity']),
        ),
        others: {
          ...objectOf({ count, value: integer }),
          description: 'Of more than 1,000 parts the largest are told, and here what the others come to.',
        },
      }),
    },
    ['explain'],
  ),
};
