import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../../lib/clock.ts';
import { type OpenedStore, Unavailable } from '../port.ts';
import type { OpenedSubject, Subject } from '../testing/conformance/bench.ts';
import { withNeighbour } from '../testing/conformance/neighbour.ts';
import { storeConformance } from '../testing/conformance/run-conformance.ts';
import { attachSqlite, openSqlite } from './open-sqlite.ts';
import { failOnFatal, temporaryDirectory } from './testing/temporary-store.ts';

/** Reads of one store, writes of the other. */
function readBy({ store, maintenance }: OpenedStore, writing: OpenedStore): OpenedStore {
  const { setState, load, setDataVersion } = writing.maintenance;
  return {
    store: {
      ...store,
      scope: (name) => ({ ...store.scope(name), commit: writing.store.scope(name).commit }),
      close: async () => {
        await store.close();
        await writing.store.close();
      },
    },
    maintenance: { ...maintenance, setState, load, setDataVersion },
  };
}

const attachedSubject: Subject = {
  isDurable: true,
  open: async (clock): Promise<OpenedSubject> => {
    const directory = temporaryDirectory();
    const path = directory.storePath;
    const open = async () => {
      const writing = await openSqlite({ path, clock, onFatal: failOnFatal });
      return readBy(attachSqlite({ path, clock }), writing);
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

test('a commit is read by all that are attached as soon as it is answered, however often they have read before', async () => {
  using directory = temporaryDirectory();
  const path = directory.storePath;
  const { store } = await openSqlite({ path, clock: systemClock, onFatal: failOnFatal });
  const attached = [1, 2].map(() => attachSqlite({ path, clock: systemClock }).store);
  for (let turn = 0; turn < 50; turn++) {
    await store.scope('a-1').commit([{ kind: 'put', ...key, value: String(turn), if: 'any' }]);
    for (const one of attached) assert.equal((await one.scope('a-1').get([key]))[0]?.value, String(turn));
  }
  for (const one of [...attached, store]) await one.close();
});

test('a store that is attached takes no commits, and the one that it reads beside goes on', async () => {
  using directory = temporaryDirectory();
  const path = directory.storePath;
  const { store } = await openSqlite({ path, clock: systemClock, onFatal: failOnFatal });
  const attached = attachSqlite({ path, clock: systemClock });
  const put = { kind: 'put', ...key, value: 'a', if: 'any' } as const;
  await assert.rejects(attached.store.scope('a-1').commit([put]), Unavailable);
  await assert.rejects(attached.maintenance.setState('a-1', 'closed'), Unavailable);
  await assert.rejects(attached.maintenance.setDataVersion(1), TypeError);
  await store.scope('a-1').commit([put]);
  assert.equal((await attached.store.scope('a-1').get([key]))[0]?.value, 'a');
  await attached.store.close();
  assert.equal((await store.health()).ok, true);
  await store.close();
});

test('a thread that reads is killed without a trace in the store that it reads', async () => {
  using directory = temporaryDirectory();
  const path = directory.storePath;
  const { store } = await openSqlite({ path, clock: systemClock, onFatal: failOnFatal });
  const scope = store.scope('a-1');
  await scope.commit([{ kind: 'put', ...key, value: '0', if: 'any' }]);
  const thread = new Worker(new URL('./testing/reading-thread.ts', import.meta.url), { workerData: path });
  let read = 0;
  thread.on('message', (value: number) => {
    read = value;
  });
  await once(thread, 'message');
  for (let written = 1; read < 20; written++)
    await scope.commit([{ kind: 'put', ...key, value: String(written), if: 'any' }]);
  await thread.terminate();
  await scope.commit([{ kind: 'put', ...key, value: 'on', if: 'any' }]);
  assert.equal((await scope.get([key]))[0]?.value, 'on');
  assert.equal((await store.health()).ok, true);
  await store.close();
});
