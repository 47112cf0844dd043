/** The metrics that a plan may limit, in display order. */
import type { LimitName, Limits } from '@freehold/contract/plans';

interface LimitWords {
  readonly label: string;
  /** The action at that usage. */
  readonly reached: string;
}

const automation = 'until the day is over in UTC';

export const limitWords = {
  api_calls_per_day: { label: 'Calls a day', reached: 'Writes of its apps are refused until the day is over in UTC.' },
  api_calls_per_month: {
    label: 'Calls a month',
    reached: 'Writes of its apps are refused until the month is over in UTC.',
  },
  records: { label: 'Records', reached: 'Writes of its apps are refused until records are removed.' },
  entities: { label: 'Entities of an environment', reached: 'None can be added. Those that exist go on.' },
  indexes: { label: 'Indexes of an environment', reached: 'None can be added. Those that exist go on.' },
  policies: { label: 'Policies of a workspace', reached: 'None can be added there. Those that exist go on.' },
  runs_per_day: { label: 'Runs a day', reached: `No logic block begins ${automation}.` },
  deliveries_per_day: { label: 'Deliveries a day', reached: `Deliveries of events wait ${automation}.` },
  script_seconds_per_day: { label: 'Script seconds a day', reached: `Script steps are refused ${automation}.` },
  mails_per_day: { label: 'Mails a day', reached: `Logic blocks send no mails ${automation}.` },
} as const satisfies Readonly<Partial<Record<LimitName, LimitWords>>>;

/** What may be used up. */
export type UsedName = keyof typeof limitWords;

export const usedNames = Object.keys(limitWords) as UsedName[];

/** For how many days something is kept; without a limit, seven. */
export const keepingWords = {
  run_days: 'Days that runs are kept',
  receipt_days: 'Days that receipts of deliveries are kept',
} as const satisfies Readonly<Partial<Record<LimitName, string>>>;

export type KeepingName = keyof typeof keepingWords;

export const keepingNames = Object.keys(keepingWords) as KeepingName[];

/** The usage of an org, including metrics that its plan does not limit. */
export type Used = Readonly<Record<UsedName, number>>;

export interface Reached extends LimitWords {
  readonly name: UsedName;
  readonly used: number;
  readonly limit: number;
}

/** The limits that are used up by what an org uses now. */
export function reachedLimits(limits: Limits, used: Used): readonly Reached[] {
  return usedNames.flatMap((name) => {
    const [limit, now] = [limits[name], used[name]];
    return limit === undefined || now < limit ? [] : [{ name, used: now, limit, ...limitWords[name] }];
  });
}
