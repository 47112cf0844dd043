import { type Derived, derive, readRecord, readSealed, type StoredRecord } from '../../records/port.ts';
import { storedValues } from '../../schema/port.ts';
import type { Change, Item, Key, Scope } from '../../store/port.ts';
import type { PlacedRecord } from '../walk-records.ts';
import type { IndexTask } from './index-task.ts';

/** The changes that some records ask for. They hold only together, and only as long as each record is as it was read. */
export interface StepPlan {
  readonly changes: readonly Change[];
  /** How many of the records it is about: the first ones. */
  readonly taken: number;
  /** The place of the last of these. */
  readonly end: string;
  /** Known to be so once the changes are committed. */
  readonly duplicates: readonly FoundDuplicate[];
  readonly unfilled: readonly UnfilledRecord[];
}

/** A record that was given no value of some fields. */
export interface UnfilledRecord {
  readonly id: string;
  /** As they are stored. */
  readonly fields: readonly string[];
}

export interface FoundDuplicate {
  readonly indexName: string;
  readonly ids: readonly [string, string];
}

const changesPerStep = 500;

/** Some records, one after the other, and whether enough is known of those that contradict an index. */
export interface StepPage {
  readonly records: readonly PlacedRecord[];
  readonly isFull: (indexName: string) => boolean;
}

export async function planStep(scope: Scope, task: IndexTask, { records, isFull }: StepPage): Promise<StepPlan> {
  const building = { ...task.building, uniques: task.building.uniques.filter(({ name }) => !isFull(name)) };
  const read = records.map(({ place, item }): ReadRecord => {
    const record = readRecord(task.entity, item);
    return { place, record, wanted: derive(building, record.data) };
  });
  const sentinels = await readItems(
    scope,
    read.flatMap(({ wanted }) => wanted.sentinels.map(({ key }) => key)),
  );
  const sealed = await readSealedItems(scope, task, read);
  const step = {
    changes: new Map<string, Change>(),
    taken: 0,
    end: '',
    duplicates: [] as FoundDuplicate[],
    unfilled: [],
  };
  for (const one of read) {
    const own = planRecord(task, one, { sentinels, sealed });
    const isTooMuch = step.changes.size + own.changes.length > changesPerStep;
    // Two that want one value: the next step finds it with the first of them.
    const isTaken = own.changes.some((change) => isTaking(change) && step.changes.has(keyText(change)));
    if (step.taken > 0 && (isTooMuch || isTaken)) break;
    for (const change of own.changes) step.changes.set(keyText(change), change);
    step.duplicates.push(...own.duplicates);
    step.taken += 1;
    step.end = one.place;
  }
  return { ...step, changes: [...step.changes.values()] };
}

interface ReadRecord {
  readonly place: string;
  readonly record: StoredRecord;
  /** What it is to have beside it of what is being built. */
  readonly wanted: Derived;
}

type Items = ReadonlyMap<string, Item>;

async function readItems(scope: Scope, keys: readonly Key[]): Promise<Items> {
  const items = keys.length === 0 ? [] : await scope.get(keys);
  return new Map(items.flatMap((item) => (item === undefined ? [] : [[keyText(item), item]])));
}

/** The sealed values of each record, where some of them are to go. */
async function readSealedItems(scope: Scope, task: IndexTask, records: readonly ReadRecord[]): Promise<Items> {
  const { erased, entity } = task;
  return readItems(scope, erased.length > 0 && entity.hasSealed ? records.map(({ wanted }) => wanted.sealed) : []);
}

interface Beside {
  readonly sentinels: Items;
  readonly sealed: Items;
}

function planRecord(task: IndexTask, { record, wanted }: ReadRecord, { sentinels, sealed }: Beside) {
  const { key, data } = record;
  const changes: KeyedChange[] = [...withoutErased(task, record, sealed.get(keyText(wanted.sealed)))];
  const duplicates: FoundDuplicate[] = [];
  for (const { pk, sk } of wanted.entries) changes.push({ kind: 'put-index', pk, sk, target: key });
  for (const { unique, key: place, id } of wanted.sentinels) {
    const held = sentinels.get(keyText(place));
    if (held === undefined) changes.push({ kind: 'put', ...place, value: id, if: 'absent' });
    else if (held.value !== id) {
      changes.push({ kind: 'check', ...place, if: { version: held.version } });
      duplicates.push({ indexName: unique.name, ids: [held.value, id] });
    }
  }
  // No process writes notes in these any more, so all notes are removed.
  const gone = derive(task.erasing, data);
  for (const { pk, sk } of [...gone.entries, ...gone.sentinels.map((sentinel) => sentinel.key)])
    changes.push({ kind: 'remove', pk, sk, if: 'any' });
  return { changes, duplicates };
}

/** Takes the values of fields out that are lost, and holds the record to the version that was read in any case. */
function withoutErased(
  { entity, erased }: IndexTask,
  { key, version, data }: StoredRecord,
  sealed: Item | undefined,
): readonly KeyedChange[] {
  const condition = { version };
  const held = readSealed(sealed?.value);
  const values = storedValues(entity.stored, data);
  const isIn = (some: object): boolean => erased.some((name) => Object.hasOwn(some, name));
  if (!isIn(values) && !isIn(held)) return [{ kind: 'check', ...key, if: condition }];
  const left = (some: object): string =>
    JSON.stringify(Object.fromEntries(Object.entries(some).filter(([name]) => !erased.includes(name))));
  const written: KeyedChange = { kind: 'put', ...key, value: left(values), if: condition };
  if (sealed === undefined || !isIn(held)) return [written];
  return [written, { kind: 'put', pk: sealed.pk, sk: sealed.sk, value: left(held), if: 'any' }];
}

type KeyedChange = Extract<Change, Key>;

function isTaking(change: Change): boolean {
  return change.kind === 'put';
}

export function keyText({ pk, sk }: Key): string {
  return `${pk}\0${sk}`;
}
