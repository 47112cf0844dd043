import type { policyLabApi } from '@freehold/contract/management/access/policy-lab';
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

  /** The enforced Denies that are held. */
  denies(): readonly unknown[] {
    return [...this.#held.values()].flatMap((policy) =>
      elementsOf(policy).filter((element) => readStatement(element).Effect === 'Deny' && !isReportOnly(element)),
    );
  }

  /** The report-only statements that are held. */
  reports(): readonly unknown[] {
    return [...this.#held.values()].flatMap((policy) => elementsOf(policy).filter(isReportOnly));
  }

  async unused(pause: () => Promise<void> | undefined): Promise<readonly Unused[]> {
    const all: Unused[] = [];
    for (const policy of [...this.#held.values()].toSorted((one, other) =>
      one.policyName < other.policyName ? -1 : 1,
    ))
      for (const [index, element] of elementsOf(policy).entries()) {
        await pause();
        const unused = this.#unusedOf(policy, element, index);
        if (unused !== undefined) all.push(unused);
        if (all.length >= unusedMax) return all;
      }
    return all;
  }

  #unusedOf({ policyId, policyName }: AttachedPolicy, element: unknown, index: number): Unused | undefined {
    const { Sid, Effect, Action = [], errors } = readStatement(element);
    if (Effect !== 'Allow' || errors.length > 0 || isReportOnly(element)) return undefined;
    const used = [...(this.#actions.get(`${policyId} ${index}`) ?? [])];
    const unused = Action.filter((pattern) => !isUsed(pattern, used));
    if (unused.length === 0) return undefined;
    const named = Sid === undefined ? {} : { Sid };
    const whole = unused.length === Action.length;
    return { policy_id: policyId, policy: policyName, index, ...named, Action: unused, whole };
  }
}

function covers(pattern: string, action: string): boolean {
  return isUsed(pattern, [action]);
}

function isUsed(pattern: string, actions: readonly string[]): boolean {
  const glob = compileGlob(foldAscii(pattern));
  return actions.some((action) => matchesGlob(glob, action, { stepsLeft: 100_000 }));
}

function elementsOf({ statements }: AttachedPolicy): readonly unknown[] {
  return Array.isArray(statements) ? statements : [];
}

/** The enforced Denies that may concern an action. */
export function deniesAbout(held: readonly AttachedPolicy[], action: string): readonly unknown[] {
  return held.flatMap((policy) =>
    elementsOf(policy).filter((element) => {
      const { Effect, Action = [] } = readStatement(element);
      return Effect === 'Deny' && !isReportOnly(element) && Action.some((pattern) => covers(pattern, action));
    }),
  );
}
