import { timestamp } from '../../lib/clock.ts';
import { generateSigningKey, type StoredSigningKey } from './signing-key.ts';

/** Told of a key before the change is kept, so that there is no change that was not told of. */
export type RecordKeyChange = (kid: string) => Promise<void>;

/** The key that comes next. It is made once and told of once, however often it has to be tried to keep it. */
export class SpareKey {
  #made: StoredSigningKey | undefined;
  #isTold = false;

  /** @param times in milliseconds since the epoch. */
  async take(
    { now, signsFrom = now }: { readonly now: number; readonly signsFrom?: number },
    tell: RecordKeyChange,
  ): Promise<StoredSigningKey> {
    this.#made ??= await generateSigningKey(now);
    if (!this.#isTold) await tell(this.#made.kid);
    this.#isTold = true;
    return { ...this.#made, created_at: timestamp(now), signs_from: timestamp(signsFrom) };
  }

  /** Where it is among the keys that are kept, another comes next. */
  see(kept: readonly StoredSigningKey[]): void {
    if (!kept.some(({ kid }) => kid === this.#made?.kid)) return;
    this.#made = undefined;
    this.#isTold = false;
  }
}
