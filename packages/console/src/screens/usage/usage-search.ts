import { capFigures, type ExplainedFigure, figures } from './figures.ts';

export const dayChoices = [7, 31, 90, 365] as const;

/** The filters of usage, as they are in the address. */
export interface UsageSearch {
  readonly days?: number | undefined;
  readonly of?: 'test' | 'prod' | undefined;
  readonly explain?: ExplainedFigure | undefined;
}

/** What makes no sense is undefined, not left out: the router would keep it as it was sent. */
export function readUsageSearch({ days, of, explain }: Record<string, unknown>): UsageSearch {
  return {
    days: dayChoices.find((one) => one === Number(days)),
    of: of === 'test' || of === 'prod' ? of : undefined,
    explain: [...figures, ...capFigures].find((one) => one === explain),
  };
}
