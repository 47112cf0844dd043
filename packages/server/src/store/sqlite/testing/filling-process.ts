/** A process for tests: commits to the store named by its argument until a commit fails, and prints what it saw. */
import { systemClock } from '../../../lib/clock.ts';
import { openSqlite } from '../open-sqlite.ts';

const [, , path = ''] = process.argv;
const fatal: string[] = [];
const { store } = await openSqlite({ path, clock: systemClock, onFatal: (error) => fatal.push(error.name) });
const scope = store.scope('acknowledged');

async function fill(): Promise<{ readonly acknowledged: number; readonly error: string }> {
  for (let acknowledged = 0; ; acknowledged++) {
    try {
      await scope.commit([{ kind: 'append', pk: 'log', value: 'x'.repeat(3000) }]);
    } catch (error) {
      return { acknowledged, error: error instanceof Error ? error.name : String(error) };
    }
  }
}

const filled = await fill();
const next = await scope.commit([{ kind: 'append', pk: 'log', value: '' }]).catch((error: Error) => error.name);
process.stdout.write(JSON.stringify({ ...filled, next, fatal, isWell: (await store.health()).ok }));
await store.close();
