/**
 * The store for tests that hold on every adapter: in memory and in a file, or, where the environment names a PostgreSQL
 * server for tests, there. Only tests may use it.
 */
import type { TestContext } from 'node:test';
import type { Clock } from '../../lib/clock.ts';
import type { OpenedStore, Scope } from '../port.ts';
import { openPostgres } from '../postgres/open-postgres.ts';
import { startTestServer } from '../postgres/testing/test-server.ts';
import { openSqlite } from '../sqlite/open-sqlite.ts';
import { failOnFatal, temporaryDirectory } from '../sqlite/testing/temporary-store.ts';
import { openMemory } from './open-memory.ts';
import { isQuick, thinned } from './quick.ts';

export type StoreKind = 'memory' | 'sqlite' | 'postgres';

export const storeKinds: readonly StoreKind[] =
  process.env.FREEHOLD_TEST_POSTGRES === undefined ? ['memory', 'sqlite'] : ['postgres'];

/** Those that a race is run on: in the quick gate the first. */
export const raceKinds: readonly StoreKind[] = isQuick ? storeKinds.slice(0, 1) : storeKinds;

const requestedRounds = process.env.FREEHOLD_TEST_RACE_ROUNDS;

/** The number of runs of a race, if the environment does not say: a disk and a server take their time for each. */
export function roundsOn(kind: StoreKind, inMemory: number): number {
  if (requestedRounds !== undefined) return Number(requestedRounds);
  return thinned(Math.ceil(inMemory / (kind === 'memory' ? 1 : 4)));
}

/** A store that goes with the test. On PostgreSQL its calls come from two processes in turns, as far as the server knows. */
export async function openForTest(context: TestContext, kind: StoreKind, clock: Clock): Promise<OpenedStore> {
  switch (kind) {
    case 'memory':
      return openMemory({ clock });
    case 'sqlite': {
      const directory = temporaryDirectory();
      const opened = await openSqlite({ path: directory.storePath, clock, onFatal: failOnFatal });
      context.after(async () => {
        await opened.store.close();
        directory[Symbol.dispose]();
      });
      return opened;
    }
    case 'postgres':
      return openOnServer(context, clock);
  }
}

let spaces = 0;

async function openOnServer(context: TestContext, clock: Clock): Promise<OpenedStore> {
  const server = await startTestServer();
  const space = `test_races_${process.pid}_${++spaces}`;
  const open = (): Promise<OpenedStore> => openPostgres({ url: server.url, space, clock });
  const [one, other] = [await open(), await open()];
  context.after(async () => {
    for (const { store } of [one, other]) await store.close();
    await server.run(`drop schema "freehold_${space}" cascade`);
    await server.stop();
  });
  return { ...one, store: { ...one.store, scope: (name) => inTurns(one.store.scope(name), other.store.scope(name)) } };
}

function inTurns(one: Scope, other: Scope): Scope {
  let calls = 0;
  const next = (): Scope => (calls++ % 2 === 0 ? one : other);
  return {
    name: one.name,
    get: (keys) => next().get(keys),
    range: (pk, read) => next().range(pk, read),
    follow: (pk, read) => next().follow(pk, read),
    count: (pk, range, atMost) => next().count(pk, range, atMost),
    select: (pk, read) => next().select(pk, read),
    measure: (pk, read) => next().measure(pk, read),
    commit: (changes, options) => next().commit(changes, options),
  };
}
