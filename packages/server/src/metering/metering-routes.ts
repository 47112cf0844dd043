import { usageApi } from '@freehold/contract/management/usage';
import type { InputError } from '@freehold/contract/problem';
import { type ConsoleSite, siteUrl } from '../api/headers/console-cookie.ts';
import { type FileFormat, fileReply, readFileFormat } from '../api/headers/file-format.ts';
import type { AnyRoute, RoutesOfModule } from '../api/route.ts';
import { type Received, serve, serveReply } from '../api/serve.ts';
import { csvLine } from '../lib/formats/csv-line.ts';
import { invalidInput } from '../lib/problem.ts';
import type { Metering } from './metering.ts';
import type { UsageEntry } from './usage-export.ts';
import { type Day, firstOfMonth } from './usage-rows.ts';

export function meteringRoutes(deps: MeteringRouteDeps): RoutesOfModule {
  return { management: [...observabilityRoutes(deps), ...usageExportRoutes(deps), ...planRoutes(deps)] };
}

export interface MeteringRouteDeps {
  readonly metering: Pick<Metering, 'report' | 'plans' | 'caps' | 'alertPercents' | 'parts' | 'today'>;
  readonly site: ConsoleSite;
  /** The page where an org gets more. @param base the address of this gateway. */
  readonly upgradeUrl: (base: string) => string;
}

/** Routes for the operator: the plans and limits of orgs. */
function planRoutes({ metering }: MeteringRouteDeps): readonly AnyRoute[] {
  return [
    serve(usageApi.showPlan, async ({ params: { org = '' } }) => {
      return { org, ...(await metering.plans.show(org)) };
    }),
    serve(usageApi.changePlan, async ({ params: { org = '' }, body }, { auditContext }) => {
      return { org, ...(await metering.plans.set(org, body, auditContext)) };
    }),
  ];
}

/** The usage of an org against its plan. */
function observabilityRoutes(services: MeteringRouteDeps): readonly AnyRoute[] {
  const { metering, site, upgradeUrl } = services;
  return [
    serve(usageApi.showUsage, async ({ query, head }, { org }) => {
      const report = await metering.report({
        orgCode: org.code,
        hasProd: org.environments.prod !== null,
        days: query.days,
        explain: query.explain,
        upgradeUrl: upgradeUrl(siteUrl(site, head)),
      });
      const hasProd = org.environments.prod !== null;
      const [caps, alert_percents] = await Promise.all([
        metering.caps.show(org.code, { hasProd }),
        metering.alertPercents.of(org.code),
      ]);
      return { ...report, caps, alert_percents };
    }),
    serve(
      usageApi.changeAlertPercents,
      async (request, caller) => {
        const auditContext = caller.command.auditContext;
        return { percents: await metering.alertPercents.set(caller.org.code, request.body.percents, auditContext) };
      },
      { mistakes: percentMistakes },
    ),
  ];
}

/** A limit that is reached stops writes, of which an org is always notified. */
function percentMistakes(body: unknown): readonly InputError[] {
  const { percents } = (body ?? {}) as { readonly percents?: unknown };
  if (!Array.isArray(percents)) return [];
  const problem = (code: string, message: string): InputError => ({ pointer: '/percents', code, message });
  return [
    ...(percents.includes(100) ? [] : [problem('required', 'must contain 100: a limit that is reached stops writes')]),
    ...(new Set(percents).size === percents.length ? [] : [problem('duplicate', 'must contain each number once')]),
  ];
}

/** The usage of an org in all its parts, as a file. */
function usageExportRoutes({ metering }: MeteringRouteDeps): readonly AnyRoute[] {
  return [
    serveReply(usageApi.exportUsage, ({ query, head }, { org }) => {
      const format = readFileFormat(query.format, head);
      const { metric } = query;
      const days = readDays(query, metering.today());
      return fileReply('usage', format, textOf(format, metering.parts({ orgCode: org.code, metric, ...days })));
    }),
  ];
}

function readDays(
  query: Received<typeof usageApi.exportUsage>['query'],
  today: Day,
): { readonly from: Day; readonly to: Day } {
  const days = { from: query.from ?? firstOfMonth(today), to: query.to ?? today };
  if (days.from <= days.to) return days;
  const message = '`from` must not come after `to`';
  throw invalidInput('invalid_request', [{ pointer: '/from', code: 'wrong_type', message }]);
}

const columns = [
  'metric',
  'env',
  'date',
  'tenant_code',
  'entity',
  'value',
] as const satisfies readonly (keyof UsageEntry)[];

async function* textOf(format: FileFormat, entries: AsyncIterable<readonly UsageEntry[]>): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(columns);
  for await (const some of entries) yield some.map((one) => lineOf(format, one)).join('');
}

/** No cell can begin a formula: codes, names and days begin with a letter or a digit, and no count is negative. */
function lineOf(format: FileFormat, entry: UsageEntry): string {
  return format === 'csv' ? csvLine(columns.map((name) => String(entry[name] ?? ''))) : `${JSON.stringify(entry)}\n`;
}
