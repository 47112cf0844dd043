/** Tells which configurations may have changed, where this process alone writes the stores. */
import { BoundedMap } from '../lib/bounded-map.ts';
import { type Change, OutcomeUnknown, type ScopeName } from '../store/port.ts';
import { configHeadKey } from './org-keys.ts';

/** More than configurations are kept of. */
const scopesMax = 100_000;

/**
 * INVARIANT: a number that was read before a configuration, and is the same now, means that the configuration is the one
 * that the store holds, if every commit is made by `told`.
 */
export class ToldChanges {
  readonly #changes = new BoundedMap<ScopeName, number>(scopesMax);
  /** Of commits of which it is not known whether and when they take effect. */
  readonly #unknown = new Set<ScopeName>();
  #last = 0;

  /** Makes a call of the store. */
  async told<T>(
    { scope, changes }: { readonly scope: ScopeName; readonly changes?: readonly Change[] },
    call: () => Promise<T>,
  ): Promise<T> {
    if (changes?.some(isOfHead) !== true) return call();
    this.#change(scope);
    try {
      return await call();
    } catch (error) {
      if (error instanceof OutcomeUnknown) this.#unknown.add(scope);
      throw error;
    } finally {
      this.#change(scope);
    }
  }

  /** Another number after each change; one that equals none where that cannot be told. */
  at(scope: ScopeName): number {
    return this.#unknown.has(scope) ? Number.NaN : (this.#changes.get(scope) ?? this.#change(scope));
  }

  #change(scope: ScopeName): number {
    this.#last += 1;
    this.#changes.set(scope, this.#last);
    return this.#last;
  }
}

function isOfHead(change: Change): boolean {
  return 'sk' in change && change.pk === configHeadKey.pk && change.sk === configHeadKey.sk && change.kind !== 'check';
}
