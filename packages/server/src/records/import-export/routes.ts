import { recordRoutes as described } from '@freehold/contract/app/records';
import {
  csvType,
  fileReply,
  jsonlType,
  jsonlTypes,
  preferredType,
  readFileFormat,
} from '../../api/headers/file-format.ts';
import { json, type Reply } from '../../api/reply.ts';
import type { GatewayRequest } from '../../api/request.ts';
import type { RoutesOfModule, ServedRoute } from '../../api/route.ts';
import type { ConfigReaders } from '../../config/port.ts';
import { invalidInput, Problem } from '../../lib/problem.ts';
import { refuseParameters } from '../../lib/query-string.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { withPlainNames } from '../listing/list-parameters.ts';
import { scopeToCaller } from '../listing/list-scope.ts';
import { presentationOf } from '../present-records.ts';
import { bothPolicies } from '../record-policy.ts';
import type { RecordRuntime } from '../record-runtime.ts';
import { assertNotDenied } from '../writing/record-checks.ts';
import { exportRecords } from './export-records.ts';
import { type Import, importRecords } from './import-records.ts';

/** The routes that take and give an entity's records as a file. */
interface TransferDeps {
  readonly runtime: RecordRuntime;
  readonly configs: ConfigReaders;
}

export const transfer = {
  open: (deps: TransferDeps): { readonly routes: RoutesOfModule } => ({ routes: { app: fileRoutes(deps) } }),
};

function fileRoutes(services: TransferDeps): readonly ServedRoute<'create' | 'list'>[] {
  return [
    {
      ...described.import,
      isGated: true,
      takesBody: { streamOf: [csvType, ...jsonlTypes] },
      handle: (request, call) => importFile(services, request, call),
    },
    {
      ...described.export,
      handle: (request, call) => exportFile(services, request, call),
    },
  ];
}

async function importFile(
  { runtime, configs }: TransferDeps,
  request: GatewayRequest,
  call: AuthorizedCall,
): Promise<Reply> {
  const { stream, query, head } = request;
  if (stream === undefined) throw new TypeError('the route takes a stream');
  if (head.headers['idempotency-key'] !== undefined) throw new Problem('invalid_request', repeatedByUpsert);
  refuseParameters(query, ['dry_run', 'upsert']);
  // A row is a create like any other: what denies the one denies the other.
  assertNotDenied(call.access.rows({ verb: 'create', entity: call.entity }));
  const run = importRecords(runtime.bulk, call, {
    format: stream.mediaType === csvType ? 'csv' : 'jsonl',
    bytes: stream.bytes,
    upsert: query.get('upsert'),
    isDry: readDryRun(query.get('dry_run')),
    configs: configs[call.workspace.env],
  });
  if (isJsonl(preferredType(head, ['application/json', ...jsonlTypes])))
    return { status: 200, stream: progressLines(run), contentType: jsonlType };
  let step = await run.next();
  while (step.done !== true) step = await run.next();
  return json(200, step.value);
}

const repeatedByUpsert =
  'an import takes no `Idempotency-Key`: send it with `upsert=<a unique index>`, and it can be repeated';

function readDryRun(text: string | undefined): boolean {
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  const message = '`dry_run` must be `true` or `false`';
  throw invalidInput('invalid_request', [{ pointer: '/dry_run', code: 'wrong_type', message }]);
}

function isJsonl(type: string | undefined): boolean {
  return jsonlTypes.some((known) => known === type);
}

async function* progressLines(run: Import): AsyncGenerator<string> {
  let step = await run.next();
  while (step.done !== true) {
    yield `${JSON.stringify({ progress: step.value })}\n`;
    step = await run.next();
  }
  yield `${JSON.stringify({ result: step.value })}\n`;
}

async function exportFile(
  { runtime, configs }: TransferDeps,
  { query, head }: GatewayRequest,
  exported: AuthorizedCall,
): Promise<Reply> {
  // An export is a list without pages: what denies the one denies the other.
  const listed = exported.access.rows({ verb: 'list', entity: exported.entity });
  const call: AuthorizedCall = { ...exported, rows: assertNotDenied(bothPolicies(exported.rows, listed)) };
  const format = readFileFormat(query.get('format'), head);
  const listQuery = scopeToCaller(call, await runtime.query(call, exportParameters(call, query), 'export'));
  const presentation = presentationOf(call, 'list', listQuery);
  const own = configs[call.workspace.env];
  const stream = exportRecords(call, { format, query: listQuery, presentation, configs: own });
  return fileReply(call.entity.name, format, stream);
}

/** A list without pages. */
function exportParameters({ entity }: AuthorizedCall, query: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const parameters = new Map(withPlainNames(query, entity));
  parameters.delete('format');
  const errors = ['pagesize', 'nexttoken']
    .filter((name) => parameters.has(name))
    .map((name) => ({
      pointer: `/${name}`,
      code: 'unknown_parameter',
      message: `an export has no pages: leave \`${name}\` out`,
    }));
  if (errors.length > 0) throw invalidInput('invalid_request', errors);
  return parameters;
}
