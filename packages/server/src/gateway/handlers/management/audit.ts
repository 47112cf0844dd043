import { auditApi } from '@freehold/contract/management/audit';
import type { AuditFilter, AuditLog, AuditQuery } from '../../../audit/audit-log.ts';
import { timestamp } from '../../../lib/clock.ts';
import { Problem } from '../../../lib/problem.ts';
import type { ManagementRoute } from '../../routing/management-route.ts';
import { type Received, serve } from '../../serve.ts';

/** Who changed what. Who can do much sees what others did with it, so an admin reads it. */
export function auditRoutes(audit: AuditLog): readonly ManagementRoute[] {
  return [
    serve(auditApi.listAuditEntries, ({ query }, { org }) => audit.read(org.code, readAuditQuery(query))),
    serve(auditApi.listOperatorAuditEntries, ({ query }) => audit.readOperator(readAuditQuery(query))),
  ];
}

type SentQuery = Received<typeof auditApi.listAuditEntries>['query'];

const codeForm = /^[a-z0-9-]{1,63}$/;

/** @throws Problem `invalid_request`. */
function readAuditQuery(query: SentQuery): AuditQuery {
  const { env, actor, action, target, tenant_code: tenantCode, request_id: requestId, from, to } = query;
  if (tenantCode !== undefined && !codeForm.test(tenantCode))
    throw new Problem('invalid_request', '`tenant_code` must be the code of a workspace');
  const filter: AuditFilter = { env, actor, action, target, tenantCode, requestId, ...readTimes({ from, to }) };
  return { pageSize: query.pagesize, nexttoken: query.nexttoken, filter };
}

type Times = Pick<AuditFilter, 'from' | 'to'>;

function readTimes({ from, to }: Times): Times {
  return { from: readTime('from', from), to: readTime('to', to) };
}

const timeForm = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,3})?(Z|[+-]\d{2}:\d{2}))?$/;

/** In the form that entries have it, which is in the order of the times. */
function readTime(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const time = timeForm.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time))
    throw new Problem('invalid_request', `\`${name}\` must be a time with its zone, or a day in UTC`);
  return timestamp(time);
}
