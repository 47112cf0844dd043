import type { Item, Key, Scope } from '../../store/port.ts';
import type { Drift } from './findings.ts';

/** What should hold of one key. `judge` is given what lies there; it may have to ask about another key in turn. */
export interface Claim {
  readonly key: Key;
  readonly judge: (item: Item | undefined) => Verdict;
}

/** Undefined where the claim holds. */
export type Verdict = Drift | Claim | undefined;

const keysPerRead = 500;

/** Judges claims, and those that they lead to, in reads of many keys. */
export async function judgeClaims(
  scope: Scope,
  claims: readonly Claim[],
  report: (drift: Drift) => void,
): Promise<void> {
  const waiting = [...claims];
  while (waiting.length > 0) {
    const asked = waiting.splice(0, keysPerRead);
    const items = await scope.get(asked.map(({ key }) => key));
    for (const [index, claim] of asked.entries()) {
      const verdict = claim.judge(items[index]);
      if (verdict === undefined) continue;
      if ('judge' in verdict) waiting.push(verdict);
      else report(verdict);
    }
  }
}
