/** A thread that reads one item again and again, and says what it found. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../lib/clock.ts';
import { attachSqlite } from '../open-sqlite.ts';

const { store } = attachSqlite({ path: String(workerData), clock: systemClock });
const scope = store.scope('a-1');
for (;;) {
  const [item] = await scope.get([{ pk: 'p', sk: 'x' }]);
  parentPort?.postMessage(Number(item?.value));
  await nextTurn();
}
