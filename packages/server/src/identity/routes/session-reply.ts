import { type ConsoleSite, sessionCookie } from '../../api/headers/console-cookie.ts';
import { json, type Reply } from '../../api/reply.ts';
import type { RequestHead } from '../../api/request.ts';
import { sessionSeconds } from '../org-users/org-accounts.ts';

interface GivenSession {
  readonly token: string;
}

/** The token in the body, or for a page that asks for it in a cookie that no script can read. */
export function sessionReply(site: ConsoleSite, head: RequestHead, status: number, session: GivenSession): Reply {
  return head.headers['x-session'] === 'cookie' ? cookieReply(site, status, session) : json(status, session);
}

/** The session, or the step to it: a sign-in that waits for its second factor has none yet. */
export function sessionOrStep(
  site: ConsoleSite,
  head: RequestHead,
  answer: GivenSession | { readonly second_factor: unknown },
): Reply {
  return 'second_factor' in answer ? json(202, answer) : sessionReply(site, head, 200, answer);
}

export function cookieReply(site: ConsoleSite, status: number, { token, ...shown }: GivenSession): Reply {
  return json(status, shown, { 'Set-Cookie': sessionCookie(site, token, sessionSeconds) });
}
