import { useNavigate } from '@tanstack/react-router';
import { queryClient } from '../../api/query-client.ts';
import { announceOrg } from '../../shell/org-channel.ts';

/** Asks for the session as a cookie that no script can read. */
export const asCookie = { 'X-Session': 'cookie' } as const;

/** Goes on with a new session: to its org, or where the user was going. */
export function useSessionStarted(): (org: string, next?: string) => Promise<void> {
  const navigate = useNavigate();
  return async (org, next) => {
    queryClient.clear();
    announceOrg(org);
    if (next === undefined) await navigate({ to: '/o/$org/$env', params: { org, env: 'test' } });
    else await navigate({ to: next });
  };
}
