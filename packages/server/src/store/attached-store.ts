/** A store that several threads of a process use: one has the writer, the others attach themselves. */
import type { MessagePort } from 'node:worker_threads';
import type { Clock } from '../lib/clock.ts';
import type { Key, OpenedStore, ScopeName } from './port.ts';

export interface SharedStore extends OpenedStore {
  /** For one other thread. Its port has to be transferred. */
  attachment(): StoreAttachment;
}

/** What a thread attaches itself by. */
export interface StoreAttachment {
  readonly path: string;
  readonly marks: SharedMarks;
  /** To the thread that has the writer. */
  readonly commits: MessagePort;
}

/** Numbers that all threads of the process read and change. */
export interface SharedMarks {
  readonly changes: SharedArrayBuffer;
  readonly underWay: SharedArrayBuffer;
}

export interface AttachOptions {
  readonly clock: Clock;
  readonly cacheMegabytes?: number | undefined;
  readonly itemCacheMegabytes?: number | undefined;
}

export interface AttachedStore extends OpenedStore {
  /** Another number once a commit of any thread that may have written the item was answered. */
  changesOf(scope: ScopeName, key: Key): number;
}
