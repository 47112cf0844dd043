import type { DatabaseSync } from 'node:sqlite';
import type { Engine } from '../../engine.ts';
import type { ItemCache } from '../item-cache.ts';
import { EngineReads } from './engine-reads.ts';

/** Reads a store whose writer another thread of the process has. */
export class AttachedEngine extends EngineReads implements Engine {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync, items: ItemCache | undefined) {
    super(database, items);
    this.#database = database;
  }

  async runGroup(): Promise<never> {
    throw new TypeError('the thread that has the writer runs the groups');
  }

  setDataVersion(): never {
    throw new TypeError('the thread that has the writer sets the version of the data');
  }

  /** A writer that has failed ends the process. */
  isHealthy(): boolean {
    return !this.hasReadFault;
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}
