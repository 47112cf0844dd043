import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../../../lib/clock.ts';
import type { OpenedSubject, Subject } from '../../testing/conformance/bench.ts';
import { withNeighbour } from '../../testing/conformance/neighbour.ts';
import { storeConformance } from '../../testing/conformance/run-conformance.ts';
import { attachSqlite, openSharedSqlite } from '../open-sqlite.ts';
import { failOnFatal, temporaryDirectory } from '../testing/temporary-store.ts';

/** What a thread has that did not open the store itself. What only the opener may do goes to the opener. */
const attachedSubject: Subject = {
  isDurable: true,
  open: async (clock): Promise<OpenedSubject> => {
    const directory = temporaryDirectory();
    const open = async () => {
      const host = await openSharedSqlite({ path: directory.storePath, clock, onFatal: failOnFatal });
      const { store, maintenance } = attachSqlite(host.attachment(), { clock });
      const close = async () => {
        await store.close();
        await host.store.close();
      };
      const { setDataVersion } = host.maintenance;
      return { store: { ...store, close }, maintenance: { ...maintenance, setDataVersion } };
    };
    let opened = await open();
    return {
      opened,
      reopen: async () => {
        await opened.store.close();
        opened = await open();
        return opened;
      },
      dispose: async () => {
        await opened.store.close();
        directory[Symbol.dispose]();
      },
    };
  },
};

storeConformance('an attached SQLite', attachedSubject);
storeConformance('an attached SQLite, next door to another scope', withNeighbour(attachedSubject));

const key = { pk: 'p', sk: 'x' };

test('a commit of one thread is read by another as soon as it is answered, however often both have read before', async () => {
  using directory = temporaryDirectory();
  const host = await openSharedSqlite({ path: directory.storePath, clock: systemClock, onFatal: failOnFatal });
  const threads = [1, 2].map(() => attachSqlite(host.attachment(), { clock: systemClock }));
  const scopes = threads.map(({ store }) => store.scope('a-1'));
  for (let turn = 0; turn < 50; turn++) {
    await scopes[turn % 2]?.commit([{ kind: 'put', ...key, value: String(turn), if: 'any' }]);
    for (const scope of scopes) assert.equal((await scope.get([key]))[0]?.value, String(turn));
  }
  for (const { store } of threads) await store.close();
  await host.store.close();
});

test('a thread that is killed while it commits costs the others nothing, and what it was answered stands', async () => {
  using directory = temporaryDirectory();
  const host = await openSharedSqlite({ path: directory.storePath, clock: systemClock, onFatal: failOnFatal });
  const attachment = host.attachment();
  const worker = new Worker(new URL('../testing/committing-thread.ts', import.meta.url), {
    workerData: attachment,
    transferList: [attachment.commits],
  });
  let answered = 0;
  worker.on('message', (count: number) => {
    answered = count;
  });
  while (answered < 20) await once(worker, 'message');
  await worker.terminate();
  const other = attachSqlite(host.attachment(), { clock: systemClock });
  const scope = other.store.scope('a-1');
  const written = await scope.count('written', {}, 100_000);
  assert.ok(written >= answered, `${answered} were answered, ${written} are there`);
  await scope.commit([{ kind: 'put', ...key, value: 'on', if: 'any' }]);
  assert.equal((await scope.get([key]))[0]?.value, 'on');
  await other.store.close();
  await host.store.close();
});
