import type { Change, Item, Key, Scope } from '../../store/port.ts';
import type { CompiledUnique } from '../indexes/compile-indexes.ts';
import { entriesIn, sentinelKey } from '../indexes/index-entries.ts';
import type { PlacedRecord } from '../next-records.ts';
import { type RecordData, readRecord, type StoredRecord } from '../record.ts';
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
  const uniques = {
    building: task.building.uniques.filter(({ name }) => !isFull(name)),
    erasing: task.erasing.uniques,
  };
  const read = records.map(({ place, item }) => ({ place, record: readRecord(item) }));
  const sentinels = await readSentinels(scope, [...uniques.building, ...uniques.erasing], read);
  const step = { changes: new Map<string, Change>(), taken: 0, end: '', duplicates: [] as FoundDuplicate[] };
  for (const { place, record } of read) {
    const own = planRecord(task, record, { uniques, sentinels });
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
  const keys = uniques.flatMap((unique) => records.flatMap(({ record }) => sentinelKey(unique, record.data) ?? []));
  const items = keys.length === 0 ? [] : await scope.get(keys);
  return new Map(items.flatMap((item) => (item === undefined ? [] : [[keyText(item), item]])));
}

interface UniqueTask {
  readonly uniques: { readonly building: readonly CompiledUnique[]; readonly erasing: readonly CompiledUnique[] };
  readonly sentinels: Sentinels;
}

function planRecord({ building, erasing }: IndexTask, { key, version, data }: StoredRecord, unique: UniqueTask) {
  const changes: KeyedChange[] = [{ kind: 'check', ...key, if: { version } }];
  for (const { pk, sk } of entriesIn(building, data)) changes.push({ kind: 'put-index', pk, sk, target: key });
  for (const { pk, sk } of entriesIn(erasing, data)) changes.push({ kind: 'remove', pk, sk, if: 'any' });
  const duplicates: FoundDuplicate[] = [];
  for (const { name, place, held } of sentinelsOf(unique.uniques.building, unique.sentinels, data)) {
    if (held === undefined) changes.push({ kind: 'put', ...place, value: data.id, if: 'absent' });
    else if (held.value !== data.id) {
      changes.push({ kind: 'check', ...place, if: { version: held.version } });
      duplicates.push({ indexName: name, ids: [held.value, data.id] });
    }
  }
  for (const { place, held } of sentinelsOf(unique.uniques.erasing, unique.sentinels, data))
    if (held?.value === data.id) changes.push({ kind: 'remove', ...place, if: { version: held.version } });
  return { changes, duplicates };
}

type KeyedChange = Exclude<Change, { readonly kind: 'append' | 'check-empty' }>;

/** Where each of the indexes notes the record's values, and what it notes there. */
function sentinelsOf(uniques: readonly CompiledUnique[], sentinels: Sentinels, data: RecordData) {
  return uniques.flatMap((unique) => {
    const place = sentinelKey(unique, data);
    return place === undefined ? [] : [{ name: unique.name, place, held: sentinels.get(keyText(place)) }];
  });
}

function isTaking(change: Change): boolean {
  return change.kind === 'put';
}

function keyText({ pk, sk }: Key): string {
  return `${pk}\0${sk}`;
}
