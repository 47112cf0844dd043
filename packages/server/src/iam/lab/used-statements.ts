import type { policyLabApi } from '@freehold/contract/management/lab/policy-lab';
import type { ReplyOf } from '@freehold/contract/route';
import {
  type AttachedPolicy,
  compileGlob,
  foldAscii,
  isReportOnly,
  type MatchedStatement,
  matchesGlob,
  readStatement,
} from '../../access/port.ts';

type Unused = ReplyOf<typeof policyLabApi.suggestPolicy>['unused'][number];

const unusedMax = 200;

/** Which of the Allows that members hold were used, pattern by pattern. */
export class UsedStatements {
  readonly #held = new Map<string, AttachedPolicy>();
  /** The actions for which a statement was needed. */
  readonly #actions = new Map<string, Set<string>>();

  hold(held: readonly AttachedPolicy[]): void {
    for (const policy of held) this.#held.set(policy.policyId, policy);
  }

  use({ policyId, index }: MatchedStatement, action: string): void {
    const key = `${policyId} ${index}`;
    const actions = this.#actions.get(key) ?? new Set();
    this.#actions.set(key, actions.add(action));
  }

  unused(): readonly Unused[] {
    return [...this.#held.values()]
      .toSorted((one, other) => (one.policyName < other.policyName ? -1 : 1))
      .flatMap((policy) => this.#unusedOf(policy))
      .slice(0, unusedMax);
  }

  #unusedOf({ policyId, policyName, statements }: AttachedPolicy): readonly Unused[] {
    const elements: readonly unknown[] = Array.isArray(statements) ? statements : [];
    return elements.flatMap((element, index): readonly Unused[] => {
      const { Sid, Effect, Action = [], errors } = readStatement(element);
      if (Effect !== 'Allow' || errors.length > 0 || isReportOnly(element)) return [];
      const used = [...(this.#actions.get(`${policyId} ${index}`) ?? [])];
      const unused = Action.filter((pattern) => !used.some((action) => covers(pattern, action)));
      if (unused.length === 0) return [];
      const named = Sid === undefined ? {} : { Sid };
      const whole = unused.length === Action.length;
      return [{ policy_id: policyId, policy: policyName, index, ...named, Action: unused, whole }];
    });
  }
}

function covers(pattern: string, action: string): boolean {
  return matchesGlob(compileGlob(foldAscii(pattern)), action, { stepsLeft: 100_000 });
}

/** The enforced Denies that may concern an action. */
export function deniesAbout(held: readonly AttachedPolicy[], action: string): readonly unknown[] {
  return held.flatMap(({ statements }) => {
    const elements: readonly unknown[] = Array.isArray(statements) ? statements : [];
    return elements.filter((element) => {
      const { Effect, Action = [] } = readStatement(element);
      return Effect === 'Deny' && !isReportOnly(element) && Action.some((pattern) => covers(pattern, action));
    });
  });
}
