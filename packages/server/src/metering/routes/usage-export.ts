import { usageApi } from '@freehold/contract/management/usage';
import { type FileFormat, fileReply, readFileFormat } from '../../api/headers/file-format.ts';
import type { AnyRoute } from '../../api/route.ts';
import { type Received, serveReply } from '../../api/serve.ts';
import { csvLine } from '../../lib/formats/csv-line.ts';
import { invalidInput } from '../../lib/problem.ts';
import { type Day, firstOfMonth } from '../calendar.ts';
import type { UsageEntry } from '../usage-export.ts';
import type { MeteringRouteDeps } from './deps.ts';

/** What an org uses, in all its parts, as a file. */
export function usageExportRoutes({ metering }: MeteringRouteDeps): readonly AnyRoute[] {
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
