/** Preloaded into a platform, makes it write each commit piece by piece: there is no transaction around the pieces. */
import { DatabaseSync } from 'node:sqlite';
import { isMainThread } from 'node:worker_threads';

const { prepare } = DatabaseSync.prototype;
const bounds = ['begin immediate', 'commit'];

// The writer has a thread of its own.
if (!isMainThread)
  DatabaseSync.prototype.prepare = function (sql, ...options) {
    return prepare.call(this, bounds.includes(sql) ? 'select 1' : sql, ...options);
  };
