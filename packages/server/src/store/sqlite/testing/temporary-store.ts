import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../lib/clock.ts';
import type { OpenedSubject, Subject } from '../../testing/conformance/bench.ts';
import { openSqlite } from '../open-sqlite.ts';

/** SQLite as the suite gets it: a file in a directory of its own, which goes when the subject does. */
export const sqliteSubject: Subject = { isDurable: true, open: openSubject };

export interface TemporaryDirectory extends Disposable {
  /** Where a store can be opened; nothing is there yet. */
  readonly storePath: string;
}

export function temporaryDirectory(): TemporaryDirectory {
  const directory = mkdtempSync(join(tmpdir(), 'freehold-store-'));
  return {
    storePath: join(directory, 'store.db'),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** For tests in which the disk does not fail: an unexpected failure ends the test process. */
export function failOnFatal(error: Error): never {
  throw error;
}

async function openSubject(clock: Clock): Promise<OpenedSubject> {
  const directory = temporaryDirectory();
  const open = () => openSqlite({ path: directory.storePath, clock, onFatal: failOnFatal });
  let opened = await open();
  return {
    opened,
    async reopen() {
      await opened.store.close();
      opened = await open();
      return opened;
    },
    async dispose() {
      await opened.store.close();
      directory[Symbol.dispose]();
    },
  };
}
