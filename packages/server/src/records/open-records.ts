import { type ConfigReader, createFences } from '../config/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { IdSource } from '../lib/ids.ts';
import type { Environment } from '../tenancy/port.ts';
import { createIdempotency, type Idempotency } from './idempotency.ts';
import type { Cursors } from './listing/cursor.ts';
import { createRecordRuntime, type RecordRuntime } from './record-runtime.ts';
import { createLargeRemovals, type LargeRemovals } from './removals/start-removal.ts';
import { createRepeatedRequests, type RepeatedRequests } from './repeated-requests.ts';
import { createNumbering } from './writing/numbering.ts';
import type { RecordWriteDeps } from './writing/record-write-deps.ts';
import { createSealer, type SealingKey } from './writing/sealed-values.ts';
import { createWriteLoop } from './writing/write-loop.ts';

export interface RecordsDeps extends Pick<RecordWriteDeps, 'rules' | 'gate' | 'policyBound' | 'events' | 'before'> {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly cursors: Cursors;
  readonly fieldKeys: readonly SealingKey[];
  readonly idempotencyKey: Uint8Array;
  /** Has background jobs look for work. */
  readonly wake: () => void;
}

export interface Records {
  readonly runtime: RecordRuntime;
  readonly idempotency: Idempotency;
  readonly repeats: RepeatedRequests;
  readonly removals: LargeRemovals;
}

/** The runtime of all records, and what lets a request be sent again. */
export function openRecords({ configs, fieldKeys, idempotencyKey, wake, ...deps }: RecordsDeps): Records {
  const sealer = createSealer(fieldKeys);
  const writeLoop = createWriteLoop({ configs, fences: createFences() });
  const { clock, newId } = deps;
  const removals = createLargeRemovals({ configs, clock, newId, wake, before: deps.before });
  return {
    removals,
    runtime: createRecordRuntime({ ...deps, removals, writeLoop, numbering: createNumbering(), sealer }),
    idempotency: createIdempotency(idempotencyKey, deps.clock),
    repeats: createRepeatedRequests(sealer),
  };
}

export type RecordRouteDeps = Pick<Records, 'runtime' | 'idempotency'>;
