import { queryOptions } from '@tanstack/react-query';
import { operate } from '../operate.ts';

/** What was read of orgs, which a change of one makes old. */
export const orgKey = 'operated orgs';

export const planQuery = (org: string) =>
  queryOptions({
    queryKey: [orgKey, 'plan', org],
    queryFn: ({ signal }) => operate('showPlan', { params: { org }, signal }),
  });
