import type { AuditLog } from '../../../audit/audit-log.ts';
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
      handle: async ({ query }, { org }) => {
        const { env, actor, action, pagesize, nexttoken } = readParameters(query, [], parameters);
        const page = await audit.read(org.code, {
          pageSize: readPageSize(pagesize),
          nexttoken,
          env: query.has('env') ? env : undefined,
          actor,
          action,
        });
        return json(200, page);
      },
    },
  ];
}

const parameters = ['actor', 'action', 'pagesize', 'nexttoken'] as const;
