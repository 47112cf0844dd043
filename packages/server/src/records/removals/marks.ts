/** Marks on the records that a job is about to remove: with the root they go, and until then nothing else writes them. */
import { createHash } from 'node:crypto';
import { Problem } from '../../lib/problem.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import { type Change, isIndexPartition, type Key, type Scope } from '../../store/port.ts';
import { json, table } from '../../store/table.ts';
import type { Workspace } from '../../tenancy/port.ts';
import type { StoredRecord } from '../record.ts';
import { recordPlace } from '../record-keys.ts';
import { type PlannedChange, unconditional } from '../writing/planned-change.ts';

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

/** What is marked of a record: all that its own writes and references to it have in their commits. */
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
  if (found.some((mark) => mark !== undefined)) throw new MarkedRecord();
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

/** A write is about a record that a job removes. */
export class MarkedRecord extends Problem {
  constructor() {
    super('conflict', 'a record that this is about is being removed by a job');
  }
}
