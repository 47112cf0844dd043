import { call } from '../api/call.ts';
import { ApiProblem } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import { type Me, meQuery } from '../api/session.ts';
import { setTabOrg } from '../api/tab-org.ts';
import { announceOrg } from './org-channel.ts';

/**
 * A browser has one session, and a session has one org. A link into another org of the user switches to it; other tabs
 * are notified, so that none shows one org while its calls go to another.
 */
export async function enterOrg(code: string): Promise<'entered' | 'needs factor' | 'signed out' | 'no member'> {
  try {
    const me = await queryClient.ensureQueryData(meQuery);
    if (me.org.code !== code) await call('switchOrg', { body: { org: code } });
    setTabOrg(code);
    if (me.org.code === code) return stateOf(me);
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    if (error.status === 401) return 'signed out';
    if (error.code === 'not_found') return 'no member';
    throw error;
  }
  queryClient.clear();
  const me = await queryClient.ensureQueryData(meQuery);
  announceOrg(code);
  return stateOf(me);
}

/** If the org requires a second factor that the user does not have, nothing can be done but to add one. */
function stateOf({ second_factor }: Me): 'entered' | 'needs factor' {
  return second_factor.required && !second_factor.enrolled ? 'needs factor' : 'entered';
}
