/**
 * Aggregates of a definition: a row of figures for each group, moved in the commit of each record. The store adds up, so
 * writers of one group do not get in each other's way, and a group without records has no row.
 */
import { hash } from 'node:crypto';
import { compareBytes } from '../../../lib/byte-order.ts';
import type { CompiledEntity } from '../../../schema/port.ts';
import type { Change, Item, Key, Scope, Tally } from '../../../store/port.ts';
import { asRead, json, type Row, table } from '../../../store/table.ts';
import { readTally } from '../../../store/tally.ts';
import { recordCounter } from '../../indexes/derive.ts';
import type { RecordData } from '../../record.ts';

export type CompiledAggregate = CompiledEntity['aggregates'][number];
type FilledEntity = Pick<CompiledEntity, 'name' | 'aggregates' | 'directSortPrefix'>;

/** With more of them in a workspace an aggregate fails. */
export const keptGroupsMax = 10_000;

interface GroupFigures {
  /** The JSON of the group's values: a list in the order of its fields. */
  readonly label: string;
  /** The records; then for each field with a sum that, and the records that have a value. */
  readonly figures: readonly bigint[];
}

export function figuresOf({ group, sums }: CompiledAggregate, data: RecordData): GroupFigures {
  return {
    label: JSON.stringify(group.map((field) => plainOf(data[field]))),
    figures: [1n, ...sums.flatMap((field) => summed(data[field]))],
  };
}

/** What no group can be made by counts as no value, as it does for the route. */
function plainOf(value: unknown): string | number | boolean | null {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

const noValue: readonly bigint[] = [0n, 0n];

function summed(value: unknown): readonly bigint[] {
  return typeof value === 'number' && Number.isSafeInteger(value) ? [BigInt(value), 1n] : noValue;
}

/** The place of a group, in which its values cannot be read. */
export function groupKey({ pk }: Pick<CompiledAggregate, 'pk'>, label: string): Key {
  return { pk, sk: hash('sha256', label, 'base64url') };
}

/** How the rows of an aggregate move when a record is made (`after` only), changed (both) or removed (`before` only). */
export function talliesOf(
  aggregate: CompiledAggregate,
  before: RecordData | undefined,
  after: RecordData | undefined,
): readonly Tally[] {
  const { group, sums } = aggregate;
  const isSame = (field: string): boolean => before?.[field] === after?.[field];
  if (before !== undefined && after !== undefined && group.every(isSame) && sums.every(isSame)) return [];
  const had = before && figuresOf(aggregate, before);
  const has = after && figuresOf(aggregate, after);
  if (had === undefined || has === undefined || had.label !== has.label)
    return [
      ...(had === undefined ? [] : [tally(aggregate, had.label, had.figures.map(negative))]),
      ...(has === undefined ? [] : [tally(aggregate, has.label, has.figures)]),
    ];
  const by = has.figures.map((figure, at) => figure - (had.figures[at] ?? 0n));
  return by.every((one) => one === 0n) ? [] : [tally(aggregate, has.label, by)];
}

function tally(aggregate: Pick<CompiledAggregate, 'pk'>, label: string, by: readonly bigint[]): Tally {
  return { kind: 'tally', ...groupKey(aggregate, label), label, by };
}

function negative(figure: bigint): bigint {
  return -figure;
}

interface WrittenRecord {
  readonly key: Key;
  readonly data: RecordData;
}

/** What a write of one record does to the aggregates of its entity. Asked of entities that have some. */
export async function keptChanges(
  scope: Scope,
  entity: FilledEntity,
  { before, after }: { readonly before?: WrittenRecord | undefined; readonly after?: WrittenRecord | undefined },
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  const fills = await readFills(scope, entity.name, entity.aggregates.filter(isBeingFilled));
  for (const aggregate of entity.aggregates) {
    if (aggregate.isErasing) continue;
    const fill = fills.get(aggregate);
    const counted = (record: WrittenRecord | undefined): RecordData | undefined =>
      record === undefined || fill?.isCounted(placeOf(entity, record)) === false ? undefined : record.data;
    changes.push(...talliesOf(aggregate, counted(before), counted(after)));
    if (fill === undefined) continue;
    const place = { entityName: entity.name, aggregate };
    // The job counts the records up to a place and moves it in the same commit: neither counts what the other does.
    if (!fill.isEmpty) changes.push({ kind: 'check', ...keptFills.key(place), if: asRead(fill.row) });
    // The first record of all: there is none that the job could have to count.
    else changes.push(keptFills.insert(place, { isDone: true }));
  }
  return changes;
}

function isBeingFilled({ isBuilding }: CompiledAggregate): boolean {
  return isBuilding;
}

/** Of a record in the order in which a job goes through them, as `walkRecords` has it. */
function placeOf({ directSortPrefix }: FilledEntity, { key, data }: WrittenRecord): string {
  return directSortPrefix === undefined ? data.id : key.sk;
}

// How far the job is that fills an aggregate.

/** Up to which place the records of a workspace are counted. `isDone`: to the end, and so is each that comes. */
interface FillRow {
  readonly after?: string;
  readonly isDone?: true;
}

interface FillPlace {
  readonly entityName: string;
  readonly aggregate: Pick<CompiledAggregate, 'name' | 'id'>;
}

export const keptFills = table(
  ({ entityName, aggregate }: FillPlace) => fillKey(entityName, aggregate),
  json<FillRow>('note of how far an aggregate is', {}),
);

export const keptFillPartition = 'kept-fill';

export function fillKey(entityName: string, { name, id }: FillPlace['aggregate']): Key {
  return { pk: keptFillPartition, sk: `${entityName};${name}@${id}` };
}

export interface AggregateFill {
  readonly row: Row<FillRow> | undefined;
  /** Undefined where no record is counted yet, and where all are. */
  readonly after: string | undefined;
  readonly isDone: boolean;
  /** Nothing is noted, and there is no record. */
  readonly isEmpty: boolean;
  isCounted(place: string): boolean;
}

export async function readFills(
  scope: Scope,
  entityName: string,
  building: readonly CompiledAggregate[],
): Promise<ReadonlyMap<CompiledAggregate, AggregateFill>> {
  if (building.length === 0) return noFills;
  const rows = await keptFills.readMany(
    scope,
    building.map((aggregate) => ({ entityName, aggregate })),
  );
  const [counter] = rows.includes(undefined) ? await scope.get([recordCounter(entityName)]) : [];
  const hasRecords = Number(counter?.value ?? 0) !== 0;
  return new Map(building.map((aggregate, at) => [aggregate, fillOf(rows[at], hasRecords)]));
}

const noFills: ReadonlyMap<CompiledAggregate, AggregateFill> = new Map();

function fillOf(row: Row<FillRow> | undefined, hasRecords: boolean): AggregateFill {
  const after = row?.value.after;
  const isDone = row?.value.isDone === true;
  const isEmpty = row === undefined && !hasRecords;
  return {
    row,
    after: isDone ? undefined : after,
    isDone,
    isEmpty,
    isCounted: (place) => isDone || isEmpty || (after !== undefined && compareBytes(place, after) <= 0),
  };
}

// Rows as they are read.

export interface GroupRow {
  /** In the order of the fields of the group. */
  readonly values: readonly unknown[];
  readonly figures: readonly bigint[];
}

/** Undefined where it is no row of the aggregate, or says what cannot be. */
export function readGroupRow({ group, sums }: CompiledAggregate, { value }: Pick<Item, 'value'>): GroupRow | undefined {
  try {
    const { label, figures } = readTally(value);
    const values: unknown = JSON.parse(label);
    const isWhole = Array.isArray(values) && values.length === group.length && figures.length === 1 + 2 * sums.length;
    return isWhole && (figures[0] ?? 0n) > 0n ? { values, figures } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether there are more groups than an aggregate may have in a workspace. */
export async function isCrowded(scope: Scope, { pk }: Pick<CompiledAggregate, 'pk'>): Promise<boolean> {
  return (await scope.count(pk, {}, keptGroupsMax + 1)) > keptGroupsMax;
}
