import { backupsApi } from '@freehold/contract/management/operator/backups';
import { json, type Reply } from '../api/reply.ts';
import type { AnyRoute } from '../api/route.ts';
import { serve, serveReply } from '../api/serve.ts';
import type { OperatorLog } from '../audit/operator-log.ts';
import type { Backups } from './backups.ts';

export interface BackupRouteDeps {
  readonly backups: Backups;
  readonly operatorLog: OperatorLog;
}

/** Backups of the platform as a whole, for the operator. */
export function backupRoutes({ backups, operatorLog }: BackupRouteDeps): readonly AnyRoute[] {
  const recorded =
    ({ requestId, action }: { readonly requestId: string; readonly action: string }) =>
    (name: string) =>
      operatorLog.record(requestId, { action, target: { kind: 'backup', id: name } });
  return [
    serve(backupsApi.listBackups, ({ query }) => backups.list(query)),
    serveReply(backupsApi.makeBackup, async ({ requestId }) =>
      json(202, await backups.begin(recorded({ requestId, action: 'backup.begun' }))),
    ),
    serveReply(backupsApi.downloadBackup, async ({ params: { name }, requestId, head }): Promise<Reply> => {
      // The head alone is no download.
      const record =
        head.method === 'HEAD' ? async () => undefined : recorded({ requestId, action: 'backup.downloaded' });
      const { bytes, stream } = await backups.download(name, record);
      return {
        status: 200,
        stream,
        contentType: 'application/x-tar',
        headers: { 'Content-Length': String(bytes), 'Content-Disposition': `attachment; filename="${name}"` },
      };
    }),
    serveReply(backupsApi.testBackup, async ({ params: { name }, requestId }) =>
      json(202, await backups.test(name, recorded({ requestId, action: 'backup.test_begun' }))),
    ),
    serve(backupsApi.removeBackup, ({ params: { name }, requestId }) =>
      backups.remove(name, recorded({ requestId, action: 'backup.removed' })),
    ),
  ];
}
