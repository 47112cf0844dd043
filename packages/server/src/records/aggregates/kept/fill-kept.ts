/** The part of a job in aggregates: the records that stand are counted once each, and the rows of those that go are removed. */
import { compareBytes } from '../../../lib/byte-order.ts';
import type { CompiledEntity, IndexState } from '../../../schema/port.ts';
import type { Change, Key, PartRead, Scope, Tally } from '../../../store/port.ts';
import { asRead } from '../../../store/table.ts';
import { bothFigures } from '../../../store/tally.ts';
import { refusedChange } from '../../../store/transact.ts';
import type { RecordData } from '../../record.ts';
import {
  type AggregateFill,
  type CompiledAggregate,
  fillKey,
  isCrowded,
  keptFills,
  readFills,
  talliesOf,
} from './kept-rows.ts';

export type { CompiledAggregate };

export interface FilledEntity extends Pick<CompiledEntity, 'name' | 'directSortPrefix'> {
  readonly aggregates: readonly CompiledAggregate[];
}

/** The records of some places, one after the other, on their way to be counted in one commit. */
export class AggregateStep {
  readonly #entity: FilledEntity;
  readonly #fills: ReadonlyMap<CompiledAggregate, AggregateFill>;
  readonly #tallies = new Map<string, Tally>();
  #characters = 0;
  /** By aggregate the places that are counted. */
  readonly #places = new Map<CompiledAggregate, string[]>();

  private constructor(entity: FilledEntity, fills: ReadonlyMap<CompiledAggregate, AggregateFill>) {
    this.#entity = entity;
    this.#fills = fills;
  }

  static async open(scope: Scope, entity: FilledEntity): Promise<AggregateStep> {
    return new AggregateStep(entity, await readFills(scope, entity.name, entity.aggregates));
  }

  /** Whether it has as much as one commit should. */
  get isFull(): boolean {
    return this.#tallies.size >= rowsPerStep || this.#characters >= charactersPerStep;
  }

  add(place: string, data: RecordData): void {
    for (const [aggregate, fill] of this.#fills) {
      if (fill.isCounted(place)) continue;
      const places = this.#places.get(aggregate) ?? [];
      places.push(place);
      this.#places.set(aggregate, places);
      for (const tally of talliesOf(aggregate, undefined, data)) {
        const name = `${tally.pk}\0${tally.sk}`;
        const before = this.#tallies.get(name);
        if (before === undefined) this.#characters += tally.label.length;
        this.#tallies.set(name, before === undefined ? tally : { ...tally, by: bothFigures(before.by, tally.by) });
      }
    }
  }

  /**
   * The changes, beside which the commit holds each record to its version: no other record may lie between these.
   * @param pk where the places are.
   */
  changes(pk: string): readonly Change[] {
    const parts: PartRead[] = [];
    const changes: Change[] = [...this.#tallies.values()];
    for (const [aggregate, places] of this.#places) {
      const fill = this.#fills.get(aggregate);
      const last = places.at(-1);
      if (fill === undefined || last === undefined) continue;
      const from = this.#partBehind(fill);
      parts.push({ pk, ...from, before: last, count: places.length - 1 });
      const place = { entityName: this.#entity.name, aggregate };
      changes.push(keptFills.put(place, { after: last }, { if: asRead(fill.row) }));
    }
    return parts.length === 0 ? changes : [...changes, { kind: 'check-reads', items: [], parts: distinct(parts) }];
  }

  /** What says that all are counted, which a record behind the last place contradicts; undefined where that is known. */
  ending(pk: string): readonly Change[] | undefined {
    const open = [...this.#fills].filter(([, fill]) => !fill.isDone);
    if (open.length === 0) return undefined;
    const parts = open.map(([, fill]): PartRead => ({ pk, ...this.#partBehind(fill), count: 0 }));
    const ends = open.map(([aggregate, { row }]) =>
      keptFills.put({ entityName: this.#entity.name, aggregate }, { isDone: true }, { if: asRead(row) }),
    );
    return [...ends, { kind: 'check-reads', items: [], parts: distinct(parts) }];
  }

  /** The place behind which the first record lies that an aggregate lacks; undefined where it may be the first of all. */
  get start(): string | undefined {
    const places = [...this.#fills.values()].flatMap((fill) => (fill.isDone ? [] : [fill.after]));
    return places.reduce((least, place) => (isBefore(place, least) ? place : least), places.at(0));
  }

  #partBehind({ after }: AggregateFill): Pick<PartRead, 'prefix' | 'after'> {
    const { directSortPrefix: prefix } = this.#entity;
    return { ...(prefix === undefined ? {} : { prefix }), ...(after === undefined ? {} : { after }) };
  }
}

/** Ends the fill of aggregates in a workspace. `more`: a record lies behind the last counted record. */
export async function endFill(
  scope: Scope,
  entity: FilledEntity,
  { fenced, pk }: { readonly fenced: Change; readonly pk: string },
): Promise<'done' | 'more' | 'overtaken'> {
  const ending = (await AggregateStep.open(scope, entity)).ending(pk);
  const refused = ending && (await refusedChange(scope, [fenced, ...ending], { priority: 'background' }));
  if (refused === undefined) return 'done';
  return refused === 0 ? 'overtaken' : 'more';
}

/** A place that is undefined comes before all others. */
export function isBefore(left: string | undefined, right: string | undefined): boolean {
  if (left === undefined || right === undefined) return left === undefined && right !== undefined;
  return compareBytes(left, right) < 0;
}

const rowsPerStep = 1000;
const charactersPerStep = 1024 * 1024;

function distinct(parts: readonly PartRead[]): readonly PartRead[] {
  return [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()];
}

/** Those of the aggregates that have too many groups in the workspace. */
export async function crowdedAggregates(
  scope: Scope,
  aggregates: readonly CompiledAggregate[],
): Promise<readonly CompiledAggregate[]> {
  const crowded: CompiledAggregate[] = [];
  for (const aggregate of aggregates) if (await isCrowded(scope, aggregate)) crowded.push(aggregate);
  return crowded;
}

/** What may be read stays as long as it may be, and fails then. */
export function crowdedStates(
  states: readonly IndexState[],
  crowded: readonly CompiledAggregate[],
  tenantCode: string,
): readonly IndexState[] {
  return states.map((state): IndexState => {
    const isOne = crowded.some(({ id, name }) => state.kind === 'aggregate' && state.id === id && state.name === name);
    if (isOne && state.state === 'building') return { ...state, state: 'failed', crowdedIn: tenantCode };
    return isOne && state.state === 'ready' ? { ...state, state: 'dropping', crowdedIn: tenantCode } : state;
  });
}

const rowsPerCommit = 500;

/**
 * Removes all rows of aggregates that no writer writes any more.
 * @param held what each commit is held to. @returns whether that held.
 */
export async function removeKept(scope: Scope, { name, aggregates }: FilledEntity, held: Change): Promise<boolean> {
  for (const aggregate of aggregates)
    for (;;) {
      const rows: readonly Key[] = await scope.range(aggregate.pk, { limit: rowsPerCommit });
      const isLast = rows.length < rowsPerCommit;
      const gone = isLast ? [...rows, fillKey(name, aggregate)] : rows;
      const changes = gone.map(({ pk, sk }): Change => ({ kind: 'remove', pk, sk, if: 'any' }));
      if ((await refusedChange(scope, [held, ...changes], { priority: 'background' })) !== undefined) return false;
      if (isLast) break;
    }
  return true;
}
