/** What an org may use. Plans are data: these names have limits of their own, and an operator may make others. */
import type { usageApi } from '@freehold/contract/management/usage';
import { knownPlans } from '@freehold/contract/plans';
import type { BodyOf } from '@freehold/contract/route';
import { invalidBody } from '../../lib/problem.ts';

export const metrics = ['api_calls_per_day', 'api_calls_per_month', 'records'] as const;

export type Metric = (typeof metrics)[number];

/**
 * What an org may have configured: entities and indexes in each environment, policies in each workspace. Unlike a metric,
 * a cap that is reached closes nothing but what would add more.
 */
export const caps = ['entities', 'indexes', 'policies'] as const;

export type Cap = (typeof caps)[number];

/** What automation may do in a day, in both environments together. Where it is reached nothing but automation rests. */
export const workLimits = ['runs_per_day', 'deliveries_per_day', 'script_seconds_per_day', 'mails_per_day'] as const;

export type WorkLimit = (typeof workLimits)[number];

/** For how many days runs, and receipts of deliveries, are kept once they are over. */
export type Keeping = 'run_days' | 'receipt_days';

/** What is left out has no limit but those of the platform itself. */
export type Limits = Readonly<Partial<Record<Metric | Cap | WorkLimit | Keeping, number>>>;

export interface Plan {
  readonly name: string;
  readonly limits: Limits;
}

/** The default plan of orgs. */
export const defaultPlan: Plan = { name: 'unlimited', limits: {} };

export type SentPlan = BodyOf<typeof usageApi.changePlan>;

/** A plan by its name, whose limits are its own or those that are sent. @throws Problem `validation_failed`. */
export function readPlan({ name, limits }: SentPlan): Plan {
  const own = isKnown(name) ? knownPlans[name] : undefined;
  if (limits !== undefined) return { name, limits: definedLimits(limits) };
  if (own !== undefined) return { name, limits: own };
  const names = Object.keys(knownPlans).join(', ');
  const message = `\`limits\` is required: only ${names} have some of their own`;
  throw invalidBody([{ pointer: '/limits', code: 'required', message }]);
}

function isKnown(name: string): name is keyof typeof knownPlans {
  return Object.hasOwn(knownPlans, name);
}

function definedLimits(limits: Readonly<Partial<Record<keyof Limits, number | undefined>>>): Limits {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}
