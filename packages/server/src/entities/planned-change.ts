import { Problem } from '../lib/problem.ts';
import type { Change, Condition } from '../store/port.ts';

/** One change and what a conflict on it means: plan again from what stands now, or a refusal. */
export interface PlannedChange {
  readonly change: Change;
  readonly onConflict: 'replan' | (() => Problem);
}

export function unconditional(change: Change): PlannedChange {
  return { change, onConflict: 'replan' };
}

/**
 * Makes several writes one commit, in which a key is named once. Each was planned on what stood before all of them, so
 * a key that two of them change has the first condition that says something and the effect of the one that writes: a
 * value that one write frees and another takes is simply handed over.
 * @throws Problem `conflict` where two writes want different things of one key.
 */
export function mergeChanges(planned: readonly PlannedChange[]): readonly PlannedChange[] {
  const merged: PlannedChange[] = [];
  const places = new Map<string, number>();
  for (const next of planned) {
    const { change } = next;
    if (!('sk' in change)) {
      merged.push(next);
      continue;
    }
    const key = `${change.pk}\0${change.sk}`;
    const place = places.get(key);
    const known = place === undefined ? undefined : merged[place];
    if (place === undefined || known === undefined) {
      places.set(key, merged.length);
      merged.push(next);
    } else merged[place] = mergeTwo(known, next);
  }
  return merged;
}

function mergeTwo(left: PlannedChange, right: PlannedChange): PlannedChange {
  const [a, b] = [left.change, right.change];
  if (a.kind === 'add' && b.kind === 'add') return { ...left, change: { ...a, by: a.by + b.by } };
  if (a.kind === 'check' && b.kind === 'check') return { ...left, change: { ...a, if: bothHold(a.if, b.if) } };
  // A record that one write needs to be there must not be removed by another; one that is put stays.
  if (a.kind === 'check' && b.kind === 'put') return { ...right, change: { ...b, if: bothHold(b.if, a.if) } };
  if (a.kind === 'put' && b.kind === 'check') return mergeTwo(right, left);
  if (a.kind === 'remove' && b.kind === 'put') return handOver(b, a, right);
  if (a.kind === 'put' && b.kind === 'remove') return handOver(a, b, left);
  if (a.kind === 'remove' && b.kind === 'remove' && a.if === 'any' && b.if === 'any') return left;
  // Of two that want to be the first to take a place, the second is refused as it would be alone.
  if (a.kind === 'put' && b.kind === 'put' && b.if === 'absent' && right.onConflict !== 'replan')
    throw right.onConflict();
  throw contradiction();
}

/** What one write removes another puts: the place is taken over from who had it. */
function handOver(
  put: Extract<Change, { kind: 'put' }>,
  remove: Extract<Change, { kind: 'remove' }>,
  planned: PlannedChange,
): PlannedChange {
  if (put.if !== 'absent' && put.if !== 'any') throw contradiction();
  return { ...planned, change: { ...put, if: remove.if } };
}

function bothHold(left: Condition, right: Condition): Condition {
  if (left === 'any') return right;
  if (right === 'any') return left;
  if (left === 'absent' || right === 'absent') {
    if (left === right) return left;
    throw contradiction();
  }
  if (left === 'present') return right;
  if (right === 'present' || left.version === right.version) return left;
  throw contradiction();
}

function contradiction(): Problem {
  return new Problem('conflict', 'the operations contradict each other: two of them change the same record');
}
