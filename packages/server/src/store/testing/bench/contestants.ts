import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../../lib/clock.ts';
import { committerDefaults, GroupCommitter } from '../../committing/group-committer.ts';
import type { Change, OpenedStore } from '../../port.ts';
import { openPostgres } from '../../postgres/open-postgres.ts';
import { startTestServer, whyNot } from '../../postgres/testing/test-server.ts';
import { openSqlite } from '../../sqlite/open-sqlite.ts';
import { failOnFatal, temporaryDirectory } from '../../sqlite/testing/temporary-store.ts';
import { WriterThread } from '../../sqlite/writer-thread.ts';
import { openMemory } from '../open-memory.ts';
import { fence } from './creates.ts';
import { openInserts } from './inserts-by-hand.ts';
import type { Rival } from './rival.ts';

/** A store to be measured. */
export interface Contestant {
  readonly name: string;
  /** Why it cannot run here; `false` where it can. */
  readonly whyNot: string | false;
  /** Left out: as many records as the plan says are weighed. */
  readonly recordsMax?: number;
  open(): Promise<OpenedContestant>;
}

export interface OpenedContestant {
  readonly about: string;
  readonly opened: OpenedStore;
  readonly rival?: Rival;
  diskBytes(): Promise<number | undefined>;
  /** Ends what is open, and removes what was kept. */
  close(): Promise<void>;
}

export const contestants: readonly Contestant[] = [
  { name: 'memory', whyNot: false, recordsMax: 100_000, open: startMemory },
  { name: 'sqlite', whyNot: false, open: startSqlite },
  { name: 'postgres', whyNot, open: startPostgres },
];

async function startMemory(): Promise<OpenedContestant> {
  const opened = openMemory({ clock: systemClock });
  return { about: 'the model', opened, diskBytes: async () => undefined, close: () => opened.store.close() };
}

async function startSqlite(): Promise<OpenedContestant> {
  const directory = temporaryDirectory();
  const path = directory.storePath;
  const opened = await openSqlite({ path, clock: systemClock, onFatal: failOnFatal });
  const rival = await oneCommitPerSync(join(dirname(path), 'rival.db'));
  return {
    about: 'synchronous=FULL',
    opened,
    rival,
    diskBytes: async () => sizeOf(path) + sizeOf(`${path}-wal`),
    async close() {
      await opened.store.close();
      await rival.close();
      directory[Symbol.dispose]();
    },
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The same writer, which is given one commit at a time. */
async function oneCommitPerSync(path: string): Promise<Rival> {
  // Makes the tables.
  await (await openSqlite({ path, clock: systemClock, onFatal: failOnFatal })).store.close();
  const writer = await WriterThread.start({ path, onFatal: failOnFatal });
  const limits = { ...committerDefaults, groupMax: 1 };
  const committer = new GroupCommitter((members) => writer.run(members, systemClock.now()), limits);
  const create = async (changes: readonly Change[]) => {
    const { kind } = await committer.submit({ kind: 'commit', scope: 'one', changes }, 1);
    if (kind !== 'committed') throw new Error(`the rival's commit was answered ${kind}`);
  };
  await create([fence]);
  return {
    name: 'one commit per fsync',
    targets: { 32: 3, 256: 5 },
    create,
    async close() {
      await committer.close();
      await writer.close();
    },
  };
}

const connections = 8;

async function startPostgres(): Promise<OpenedContestant> {
  const server = await startTestServer();
  const space = `measured_${process.pid}`;
  const schema = `freehold_${space}`;
  const counts = { reads: 2, commits: connections };
  const opened = await openPostgres({ url: server.url, space, clock: systemClock, connections: counts });
  const rival = await openInserts({ url: server.url, schema, connections });
  const [version] = await server.run('show server_version');
  return {
    about: `${version?.server_version}, ${connections} connections for commits and as many for the INSERTs`,
    opened,
    rival,
    async diskBytes() {
      const tables = ['heads', 'items'].map((table) => `pg_total_relation_size('"${schema}".${table}')`);
      const [row] = await server.run(`select (${tables.join(' + ')})::float8 as bytes`);
      return Number(row?.bytes);
    },
    async close() {
      await rival.close();
      await opened.store.close();
      await server.run(`drop schema "${schema}" cascade`);
      await server.stop();
    },
  };
}
