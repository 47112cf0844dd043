/** Preloaded into a platform, has one commit in ten forget an event: what is to be delivered is not stored. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { isMainThread } from 'node:worker_threads';

const { prepare } = DatabaseSync.prototype;

// The writer has a thread of its own.
if (!isMainThread)
  DatabaseSync.prototype.prepare = function (sql, ...options) {
    const statement = prepare.call(this, sql, ...options);
    if (!sql.includes('insert into items')) return statement;
    const run = statement.run.bind(statement) as (
      ...values: readonly SQLInputValue[]
    ) => ReturnType<typeof statement.run>;
    const forgetting = (...values: readonly SQLInputValue[]) =>
      String(values[1]).startsWith('outbox;') && Math.random() < 0.1
        ? { changes: 1, lastInsertRowid: 0 }
        : run(...values);
    return Object.assign(statement, { run: forgetting });
  };
