import { auditApi } from '@freehold/contract/management/audit';
import { type FileFormat, fileReply, readFileFormat } from '../api/headers/file-format.ts';
import type { AnyRoute } from '../api/route.ts';
import { type Received, serve, serveReply } from '../api/serve.ts';
import { timestamp } from '../lib/clock.ts';
import { csvLine } from '../lib/formats/csv-line.ts';
import { Problem } from '../lib/problem.ts';
import { type AuditEntry, platformActor } from './audit-entry.ts';
import type { AuditFilter, AuditLog, AuditQuery, AuditSlice } from './audit-log.ts';
import type { VerifiedChains } from './verified-chains.ts';

interface AuditRouteDeps {
  readonly audit: AuditLog;
  readonly auditChains: VerifiedChains;
}

/** The audit log. An admin reads it, because it shows what people with many rights did with them. */
export function auditRoutes({ audit, auditChains }: AuditRouteDeps): readonly AnyRoute[] {
  return [
    serve(auditApi.listAuditEntries, ({ query }, { org }) => audit.read(org.code, readAuditQuery(query))),
    serveReply(auditApi.exportAuditEntries, ({ query, head, requestId }, { org }) => {
      const format = readFileFormat(query.format, head);
      const slices = audit.readOn(org.code, { nexttoken: query.nexttoken, filter: readFilter(query) });
      return fileReply('audit', format, textOf(format, entriesOf(slices, requestId)));
    }),
    serve(auditApi.listAuditChains, async ({ query }, { org }) => {
      return { items: await auditChains.show(org.code, query.tenant_code) };
    }),
    serve(auditApi.verifyAuditChains, async ({ body }, { org }) => {
      const { tenant_code, restart = false } = body;
      return { items: await auditChains.verify(org.code, { tenantCode: tenant_code, restart }) };
    }),
    serve(auditApi.listOperatorAuditEntries, ({ query }) => audit.readOperator(readAuditQuery(query))),
  ];
}

type EntriesQuery = Received<typeof auditApi.listAuditEntries>['query'];

const codeForm = /^[a-z0-9-]{1,63}$/;

/** @throws Problem `invalid_request`. */
function readAuditQuery(query: EntriesQuery): AuditQuery {
  return { pageSize: query.pagesize, nexttoken: query.nexttoken, filter: readFilter(query) };
}

/** @throws Problem `invalid_request`. */
function readFilter(query: Omit<EntriesQuery, 'pagesize' | 'nexttoken'>): AuditFilter {
  const { env, actor, action, target, tenant_code, request_id: requestId, from, to } = query;
  const times = { from: startOf(from), to: startOf(to) };
  return { env, actor, action, target, tenantCode: readCode(tenant_code), requestId, ...times };
}

/** @throws Problem `invalid_request`. */
function readCode(code: string | undefined): string | undefined {
  if (code === undefined || codeForm.test(code)) return code;
  throw new Problem('invalid_request', '`tenant_code` must be the code of a workspace');
}

/** In the form that entries have, which is in the order of the times: a day counts from its beginning. */
function startOf(query: string | undefined): string | undefined {
  return query === undefined ? undefined : timestamp(Date.parse(query));
}

/** If the file ends before the log does, its last entry says how to go on. */
async function* entriesOf(
  slices: AsyncIterable<AuditSlice>,
  request_id: string,
): AsyncGenerator<readonly AuditEntry[]> {
  let at = '';
  for await (const { items, nexttoken } of slices) {
    at = items.at(-1)?.at ?? at;
    yield items;
    if (nexttoken === null) continue;
    yield [{ at, actor: platformActor, request_id, action: 'audit.export_continues', detail: { nexttoken } }];
  }
}

const columns = [
  'at',
  'actor_kind',
  'actor_id',
  'action',
  'target_kind',
  'target_id',
  'target_name',
  'env',
  'tenant_code',
  'request_id',
  'detail',
] as const;

async function* textOf(format: FileFormat, entries: AsyncIterable<readonly AuditEntry[]>): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(columns);
  for await (const some of entries)
    yield some.map((entry) => (format === 'csv' ? csvLineOf(entry) : `${JSON.stringify(entry)}\n`)).join('');
}

function csvLineOf({ at, actor, action, target, env, tenant_code, request_id, detail }: AuditEntry): string {
  const cells = {
    at,
    actor_kind: actor.kind,
    actor_id: actor.id,
    action,
    target_kind: target?.kind,
    target_id: target?.id,
    target_name: target?.name,
    env,
    tenant_code,
    request_id,
    detail: detail === undefined ? undefined : JSON.stringify(detail),
  } satisfies Record<(typeof columns)[number], string | undefined>;
  return csvLine(columns.map((name) => noFormula(cells[name] ?? '')));
}

/** Names are chosen by builders, and ids of requests by callers: a spreadsheet must not take one for a formula. */
function noFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
