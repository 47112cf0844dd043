import {
  entriesIn,
  type RecordData,
  readRecord,
  readSealed,
  type StoredRecord,
  sealedKey,
  sentinelKey,
} from '../../records/port.ts';
import type { CompiledUnique } from '../../schema/port.ts';
import type { Change, Item, Key, Scope } from '../../store/port.ts';
import type { PlacedRecord } from '../next-records.ts';
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
}

export interface FoundDuplicate {
  readonly indexName: string;
  readonly ids: readonly [string, string];
}

const changesPerStep = 500;

export async function planStep(
  scope: Scope,
  task: IndexTask,
  { records, isFull }: { readonly records: readonly PlacedRecord[]; readonly isFull: (indexName: string) => boolean },
): Promise<StepPlan> {
  const uniques = task.building.uniques.filter(({ name }) => !isFull(name));
  const read = records.map(({ place, item }) => ({ place, record: readRecord(item) }));
  const sentinels = await readSentinels(scope, uniques, read);
  const sealed = await readSealedItems(scope, task, read);
  const step = { changes: new Map<string, Change>(), taken: 0, end: '', duplicates: [] as FoundDuplicate[] };
  for (const { place, record } of read) {
    const own = planRecord(task, record, { uniques, sentinels, sealed });
    const isTooMuch = step.changes.size + own.changes.length > changesPerStep;
    // Two that want one value: the next step finds it with the first of them.
    const isTaken = own.changes.some((change) => isTaking(change) && step.changes.has(keyText(change)));
    if (step.taken > 0 && (isTooMuch || isTaken)) break;
    for (const change of own.changes) step.changes.set(keyText(change), change);
    step.duplicates.push(...own.duplicates);
    step.taken += 1;
    step.end = place;
  }
  return { ...step, changes: [...step.changes.values()] };
}

type Sentinels = ReadonlyMap<string, Item>;

async function readSentinels(
  scope: Scope,
  uniques: readonly CompiledUnique[],
  records: readonly { readonly record: StoredRecord }[],
): Promise<Sentinels> {
  const keys = records.flatMap(({ record }) => sentinelsOf(uniques, record.data).map(({ place }) => place));
  const items = keys.length === 0 ? [] : await scope.get(keys);
  return new Map(items.flatMap((item) => (item === undefined ? [] : [[keyText(item), item]])));
}

/** The sealed values of each record, where some of them are to go. */
async function readSealedItems(
  scope: Scope,
  { entity, erased }: IndexTask,
  records: readonly { readonly record: StoredRecord }[],
): Promise<ReadonlyMap<string, Item>> {
  if (erased.length === 0 || !entity.hasSealed) return new Map();
  const items = await scope.get(records.map(({ record }) => sealedKey(entity.name, record.data.id)));
  return new Map(items.flatMap((item) => (item === undefined ? [] : [[item.sk, item]])));
}

interface Beside {
  readonly uniques: readonly CompiledUnique[];
  readonly sentinels: Sentinels;
  readonly sealed: ReadonlyMap<string, Item>;
}

function planRecord(task: IndexTask, record: StoredRecord, { uniques, sentinels, sealed }: Beside) {
  const { building, erasing } = task;
  const { key, data } = record;
  const changes: KeyedChange[] = [...withoutErased(task, record, sealed.get(data.id))];
  const duplicates: FoundDuplicate[] = [];
  for (const { pk, sk } of entriesIn(building, data)) changes.push({ kind: 'put-index', pk, sk, target: key });
  for (const { name, place } of sentinelsOf(uniques, data)) {
    const held = sentinels.get(keyText(place));
    if (held === undefined) changes.push({ kind: 'put', ...place, value: data.id, if: 'absent' });
    else if (held.value !== data.id) {
      changes.push({ kind: 'check', ...place, if: { version: held.version } });
      duplicates.push({ indexName: name, ids: [held.value, data.id] });
    }
  }
  // No process writes notes in these any more, so all notes are removed.
  const gone = [...entriesIn(erasing, data), ...sentinelsOf(erasing.uniques, data).map(({ place }) => place)];
  for (const { pk, sk } of gone) changes.push({ kind: 'remove', pk, sk, if: 'any' });
  return { changes, duplicates };
}

/** Takes the values of fields out that are lost, and holds the record to the version that was read in any case. */
function withoutErased(
  { erased }: IndexTask,
  { key, version, data }: StoredRecord,
  sealed: Item | undefined,
): readonly KeyedChange[] {
  const condition = { version };
  const held = readSealed(sealed?.value);
  const isIn = (values: object): boolean => erased.some((name) => Object.hasOwn(values, name));
  if (!isIn(data) && !isIn(held)) return [{ kind: 'check', ...key, if: condition }];
  const left = (values: object): string =>
    JSON.stringify(Object.fromEntries(Object.entries(values).filter(([name]) => !erased.includes(name))));
  const written: KeyedChange = { kind: 'put', ...key, value: left(data), if: condition };
  if (sealed === undefined || !isIn(held)) return [written];
  return [written, { kind: 'put', pk: sealed.pk, sk: sealed.sk, value: left(held), if: 'any' }];
}

type KeyedChange = Exclude<Change, { readonly kind: 'append' | 'check-empty' }>;

/** Where each of the indexes notes who has the record's values. */
function sentinelsOf(uniques: readonly CompiledUnique[], data: RecordData) {
  return uniques.flatMap((unique) => {
    const place = sentinelKey(unique, data);
    return place === undefined ? [] : [{ name: unique.name, place }];
  });
}

function isTaking(change: Change): boolean {
  return change.kind === 'put';
}

function keyText({ pk, sk }: Key): string {
  return `${pk}\0${sk}`;
}
