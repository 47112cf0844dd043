import type { usageApi } from './management/usage.ts';
import type { BodyOf } from './route.ts';

type SentLimits = NonNullable<BodyOf<typeof usageApi.changePlan>['limits']>;

export type LimitName = keyof SentLimits;

/** What is left out has no limit but those of the platform itself. */
export type Limits = { readonly [Name in LimitName]?: number | undefined };

/** The limits of plans that are named without saying any. */
export const knownPlans = {
  free: {
    api_calls_per_day: 10_000,
    api_calls_per_month: 100_000,
    records: 10_000,
    entities: 25,
    indexes: 100,
    policies: 50,
    runs_per_day: 1000,
    deliveries_per_day: 5000,
    script_seconds_per_day: 600,
    mails_per_day: 200,
    run_days: 3,
    receipt_days: 3,
  },
  pro: {
    api_calls_per_day: 1_000_000,
    api_calls_per_month: 10_000_000,
    records: 1_000_000,
    entities: 250,
    indexes: 2500,
    policies: 500,
    runs_per_day: 100_000,
    deliveries_per_day: 500_000,
    script_seconds_per_day: 36_000,
    mails_per_day: 20_000,
    run_days: 30,
    receipt_days: 30,
  },
  unlimited: {},
} as const satisfies Readonly<Record<string, Limits>>;
