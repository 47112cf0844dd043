/** A thread that writes one item after the other, and says how many were answered. */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../lib/clock.ts';
import type { StoreAttachment } from '../../attached-store.ts';
import { attachSqlite } from '../open-sqlite.ts';

const { store } = attachSqlite(workerData as StoreAttachment, { clock: systemClock });
const scope = store.scope('a-1');
for (let count = 1; ; count++) {
  await scope.commit([{ kind: 'put', pk: 'written', sk: String(count), value: '', if: 'absent' }]);
  parentPort?.postMessage(count);
}
