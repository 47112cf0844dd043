/** A large removal as a job: its row, what it is going to remove, and how it is shown. */
import { createHash } from 'node:crypto';
import type { ProblemCode } from '@freehold/contract/problem';
import { type ConfigSet, referencesTo } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import { type Change, isIndexPartition, type Key, type Scope } from '../../store/port.ts';
import { json, table } from '../../store/table.ts';
import type { Environment, Workspace } from '../../tenancy/port.ts';
import type { StoredRecord } from '../record.ts';
import { recordPlace } from '../record-keys.ts';
import { type PlannedChange, unconditional } from '../writing/planned-change.ts';

export interface RemovalJob {
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

/** The position of a pass over the list: at which record of it, by which reference to it, and behind which holder. */
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

export interface RemovalRow extends Omit<RemovalJob, 'id'> {
  readonly entity: string;
  readonly record: string;
  readonly user: string;
  readonly phase: RemovalPhase;
  readonly cursor: PassCursor;
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
interface ListedRecord {
  readonly entity: string;
  readonly id: string;
  readonly marks: readonly string[];
}

/** In the order in which they were found. */
export const listed = table(
  ({ job, seq }: { readonly job: string; readonly seq: number }) => ({ pk: listPartition(job), sk: seqText(seq) }),
  json<ListedRecord>('record to be removed', { entity: 'string', id: 'string', marks: 'object' }),
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

export function jobOf(id: string, { kind, state, done, total, failed }: RemovalRow): RemovalJob {
  return { id, kind, state, done, total, failed };
}

export function isOver({ state }: Pick<RemovalJob, 'state'>): boolean {
  return state !== 'queued' && state !== 'running';
}

/** The entities of which a removal of one of their records may remove others, itself among them. */
export function cascadeEntities(config: ConfigSet, entityName: string): readonly string[] {
  const names = new Set([entityName]);
  for (const name of names)
    for (const { entity, onDelete } of referencesTo(config, name)) if (onDelete === 'cascade') names.add(entity);
  return [...names];
}

// Marks on the records that a job is about to remove: with the root they go, and until then nothing else writes them.

interface Mark {
  /** The place of the record in the list of what the job removes. */
  readonly seq: number;
}

const partition = 'removing';

/** By what a mark lies on: a record's item, and where a reference to the record checks another one, that as well. */
export const marks = table(
  ({ pk, sk }: Key) => ({ pk: partition, sk: createHash('sha256').update(`${pk}\0${sk}`).digest('base64url') }),
  json<Mark>('mark of a removal', { seq: 'number' }),
);

/** The marked keys of a record: all that its own writes and references to it have in their commits. */
export function markedPlaces(
  entity: CompiledEntity,
  workspace: Workspace,
  { key, data: { id } }: StoredRecord,
): readonly Key[] {
  const place = recordPlace(entity, workspace, id);
  return place.pk === key.pk && place.sk === key.sk ? [key] : [place, key];
}

/** A mark by its sort key, as the list of a job names it. */
export function removeMark(sk: string): Change {
  return { kind: 'remove', pk: partition, sk, if: 'any' };
}

/**
 * That nothing a write changes or refers to is marked, for its own commit.
 * @throws Problem `conflict` where something is.
 */
export async function unmarked(
  { scope }: { readonly scope: Scope },
  planned: readonly PlannedChange[],
): Promise<readonly PlannedChange[]> {
  const places = planned.flatMap(({ change }) => (isOnRecord(change) ? [marks.key(change)] : []));
  if (places.length === 0) return [];
  const found = await scope.get(places);
  if (found.some((mark) => mark !== undefined)) throw new RemovalMarkConflict();
  return places.map((key) => unconditional({ kind: 'check', ...key, if: 'absent' }));
}

/** A record is named by its own key, and in the check of a reference also by its entry in the index of ids. */
function isOnRecord(change: Change): change is Change & Key {
  if (change.kind === 'check') return change.if === 'present' || change.pk.startsWith(records);
  return (
    (change.kind === 'put' || change.kind === 'remove') && !isIndexPartition(change.pk) && change.pk.startsWith(records)
  );
}

const records = 'org#';

export class RemovalMarkConflict extends Problem {
  constructor() {
    super('conflict', 'a record that this is about is being removed by a job');
  }
}
