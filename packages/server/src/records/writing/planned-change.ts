import { isDeepStrictEqual } from 'node:util';
import { Problem } from '../../lib/problem.ts';
import type { Change, Condition, Key } from '../../store/port.ts';
import { bothFigures } from '../../store/tally.ts';

/** One change and what a conflict on it means: plan again from the current state, or a refusal. */
export interface PlannedChange {
  readonly change: Change;
  readonly onConflict: 'replan' | (() => Problem);
}

export function unconditional(change: Change): PlannedChange {
  return { change, onConflict: 'replan' };
}

/**
 * Several writes on their way to be one commit, in which a key is named once. Each was planned on what stood before all
 * of them, so a key that several of them name keeps every condition and has the effect of the write: a value that one
 * write frees and another takes is simply handed over.
 */
export class MergedChanges {
  readonly #entries: MergedEntry[] = [];
  /** By partition and sort key. */
  readonly #places = new Map<string, Map<string, number>>();

  get changes(): readonly PlannedChange[] {
    return this.#entries.map(({ merged }) => merged);
  }

  /**
   * @param refused what is made of a refusal of this write, now or by the commit.
   * @throws Problem `conflict` where it wants something else of a key than the writes before it.
   */
  add(write: readonly PlannedChange[], refused: (problem: Problem) => Problem = (problem) => problem): void {
    for (const { change, onConflict } of write) {
      const next = { change, onConflict: onConflict === 'replan' ? onConflict : () => refused(onConflict()) };
      const place = 'sk' in change ? this.#placeOf(change) : this.#entries.length;
      const entry = entryWith(this.#entries[place] ?? nothing, next);
      if (entry === undefined) throw refused(contradiction());
      this.#entries[place] = entry;
    }
  }

  /** The index of the change of a key, or of one to come. */
  #placeOf({ pk, sk }: Key): number {
    const partition = this.#places.get(pk) ?? new Map<string, number>();
    if (partition.size === 0) this.#places.set(pk, partition);
    const place = partition.get(sk) ?? this.#entries.length;
    partition.set(sk, place);
    return place;
  }
}

/** Makes several writes one commit. @throws Problem `conflict` where two of them want different things of one key. */
export function mergeChanges(planned: readonly PlannedChange[]): readonly PlannedChange[] {
  const merged = new MergedChanges();
  merged.add(planned);
  return merged.changes;
}

/** All that is wanted of one key. */
interface WantedEffect {
  readonly effect: PlannedChange | undefined;
  /** The condition on the commit of the writes that only look at the key, and the first of them. */
  readonly looked: Condition;
  readonly look: PlannedChange | undefined;
  readonly isNeeded: boolean;
  /** The condition under which it is removed. */
  readonly removedIf: Condition | undefined;
}

interface MergedEntry extends WantedEffect {
  /** The one change that it comes to. */
  readonly merged: PlannedChange;
}

const nothing: WantedEffect = {
  effect: undefined,
  looked: 'any',
  look: undefined,
  isNeeded: false,
  removedIf: undefined,
};

/** Undefined where what is wanted is a contradiction. */
function entryWith(known: WantedEffect, next: PlannedChange): MergedEntry | undefined {
  const wanted = next.change.kind === 'check' ? withLook(known, next, next.change.if) : withEffect(known, next);
  if (wanted === undefined) return undefined;
  const merged = mergedOf(wanted);
  return merged === undefined ? undefined : { ...wanted, merged };
}

function withLook(known: WantedEffect, next: PlannedChange, condition: Condition): WantedEffect | undefined {
  const looked = bothHold(known.looked, condition) ?? changedMeanwhile(known.looked, condition);
  if (looked === undefined) return undefined;
  return { ...known, looked, look: known.look ?? next, isNeeded: known.isNeeded || condition === 'present' };
}

/** Two looks that saw it in two ways: no commit holds that, so all of it is planned again. */
function changedMeanwhile(left: Condition, right: Condition): Condition | undefined {
  const isState = (one: Condition): boolean => one === 'absent' || typeof one === 'object';
  return isState(left) && isState(right) ? { version: -1 } : undefined;
}

function withEffect(known: WantedEffect, next: PlannedChange): WantedEffect | undefined {
  const { removedIf } = known;
  const condition = next.change.kind === 'remove' ? next.change.if : undefined;
  // Two writes that remove one record would each take it off the count.
  if (removedIf !== undefined && condition !== undefined && (removedIf !== 'any' || condition !== 'any'))
    return undefined;
  const effect = known.effect === undefined ? next : bothEffects(known.effect, next);
  return effect === undefined ? undefined : { ...known, effect, removedIf: removedIf ?? condition };
}

function mergedOf({ effect, looked, look, isNeeded, removedIf }: WantedEffect): PlannedChange | undefined {
  // A key that one write needs to be there must not be removed by another, even if a third one replaces it.
  if (isNeeded && removedIf !== undefined) return undefined;
  const planned = effect ?? look;
  if (planned === undefined || looked === 'any') return planned;
  const { change } = planned;
  // A commit that writes an entry of a record also checks the record itself.
  if (change.kind === 'put-index') return looked === 'present' ? planned : undefined;
  if (change.kind !== 'put' && change.kind !== 'remove' && change.kind !== 'check') return undefined;
  const meanwhile =
    planned.onConflict === 'replan' && change.kind === 'put' ? changedMeanwhile(change.if, looked) : undefined;
  const condition = change.kind === 'check' ? looked : (bothHold(change.if, looked) ?? meanwhile);
  return condition === undefined ? undefined : { ...planned, change: { ...change, if: condition } };
}

/** The result of two writes of a key; undefined where they contradict each other. */
function bothEffects(left: PlannedChange, right: PlannedChange): PlannedChange | undefined {
  const [a, b] = [left.change, right.change];
  if (a.kind === 'add' && b.kind === 'add') return { ...left, change: { ...a, by: a.by + b.by } };
  if (a.kind === 'tally' && b.kind === 'tally') return { ...left, change: { ...a, by: bothFigures(a.by, b.by) } };
  if (a.kind === 'remove' && b.kind === 'put') return handOver(a.if, left, b);
  if (a.kind === 'put' && b.kind === 'remove') return handOver(b.if, right, a);
  if (a.kind === 'remove' && b.kind === 'remove') return left;
  if (a.kind === 'put' && b.kind === 'put' && b.if === 'absent' && right.onConflict === 'replan')
    return isDeepStrictEqual(a, b) ? left : undefined;
  // Of two that want to be the first to take a place, the second is refused as it would be alone.
  if (a.kind === 'put' && b.kind === 'put' && b.if === 'absent' && right.onConflict !== 'replan')
    throw right.onConflict();
  return undefined;
}

/** One write puts the key that another removes: it takes it over, as long as it is still as the removal found it. */
function handOver(
  condition: Condition,
  { onConflict }: PlannedChange,
  put: Extract<Change, { kind: 'put' }>,
): PlannedChange | undefined {
  if (put.if !== 'absent' && put.if !== 'any') return undefined;
  return { change: { ...put, if: condition }, onConflict };
}

function bothHold(left: Condition, right: Condition): Condition | undefined {
  if (left === 'any') return right;
  if (right === 'any') return left;
  if (left === 'absent' || right === 'absent') return left === right ? left : undefined;
  if (left === 'present') return right;
  return right === 'present' || left.version === right.version ? left : undefined;
}

function contradiction(): Problem {
  return new Problem('conflict', 'the operations contradict each other: two of them change the same record');
}
