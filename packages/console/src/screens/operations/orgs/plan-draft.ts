/** What is chosen in the form of a plan, before it is one. */
import { knownPlans, type LimitName, type Limits } from '@freehold/contract/plans';
import { keepingNames, usedNames } from './limits.ts';

export type BuiltInPlan = keyof typeof knownPlans;

/** A plan by its name, or one with a name and limits of its own. */
export type PlanChoice = BuiltInPlan | 'own';

const knownNames = Object.keys(knownPlans) as BuiltInPlan[];

export interface PlanDraft {
  readonly choice: PlanChoice;
  readonly ownName: string;
  /** Those of `own`: what was typed, or that there is no limit. */
  readonly ownLimits: Readonly<Record<LimitName, OwnLimit>>;
}

export interface OwnLimit {
  readonly isUnlimited: boolean;
  /** A whole number once it is right. */
  readonly typed: number | string;
}

const limitNames: readonly LimitName[] = [...usedNames, ...keepingNames];

export interface StoredPlan {
  readonly name: string;
  readonly limits: Limits;
}

/** Begins with the plan that an org has. */
export function draftOf({ name, limits }: StoredPlan): PlanDraft {
  const known = knownNames.find((one) => one === name && isSame(knownPlans[one], limits));
  return {
    choice: known ?? 'own',
    ownName: known === undefined ? name : '',
    ownLimits: ownLimitsOf(limits),
  };
}

/** A plan of one's own begins with the limits that were shown before. */
export function chosen(draft: PlanDraft, choice: PlanChoice): PlanDraft {
  const isFromKnown = choice === 'own' && draft.choice !== 'own';
  return { ...draft, choice, ...(isFromKnown ? { ownLimits: ownLimitsOf(knownPlans[draft.choice]) } : {}) };
}

export interface DraftFaults {
  readonly name: string | undefined;
  readonly limits: Readonly<Partial<Record<LimitName, string>>>;
}

/** The faults of a draft; undefined if it can be sent. */
export function faultsOf(draft: PlanDraft): DraftFaults | undefined {
  if (draft.choice !== 'own') return undefined;
  const name = nameFault(draft.ownName);
  const faults = limitNames.flatMap((limit) => {
    const fault = limitFault(limit, draft.ownLimits[limit]);
    return fault === undefined ? [] : [[limit, fault] as const];
  });
  return name === undefined && faults.length === 0 ? undefined : { name, limits: Object.fromEntries(faults) };
}

/** The limits that a draft would set. What is not a number yet is left out. */
export function limitsOf({ choice, ownLimits }: PlanDraft): Limits {
  if (choice !== 'own') return knownPlans[choice];
  return Object.fromEntries(
    limitNames.flatMap((name) => {
      const { isUnlimited, typed } = ownLimits[name];
      return isUnlimited || typeof typed !== 'number' ? [] : [[name, typed]];
    }),
  );
}

/** The data that are sent. */
export function planOf(draft: PlanDraft): { readonly name: string; readonly limits?: Limits } {
  return draft.choice === 'own' ? { name: draft.ownName, limits: limitsOf(draft) } : { name: draft.choice };
}

function ownLimitsOf(limits: Limits): PlanDraft['ownLimits'] {
  const entries = limitNames.map((name) => {
    const limit = limits[name];
    return [name, { isUnlimited: limit === undefined, typed: limit ?? '' }];
  });
  return Object.fromEntries(entries) as PlanDraft['ownLimits'];
}

function nameFault(name: string): string | undefined {
  if (name === '') return 'Give the plan a name.';
  if (knownNames.some((known) => known === name)) return 'This name is that of a plan with limits of its own.';
  if (/^[a-z][a-z0-9_-]{0,63}$/.test(name)) return undefined;
  return 'Lower-case letters, digits, - and _, beginning with a letter, at most 64.';
}

function limitFault(name: LimitName, { isUnlimited, typed }: OwnLimit): string | undefined {
  if (isUnlimited) return undefined;
  const isDays = keepingNames.some((keeping) => keeping === name);
  if (typed === '')
    return isDays ? 'Type a number of days, or choose the default.' : 'Type a number, or choose Unlimited.';
  if (typeof typed !== 'number' || !Number.isSafeInteger(typed) || typed < 0)
    return 'This is no whole number from 0 on.';
  return isDays && (typed < 1 || typed > 400) ? 'From 1 to 400 days.' : undefined;
}

function isSame(one: Limits, other: Limits): boolean {
  return limitNames.every((name) => one[name] === other[name]);
}
