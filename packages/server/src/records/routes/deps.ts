import type { Records } from '../open-records.ts';

export type RecordRouteDeps = Pick<Records, 'runtime' | 'idempotency'>;
