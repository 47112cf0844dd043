import type { AuditFilter, AuditLog, AuditQuery } from '../../../audit/audit-log.ts';
import { timestamp } from '../../../lib/clock.ts';
import { Problem } from '../../../lib/problem.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { readParameters } from '../../pipeline/management-query.ts';
import { readPageSize } from '../../pipeline/page-size.ts';
import { json } from '../../reply.ts';

/** Who changed what. Who can do much sees what others did with it, so an admin reads it. */
export function auditRoutes(audit: AuditLog): readonly ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/audit',
      access: 'org_admin',
      handle: async ({ query }, { org }) => json(200, await audit.read(org.code, readAuditQuery(query))),
    },
    {
      method: 'GET',
      path: '/platform/audit',
      access: 'operator',
      handle: async ({ query }) => json(200, await audit.readOperator(readAuditQuery(query))),
    },
  ];
}

const texts = ['actor', 'action', 'target', 'tenant_code', 'request_id'] as const;
const times = ['from', 'to'] as const;
const codeForm = /^[a-z0-9-]{1,63}$/;

/** @throws Problem `invalid_request`. */
function readAuditQuery(query: ReadonlyMap<string, string>): AuditQuery {
  const read = readParameters(query, [], [...texts, ...times, 'pagesize', 'nexttoken']);
  const { actor, action, target, tenant_code: tenantCode, request_id: requestId, from, to } = read;
  if (tenantCode !== undefined && !codeForm.test(tenantCode))
    throw new Problem('invalid_request', '`tenant_code` must be the code of a workspace');
  const asked = { actor, action, target, tenantCode, requestId };
  const filter: AuditFilter = { env: query.has('env') ? read.env : undefined, ...asked, ...readTimes({ from, to }) };
  return { pageSize: readPageSize(read.pagesize), nexttoken: read.nexttoken, filter };
}

type Times = Pick<AuditFilter, (typeof times)[number]>;

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
