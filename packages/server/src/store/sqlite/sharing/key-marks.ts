import { SharedSlots } from '../../../lib/shared-slots.ts';
import type { SharedMarks } from '../../attached-store.ts';
import type { Member } from '../../committing/apply-group.ts';
import { Unavailable } from '../../port.ts';
import { writtenNames } from './written-names.ts';

export function allocateMarks(): SharedMarks {
  return { changes: SharedSlots.allocate(), underWay: SharedSlots.allocate() };
}

/** Returned for a key that a group without an answer writes. */
export const beingWritten = -1;

/**
 * Tells all threads of a process which keys of a store are written, without messages. The thread that has the writer
 * runs every group by {@link KeyMarks.run}; each thread that keeps what it has read asks for the mark of the key.
 *
 * INVARIANT: a mark that was read before an item, and is the same now, means that the item is what the store holds
 * now, or held until a group began that has no answer yet. The count of groups under way is raised before the mark and
 * lowered behind it, so a mark that was read while none was under way is older than every later group.
 */
export class KeyMarks {
  readonly #changes: SharedSlots;
  readonly #underWay: SharedSlots;

  constructor({ changes, underWay }: SharedMarks) {
    this.#changes = new SharedSlots(changes);
    this.#underWay = new SharedSlots(underWay);
  }

  /** Another number after a group that writes the key has begun, and again before the group is answered. */
  at(name: string): number {
    return this.#changes.read(this.#changes.slotOf(name));
  }

  /** The mark that an item read from now on may be kept under; {@link beingWritten} where it must not be kept. */
  toKeep(name: string): number {
    const mark = this.at(name);
    return this.#underWay.read(this.#underWay.slotOf(name)) === 0 ? mark : beingWritten;
  }

  /** Runs a group of commits. */
  async run<T>(members: readonly Member[], runGroup: () => Promise<T>): Promise<T> {
    const names = members.flatMap(writtenNames).map(({ name }) => name);
    const changed = new Set(names.map((name) => this.#changes.slotOf(name)));
    const busy = new Set(names.map((name) => this.#underWay.slotOf(name)));
    for (const slot of busy) this.#underWay.add(slot, 1);
    for (const slot of changed) this.#changes.add(slot, 1);
    let isOver = true;
    try {
      return await runGroup();
    } catch (error) {
      // Anything else leaves open whether the group takes effect, and when: its keys are never kept again.
      isOver = error instanceof Unavailable;
      throw error;
    } finally {
      for (const slot of changed) this.#changes.add(slot, 1);
      if (isOver) for (const slot of busy) this.#underWay.add(slot, -1);
    }
  }
}
