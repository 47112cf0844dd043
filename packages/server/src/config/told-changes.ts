/** Tells which configurations may have changed, where this thread alone writes the stores. */
import { SharedSlots } from '../lib/shared-slots.ts';
import { type Change, OutcomeUnknown, type ScopeName } from '../store/port.ts';
import { configHeadKey } from './org-keys.ts';

/**
 * INVARIANT: a number that was read before a configuration, and is the same now, means that the configuration is the one
 * that the store holds, if every commit is made by `told`.
 */
export class ToldChanges {
  readonly #slots = new SharedSlots(SharedSlots.allocate());
  /** Of commits of which it is not known whether and when they take effect. */
  readonly #unknown = new Set<number>();

  /** Makes a call of the store. */
  async told<T>(
    { scope, changes }: { readonly scope: ScopeName; readonly changes?: readonly Change[] },
    call: () => Promise<T>,
  ): Promise<T> {
    if (changes?.some(isOfHead) !== true) return call();
    const slot = this.#slots.slotOf(scope);
    this.#slots.add(slot, 1);
    try {
      return await call();
    } catch (error) {
      if (error instanceof OutcomeUnknown) this.#unknown.add(slot);
      throw error;
    } finally {
      this.#slots.add(slot, 1);
    }
  }

  /** Another number after each change; one that equals none where that cannot be told. */
  at(scope: ScopeName): number {
    const slot = this.#slots.slotOf(scope);
    return this.#unknown.has(slot) ? Number.NaN : this.#slots.read(slot);
  }
}

function isOfHead(change: Change): boolean {
  return 'sk' in change && change.pk === configHeadKey.pk && change.sk === configHeadKey.sk && change.kind !== 'check';
}
