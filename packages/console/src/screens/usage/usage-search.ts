import { capFigures, type ExplainedFigure, figures } from './queries.ts';

export const dayChoices = [7, 31, 90, 365] as const;

/** What is shown of usage, as it stands in the address. */
export interface UsageSearch {
  readonly days?: number;
  readonly of?: 'test' | 'prod';
  readonly explain?: ExplainedFigure;
}

export function readUsageSearch({ days, of, explain }: Record<string, unknown>): UsageSearch {
  const figure = [...figures, ...capFigures].find((one) => one === explain);
  const known = dayChoices.find((one) => one === Number(days));
  return {
    ...(known === undefined ? {} : { days: known }),
    ...(of === 'test' || of === 'prod' ? { of } : {}),
    ...(figure === undefined ? {} : { explain: figure }),
  };
}
