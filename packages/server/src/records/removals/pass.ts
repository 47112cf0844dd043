/** The passes over the list of a large removal: what refers to what is listed, a step of bounded length at a time. */
import { type ConfigSet, type Reference, referencesTo } from '../../config/port.ts';
import type { Problem } from '../../lib/problem.ts';
import { type CompiledEntity, indexPrefix } from '../../schema/port.ts';
import type { Row } from '../../store/table.ts';
import { followInPages } from '../listing/find-record.ts';
import { readRecord, type StoredRecord } from '../record.ts';
import { recordPlace } from '../record-keys.ts';
import {
  addCleared,
  type Cleared,
  clearedRecord,
  danglingReference,
  type RemovalContext,
  stillBuilding,
} from '../references.ts';
import { mergeChanges, type PlannedChange, unconditional } from '../writing/planned-change.ts';
import type { WriteContext } from '../writing/write-loop.ts';
import {
  type FailedRecord,
  listed,
  listPartition,
  markedPlaces,
  marks,
  type PassCursor,
  type RemovalPhase,
  type RemovalRow,
  removals,
  seqText,
} from './removal-row.ts';

/** A step of a removal: by which configuration it is planned, on which row of the job. */
export interface RemovalStep extends WriteContext, RemovalContext {
  readonly id: string;
  readonly row: Row<RemovalRow>;
  /** The number of records that it is about at most. */
  readonly recordsMax: number;
  /** Asked between two records. */
  readonly pause: () => Promise<void> | undefined;
}

/** Thrown where references cannot be found yet. */
export class NotReady extends Error {}

/** A record that refers to a listed one. */
interface Holder {
  readonly entity: CompiledEntity;
  readonly record: StoredRecord;
  readonly reference: Reference;
  /** The entity of the listed record, and its id. */
  readonly target: string;
  readonly id: string;
  readonly isMarked: boolean;
}

interface Passed {
  /** The position from which the pass goes on. */
  readonly cursor: PassCursor;
  readonly holder?: Holder;
}

/** The references to a record's entity, always in the same order. */
export function sortedReferences(config: ConfigSet, entityName: string): readonly Reference[] {
  const references = [...referencesTo(config, entityName)].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  for (const reference of references) if (!reference.isReady) throw new NotReady(stillBuilding(reference).message);
  return references;
}

function nameOf({ entity, field, storedAs = field }: Reference): string {
  return `${entity} ${storedAs}`;
}

/** The holders of listed records, from the cursor of the row on; also each listed record that is passed. */
async function* holders(step: RemovalStep, onDelete: Reference['onDelete']): AsyncGenerator<Passed> {
  const { workspace, id, recordsMax, pause } = step;
  for (let { seq } = step.row.value.cursor; ; ) {
    const after = seq === 0 ? {} : { after: seqText(seq - 1) };
    const entries = await listed.range(workspace.scope, listPartition(id), { ...after, limit: recordsMax });
    for (const { sk, value } of entries) {
      await pause();
      seq = Number(sk);
      yield* holdersOfListed(step, onDelete, { seq, target: value.entity, id: value.id });
      seq += 1;
      yield { cursor: { seq } };
    }
    if (entries.length < recordsMax) return;
  }
}

interface RemovalTarget {
  readonly seq: number;
  readonly target: string;
  readonly id: string;
}

async function* holdersOfListed(
  step: RemovalStep,
  onDelete: Reference['onDelete'],
  { seq, target, id }: RemovalTarget,
): AsyncGenerator<Passed> {
  const { cursor } = step.row.value;
  const start = cursor.seq === seq ? cursor : { seq };
  for (const reference of sortedReferences(step.config, target)) {
    const name = nameOf(reference);
    if (reference.onDelete !== onDelete || name < (start.reference ?? '')) continue;
    const behind = name === start.reference ? start.after : undefined;
    for await (const { sk, holder } of holdersOf(step, { reference, target, id }, behind))
      yield { cursor: { seq, reference: name, after: sk }, holder };
  }
}

interface HeldBy {
  readonly reference: Reference;
  readonly target: string;
  readonly id: string;
}

async function* holdersOf(
  { workspace, config, recordsMax, pause }: RemovalStep,
  { reference, target, id }: HeldBy,
  behind: string | undefined,
): AsyncGenerator<{ readonly sk: string; readonly holder: Holder }> {
  const entity = await config.entity(reference.entity);
  if (entity === undefined) return;
  const prefix = indexPrefix(id);
  const read = { prefix, limit: recordsMax, ...(behind === undefined ? {} : { after: behind }) };
  for await (const items of followInPages(workspace.scope, reference.pk, read)) {
    const places = items.map(({ sk }) => recordPlace(entity, workspace, sk.slice(prefix.length)));
    const marked = places.length === 0 ? [] : await marks.readMany(workspace.scope, places);
    for (const [index, { sk, item }] of items.entries()) {
      await pause();
      const record = readRecord(entity, item);
      yield { sk, holder: { entity, record, reference, target, id, isMarked: marked[index] !== undefined } };
    }
  }
}

/** A step looks at so many holders and listed records for each record that it may be about. */
const passedPerRecord = 5;

/**
 * Shows holders to `onHolder` until the pass or the step is at its end.
 * @param onHolder returns the number of records that the step is about by then.
 */
async function passOver(
  step: RemovalStep,
  onDelete: Reference['onDelete'],
  onHolder: (holder: Holder) => number,
): Promise<{ readonly cursor: PassCursor; readonly isAtEnd: boolean }> {
  let { cursor } = step.row.value;
  let passed = 0;
  for await (const one of holders(step, onDelete)) {
    const count = one.holder === undefined ? 0 : onHolder(one.holder);
    cursor = one.cursor;
    if (count >= step.recordsMax || ++passed >= step.recordsMax * passedPerRecord) return { cursor, isAtEnd: false };
  }
  return { cursor, isAtEnd: true };
}

/** Lists and marks what is removed along with what is listed. */
export async function planMarks(step: RemovalStep): Promise<readonly PlannedChange[]> {
  const { workspace, id } = step;
  const row = step.row.value;
  const fresh = new Set<string>();
  const changes: PlannedChange[] = [];
  const pass = await passOver(step, 'cascade', ({ entity, record, isMarked }) => {
    const place = `${entity.name} ${record.data.id}`;
    if (isMarked || fresh.has(place)) return fresh.size;
    const seq = row.listed + fresh.size;
    const places = markedPlaces(entity, workspace, record);
    const sks = places.map((one) => marks.key(one).sk);
    changes.push(
      unconditional({ kind: 'check', ...record.key, if: { version: record.version } }),
      ...places.map((one) => unconditional(marks.insert(one, { seq }))),
      unconditional(listed.insert({ job: id, seq }, { entity: entity.name, id: record.data.id, marks: sks })),
    );
    return fresh.add(place).size;
  });
  // Records listed just now were not looked at yet.
  const next = pass.isAtEnd && fresh.size === 0 ? nextPhase('check') : { cursor: pass.cursor };
  const grown = { listed: row.listed + fresh.size, total: row.total + fresh.size, state: 'running' as const };
  return [...changes, rowChange(step, { ...row, ...grown, ...next })];
}

/** Looks for records that stay and forbid that what they refer to is removed. */
export async function planCheck(step: RemovalStep): Promise<readonly PlannedChange[]> {
  let restricting: Holder | undefined;
  const pass = await passOver(step, 'restrict', (holder) => {
    if (!holder.isMarked) restricting ??= holder;
    return restricting === undefined ? 0 : Number.POSITIVE_INFINITY;
  });
  const row = step.row.value;
  if (restricting !== undefined) {
    const { entity, record, target, reference } = restricting;
    return [
      rowChange(
        step,
        failedRow(row, { entity: entity.name, id: record.data.id }, danglingReference(target, reference)),
      ),
    ];
  }
  return [rowChange(step, { ...row, ...(pass.isAtEnd ? nextPhase('clear') : { cursor: pass.cursor }) })];
}

/** Clears the fields that are to be cleared in records that stay. */
export async function planClears(step: RemovalStep): Promise<readonly PlannedChange[]> {
  const clearing = new Map<string, { readonly holder: Holder; readonly cleared: Cleared }>();
  let characters = 0;
  const pass = await passOver(step, 'setnull', (holder) => {
    if (holder.isMarked) return clearing.size;
    const { entity, record, reference, id } = holder;
    const place = `${entity.name} ${record.data.id}`;
    const known = clearing.get(place) ?? { holder, cleared: new Map() };
    addCleared(known.cleared, reference.field, id);
    if (!clearing.has(place)) characters += JSON.stringify(record.data).length;
    clearing.set(place, known);
    return characters > stepCharacters ? Number.POSITIVE_INFINITY : clearing.size;
  });
  const row = step.row.value;
  const changes: PlannedChange[] = [];
  for (const { holder, cleared } of clearing.values()) {
    await step.pause();
    const planned = await clearedRecord(step, { ...holder, cleared }, step);
    changes.push(...planned);
  }
  const count = clearing.size;
  const next = pass.isAtEnd ? nextPhase('remove') : { cursor: pass.cursor };
  return [
    ...mergeChanges(changes),
    rowChange(step, { ...row, done: row.done + count, total: row.total + count, ...next }),
  ];
}

/** The most that one commit writes of records, so that it stays far below a commit's limit. */
const stepCharacters = 1024 * 1024;

export function nextPhase(phase: RemovalPhase): Pick<RemovalRow, 'phase' | 'cursor'> {
  return { phase, cursor: { seq: 0 } };
}

/** The job once something refuses it: the marks are yet to be taken away. */
export function failedRow(
  row: RemovalRow,
  record: Pick<FailedRecord, 'entity' | 'id'>,
  { code, message }: Problem,
): RemovalRow {
  return { ...row, state: 'failed', phase: 'release', failed: [{ ...record, code, message }] };
}

/** Holds the step to the row that it was planned on. */
export function rowChange({ row }: RemovalStep, value: RemovalRow): PlannedChange {
  return unconditional(removals.replace(row, value));
}
