import { personJobsApi } from '@freehold/contract/management/people/person-jobs';
import { fileReply } from '../../api/headers/file-format.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve, serveReply } from '../../api/serve.ts';
import type { IdentityRouteDeps } from './deps.ts';

/** All that an org has of one of its app's users. People are no configuration, so production's are here too. */
export function personalDataRoutes({ personalData }: IdentityRouteDeps): readonly AnyRoute[] {
  return [
    serve(personJobsApi.eraseAppUser, (request, caller) => {
      const { params, query, body } = request;
      const { env, records, confirm } = body;
      const auditContext = caller.command.auditContext;
      const command = { env, orgCode: caller.org.code, id: params.id, auditContext };
      return personalData.erase(command, { dryRun: query.dry_run, records, confirm });
    }),
    serve(personJobsApi.mergeAppUser, (request, caller) => {
      const { params, query, body } = request;
      const { env, into, seen } = body;
      const auditContext = caller.command.auditContext;
      const command = { env, orgCode: caller.org.code, id: params.id, auditContext };
      return personalData.merge(command, { dryRun: query.dry_run, into, seen });
    }),
    serve(personJobsApi.exportAppUser, (request, caller) => {
      const auditContext = caller.command.auditContext;
      const { env } = request.body;
      return personalData.export({ env, orgCode: caller.org.code, id: request.params.id, auditContext });
    }),
    serve(personJobsApi.listPersonJobs, ({ query }, { org }) => {
      const { env, user_id: userId, pagesize: pageSize, nexttoken } = query;
      return personalData.list(org.code, { env, userId, pageSize, nexttoken });
    }),
    serve(personJobsApi.readPersonJob, ({ params, query }, { org }) =>
      personalData.show(org.code, query.env, params.id),
    ),
    serveReply(personJobsApi.readPersonFile, async (request, caller) => {
      const auditContext = caller.command.auditContext;
      const { id } = request.params;
      const command = { env: request.query.env, orgCode: caller.org.code, id, auditContext };
      // The head alone is no download.
      const isDownload = request.head.method !== 'HEAD';
      return fileReply(`person-${id}`, 'jsonl', await personalData.file(command, isDownload));
    }),
  ];
}
