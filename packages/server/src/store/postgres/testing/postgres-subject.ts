import type { Clock } from '../../../lib/clock.ts';
import type { OpenedStore } from '../../port.ts';
import type { OpenedSubject, Subject } from '../../testing/conformance/bench.ts';
import { openPostgres } from '../open-postgres.ts';
import type { TestServer } from './test-server.ts';

/** PostgreSQL as the suite gets it: a schema of its own, which goes when the subject does. */
export function postgresSubject(server: () => Pick<TestServer, 'url' | 'run'>): Subject {
  return { isDurable: true, open: (clock) => openSubject(server(), clock) };
}

let subjects = 0;

async function openSubject({ url, run }: Pick<TestServer, 'url' | 'run'>, clock: Clock): Promise<OpenedSubject> {
  const space = `test_${process.pid}_${++subjects}`;
  const open = () => openPostgres({ url, space, clock });
  let opened: OpenedStore = await open();
  return {
    opened,
    async reopen() {
      await opened.store.close();
      opened = await open();
      return opened;
    },
    async dispose() {
      await opened.store.close();
      await run(`drop schema "freehold_${space}" cascade`);
    },
  };
}
