/** A large removal as a job: its row, what it is going to remove, and how it is shown. */

import type { ProblemCode } from '@freehold/contract/problem';
import { type ConfigSet, referencesTo } from '../../config/port.ts';
import { json, table } from '../../store/table.ts';
import type { Environment } from '../../tenancy/port.ts';

/** Long work as its starter sees it. */
export interface Job {
  readonly id: string;
  readonly kind: 'removal';
  readonly state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  /** In records. The total grows while they are looked for. */
  readonly done: number;
  readonly total: number;
  readonly failed: readonly FailedRecord[];
}

export interface FailedRecord {
  readonly entity: string;
  readonly id: string;
  readonly code: ProblemCode;
  readonly message: string;
}

/** Where a pass over the list stands: at which record of it, by which reference to it, and behind which holder. */
export interface PassCursor {
  readonly seq: number;
  readonly reference?: string;
  readonly after?: string;
}

/**
 * `mark`: lists and marks what cascades reach. `check`: looks for what restricts it. `clear`: clears the fields that are
 * to be cleared. `remove`: removes what is marked, what refers before what is referred to. `release`: takes away the
 * marks that are left.
 */
export type RemovalPhase = 'mark' | 'check' | 'clear' | 'remove' | 'release';

export interface RemovalRow extends Omit<Job, 'id'> {
  readonly entity: string;
  readonly record: string;
  /** Who started it. */
  readonly user: string;
  readonly phase: RemovalPhase;
  readonly cursor: PassCursor;
  /** How many records were listed. */
  readonly listed: number;
  /** The entities whose fences say that there are marks. */
  readonly marked: readonly string[];
}

export const removals = table(
  (id: string) => ({ pk: 'job', sk: id }),
  json<RemovalRow>('job', { kind: 'string', state: 'string', done: 'number', total: 'number', failed: 'object' }),
);

/** The one job of the workspace that is not over. */
export const liveRemoval = table(
  (_: undefined) => ({ pk: 'job-live', sk: 'removal' }),
  json<{ readonly id: string }>('note of the job at work', { id: 'string' }),
);

/** A record that is to go, and its marks. */
interface Listed {
  readonly entity: string;
  readonly id: string;
  readonly marks: readonly string[];
}

/** In the order in which they were found. */
export const listed = table(
  ({ job, seq }: { readonly job: string; readonly seq: number }) => ({ pk: listPartition(job), sk: seqText(seq) }),
  json<Listed>('record to be removed', { entity: 'string', id: 'string', marks: 'object' }),
);

export function listPartition(job: string): string {
  return `removal#${job}`;
}

export function seqText(seq: number): string {
  return String(seq).padStart(16, '0');
}

/** Finished jobs can be read for so long. */
export const keptMilliseconds = 7 * 24 * 60 * 60 * 1000;

export const removeRecordJob = 'remove-record';

/** The piece of work of a job, in the scope of its workspace. */
export interface RemovalWork {
  readonly id: string;
  readonly env: Environment;
  readonly orgCode: string;
  readonly tenantId: string;
  readonly tenantCode: string;
}

export function jobOf(id: string, { kind, state, done, total, failed }: RemovalRow): Job {
  return { id, kind, state, done, total, failed };
}

export function isOver({ state }: Pick<Job, 'state'>): boolean {
  return state !== 'queued' && state !== 'running';
}

/** The entities of which a removal of one of their records may remove others, itself among them. */
export function cascadeEntities(config: ConfigSet, entityName: string): readonly string[] {
  const names = new Set([entityName]);
  for (const name of names)
    for (const { entity, onDelete } of referencesTo(config, name)) if (onDelete === 'cascade') names.add(entity);
  return [...names];
}
