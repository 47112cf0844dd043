import type { DatabaseSync } from 'node:sqlite';
import type { Engine } from '../../engine.ts';
import { EngineReads } from './engine-reads.ts';

/** Reads a store whose writer, if there is one, is elsewhere. */
export class AttachedEngine extends EngineReads implements Engine {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    super(database, undefined);
    this.#database = database;
  }

  async runGroup(): Promise<never> {
    throw new TypeError('a store that is attached for reading runs no groups');
  }

  setDataVersion(): never {
    throw new TypeError('a store that is attached for reading sets no version of the data');
  }

  isHealthy(): boolean {
    return !this.hasReadFault;
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}
