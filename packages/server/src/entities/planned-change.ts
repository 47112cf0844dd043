import { Problem } from '../lib/problem.ts';
import type { Change, Condition, Key } from '../store/port.ts';

/** One change and what a conflict on it means: plan again from what stands now, or a refusal. */
export interface PlannedChange {
  readonly change: Change;
  readonly onConflict: 'replan' | (() => Problem);
}

export function unconditional(change: Change): PlannedChange {
  return { change, onConflict: 'replan' };
}

/**
 * Several writes on their way to be one commit, in which a key is named once. Each was planned on what stood before all
 * of them, so a key that two of them change has the first condition that says something and the effect of the one that
 * writes: a value that one write frees and another takes is simply handed over.
 */
export class MergedChanges {
  readonly #changes: PlannedChange[] = [];
  /** By partition and sort key. */
  readonly #places = new Map<string, Map<string, number>>();

  get changes(): readonly PlannedChange[] {
    return this.#changes;
  }

  /**
   * @param refused what is made of a refusal of this write, now or by the commit.
   * @throws Problem `conflict` where it wants something else of a key than the writes before it.
   */
  add(write: readonly PlannedChange[], refused: (problem: Problem) => Problem = (problem) => problem): void {
    for (const { change, onConflict } of write) {
      const next = { change, onConflict: onConflict === 'replan' ? onConflict : () => refused(onConflict()) };
      const place = 'sk' in change ? this.#placeOf(change) : this.#changes.length;
      const known = this.#changes[place];
      const both = known === undefined ? next : mergeTwo(known, next);
      if (both === undefined) throw refused(contradiction());
      this.#changes[place] = both;
    }
  }

  /** Where the change of a key stands, or is to stand. */
  #placeOf({ pk, sk }: Key): number {
    const partition = this.#places.get(pk) ?? new Map<string, number>();
    if (partition.size === 0) this.#places.set(pk, partition);
    const place = partition.get(sk) ?? this.#changes.length;
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

/** Undefined where the two contradict each other. */
function mergeTwo(left: PlannedChange, right: PlannedChange): PlannedChange | undefined {
  const [a, b] = [left.change, right.change];
  if (a.kind === 'check') return underCheck(a.if, right);
  if (b.kind === 'check') return underCheck(b.if, left);
  if (a.kind === 'add' && b.kind === 'add') return { ...left, change: { ...a, by: a.by + b.by } };
  if (a.kind === 'remove' && b.kind === 'put') return handOver(a.if, left, b);
  if (a.kind === 'put' && b.kind === 'remove') return handOver(b.if, right, a);
  if (a.kind === 'remove' && b.kind === 'remove' && a.if === 'any' && b.if === 'any') return left;
  // Of two that want to be the first to take a place, the second is refused as it would be alone.
  if (a.kind === 'put' && b.kind === 'put' && b.if === 'absent' && right.onConflict !== 'replan')
    throw right.onConflict();
  return undefined;
}

/** A change of what another write only looks at. */
function underCheck(condition: Condition, planned: PlannedChange): PlannedChange | undefined {
  const { change } = planned;
  // Whoever writes an entry of a record holds the commit to the record itself.
  if (change.kind === 'put-index') return condition === 'present' ? planned : undefined;
  if (change.kind !== 'put' && change.kind !== 'remove' && change.kind !== 'check') return undefined;
  // A record that one write needs to be there must not be removed by another; one that is put stays.
  if (change.kind === 'remove' && condition === 'present') return undefined;
  const both = bothHold(change.if, condition);
  return both === undefined ? undefined : { ...planned, change: { ...change, if: both } };
}

/** What one write removes another puts: the place is taken over, as long as it is still as the removal found it. */
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
