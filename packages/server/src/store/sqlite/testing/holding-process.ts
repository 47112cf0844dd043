/**
 * A process for tests: opens the store named by its argument and commits until it is killed. Each number that it prints
 * is a commit that was acknowledged.
 */
import { systemClock } from '../../../lib/clock.ts';
import { openSqlite } from '../open-sqlite.ts';
import { failOnFatal } from './temporary-store.ts';

const [, , path = ''] = process.argv;
const { store } = await openSqlite({ path, clock: systemClock, onFatal: failOnFatal });
const scope = store.scope('acknowledged');

async function write(): Promise<never> {
  for (;;) {
    const { seq } = await scope.commit([{ kind: 'append', pk: 'log', value: 'x'.repeat(3000) }]);
    process.stdout.write(`${seq}\n`);
  }
}

await Promise.all([write(), write(), write(), write()]);
