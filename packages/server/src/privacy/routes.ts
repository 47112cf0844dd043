import { personJobsApi } from '@freehold/contract/management/people/person-jobs';
import { fileReply } from '../api/headers/file-format.ts';
import type { AnyRoute } from '../api/route.ts';
import { serve, serveReply } from '../api/serve.ts';
import type { createPersonalData } from './personal-data.ts';

/** All that an org has of one of its app's users. People are no configuration, so production's are here too. */
export function personalDataRoutes(personalData: ReturnType<typeof createPersonalData>): readonly AnyRoute[] {
  return [
    serve(personJobsApi.eraseAppUser, ({ params: { id }, query, body: { env, records, confirm } }, { command }) =>
      personalData.erase({ ...command, env, id }, { dryRun: query.dry_run, records, confirm }),
    ),
    serve(personJobsApi.mergeAppUser, ({ params: { id }, query, body: { env, into, seen } }, { command }) =>
      personalData.merge({ ...command, env, id }, { dryRun: query.dry_run, into, seen }),
    ),
    serve(personJobsApi.exportAppUser, ({ params: { id }, body: { env } }, { command }) =>
      personalData.export({ ...command, env, id }),
    ),
    serve(personJobsApi.listPersonJobs, ({ query }, { org }) => {
      const { env, user_id: userId, pagesize: pageSize, nexttoken } = query;
      return personalData.list(org.code, { env, userId, pageSize, nexttoken });
    }),
    serve(personJobsApi.readPersonJob, ({ params, query }, { org }) =>
      personalData.show(org.code, query.env, params.id),
    ),
    serveReply(personJobsApi.readPersonFile, async ({ head, params: { id }, query: { env } }, { command }) => {
      // The head alone is no download.
      const isDownload = head.method !== 'HEAD';
      return fileReply(`person-${id}`, 'jsonl', await personalData.file({ ...command, env, id }, isDownload));
    }),
  ];
}
