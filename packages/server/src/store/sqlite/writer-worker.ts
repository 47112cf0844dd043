/** The writer's thread: one message in and one out for every group. */
import { parentPort, workerData } from 'node:worker_threads';
import type { GroupMember } from '../committing/apply-group.ts';
import { openConnection, tidyMilliseconds } from './connection.ts';
import { type GroupAnswer, SqliteWriter } from './writer.ts';

export type WorkerRequest = { readonly members: readonly GroupMember[]; readonly now: number } | 'close';
export type WorkerAnswer = 'ready' | GroupAnswer;

/** What the thread is begun with. */
export interface WriterWorkerOptions {
  readonly path: string;
  readonly cacheKibibytes: number;
}

function serve({ path, cacheKibibytes }: WriterWorkerOptions): void {
  const port = parentPort;
  if (port === null) throw new Error('the writer runs in a worker thread only');
  const answer = (message: WorkerAnswer) => port.postMessage(message);
  const database = openConnection(path, { readOnly: false, cacheKibibytes });
  const writer = new SqliteWriter(database);
  let tidying: NodeJS.Timeout | undefined;
  const tidyLater = (): void => {
    tidying ??= setTimeout(() => {
      tidying = undefined;
      if (!writer.tidy()) tidyLater();
    }, tidyMilliseconds);
  };
  port.on('message', (request: WorkerRequest) => {
    if (request === 'close') {
      clearTimeout(tidying);
      // The last connection to close writes the log back into the file; the reader has closed before.
      database.close();
      port.close();
      return;
    }
    const outcome = writer.run(request.members, request.now);
    answer(outcome);
    // A writer that failed leaves the file alone, and dies of nothing else before its answer has arrived.
    if ('verdicts' in outcome) {
      writer.checkpointIfDue();
      tidyLater();
    } else if (outcome.failure.isFatal) clearTimeout(tidying);
  });
  answer('ready');
}

serve(workerData as WriterWorkerOptions);
