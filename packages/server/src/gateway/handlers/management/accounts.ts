import type { IncomingMessage } from 'node:http';
import { accountsApi } from '@freehold/contract/management/accounts';
import { orgUsersApi } from '@freehold/contract/management/org-users';
import { commandSignInsApi, signInLinksApi } from '@freehold/contract/management/sign-in-links';
import {
  type CommandSignIns,
  clientWords,
  type OrgAccounts,
  type ShownSession,
  type SignInLinks,
  sessionSeconds,
} from '../../../identity/port.ts';
import { notFound } from '../../../lib/problem.ts';
import { type ConsoleSite, isCookieCall, sessionCookie, siteUrl } from '../../pipeline/headers/console-cookie.ts';
import { json, type Reply } from '../../reply.ts';
import type { ManagementRoute } from '../../routing/management-route.ts';
import { serve, serveReply } from '../../serve.ts';

export interface AccountServices {
  readonly accounts: OrgAccounts;
  readonly commandSignIns: CommandSignIns;
  /** Undefined in production. */
  readonly signInLinks: SignInLinks | undefined;
  readonly site: ConsoleSite;
}

/** The builder's own account, and his sessions. */
export function accountRoutes({
  accounts,
  commandSignIns,
  signInLinks,
  site,
}: AccountServices): readonly ManagementRoute[] {
  return [
    ...signInLinkRoutes({ signInLinks, site }),
    serve(commandSignInsApi.decideCommandSignIn, ({ body }, caller) => commandSignIns.decide(caller, body)),
    serve(commandSignInsApi.signInCommand, ({ body, ip }) => commandSignIns.use(body, ip)),
    serveReply(accountsApi.signUp, async ({ incoming, body, ip, requestId }) =>
      sessionReply(site, incoming, 201, await accounts.signUp(body, { ip, requestId })),
    ),
    serveReply(accountsApi.logIn, async ({ incoming, body, ip }) =>
      sessionReply(site, incoming, 200, await accounts.logIn(body, ip)),
    ),
    serveReply(orgUsersApi.acceptInvitation, async ({ incoming, body, ip, requestId }) =>
      sessionReply(site, incoming, 200, await accounts.acceptInvitation(body, { ip, requestId })),
    ),
    serve(orgUsersApi.listOwnOrgs, async (_request, caller) => {
      return { items: await accounts.orgs(caller) };
    }),
    serveReply(orgUsersApi.switchOrg, async ({ incoming, body }, caller) => {
      const switched = await accounts.switchOrg(caller, body);
      if (!isCookieCall(incoming)) return json(200, switched);
      // A browser has one cookie, so no caller holds the earlier session any more.
      await accounts.endSession(caller, caller.sessionId);
      return cookieReply(site, 200, switched);
    }),
    serveReply(accountsApi.logOut, async ({ incoming }, caller) => {
      await accounts.endSession(caller, caller.sessionId);
      return isCookieCall(incoming) ? { status: 204, headers: cleared(site) } : { status: 204 };
    }),
    serve(accountsApi.readMe, (_request, { user, org: { code, name, environments }, role }) => {
      return { user, org: { code, name, environments }, role };
    }),
    serve(orgUsersApi.listSessions, async ({ incoming }, caller) => {
      const client = clientWords(incoming.headers['user-agent']);
      // Of the session in hand it is known before it is noted.
      const withClient = (session: ShownSession) =>
        session.current && client !== undefined ? { ...session, client } : session;
      return { items: (await accounts.sessions(caller)).map(withClient) };
    }),
    serve(orgUsersApi.endOtherSessions, async (_request, caller) => {
      return { ended: await accounts.endOtherSessions(caller) };
    }),
    serve(orgUsersApi.endSession, async ({ params }, caller) => {
      await accounts.endSession(caller, params.id);
    }),
  ];
}

/** For development: a link that is printed at a start signs in by itself. */
function signInLinkRoutes({ signInLinks, site }: Pick<AccountServices, 'signInLinks' | 'site'>) {
  const links = (): SignInLinks => {
    if (signInLinks === undefined) throw notFound();
    return signInLinks;
  };
  return [
    serve(signInLinksApi.createSignInLink, async ({ incoming }, caller) => {
      const issued = await links().issue(caller);
      return { url: `${siteUrl(site, incoming)}/sign-in/link#code=${issued.code}`, ...issued };
    }),
    serveReply(signInLinksApi.signInByLink, async ({ incoming, body, ip }) =>
      sessionReply(site, incoming, 200, await links().use(body.code, ip)),
    ),
  ];
}

interface GivenSession {
  readonly token: string;
}

/** The token in the body, or for a page that asks for it in a cookie that no script can read. */
function sessionReply(site: ConsoleSite, incoming: IncomingMessage, status: number, session: GivenSession): Reply {
  return incoming.headers['x-session'] === 'cookie' ? cookieReply(site, status, session) : json(status, session);
}

function cookieReply(site: ConsoleSite, status: number, { token, ...shown }: GivenSession): Reply {
  return json(status, shown, { 'Set-Cookie': sessionCookie(site, token, sessionSeconds) });
}

function cleared(site: ConsoleSite): Readonly<Record<string, string>> {
  return { 'Set-Cookie': sessionCookie(site, '', 0) };
}
