import { accountsApi } from '@freehold/contract/management/accounts';
import { orgUsersApi } from '@freehold/contract/management/org-users';
import { passwordsApi } from '@freehold/contract/management/passwords';
import { commandSignInsApi, signInLinksApi } from '@freehold/contract/management/sign-in-links';
import { type ConsoleSite, isCookieCall, mailedUrl, sessionCookie, siteUrl } from '../../api/headers/console-cookie.ts';
import { json } from '../../api/reply.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve, serveReply } from '../../api/serve.ts';
import { notFound } from '../../lib/problem.ts';
import type { ShownSession } from '../org-users/org-accounts.ts';
import { shownEnvironments } from '../org-users/org-directory.ts';
import type { SignInLinks } from '../org-users/sign-in-links.ts';
import { passkeySite } from '../passkey-site.ts';
import { clientWords } from '../sessions/client-words.ts';
import type { IdentityRouteDeps } from './deps.ts';
import { cookieReply, sessionOrStep, sessionReply } from './session-reply.ts';

/** The builder's own account, and his sessions. */
export function accountRoutes({ accounts, commandSignIns, signInLinks, site }: IdentityRouteDeps): readonly AnyRoute[] {
  return [
    ...signInLinkRoutes({ signInLinks, site }),
    serve(commandSignInsApi.decideCommandSignIn, ({ body }, caller) => commandSignIns.decide(caller, body)),
    serve(commandSignInsApi.signInCommand, ({ body, ip }) => commandSignIns.use(body, ip)),
    serveReply(accountsApi.signUp, async ({ head, body, ip, requestId }) =>
      sessionReply(site, head, 201, await accounts.signUp(body, { ip, requestId })),
    ),
    serveReply(accountsApi.logIn, async ({ head, body, ip }) =>
      sessionOrStep(site, head, await accounts.logIn(body, { ip, site: passkeySite(site, head) })),
    ),
    serveReply(orgUsersApi.acceptInvitation, async ({ head, body, ip, requestId }) => {
      const source = { ip, requestId, site: passkeySite(site, head) };
      return sessionOrStep(site, head, await accounts.acceptInvitation(body, source));
    }),
    serve(orgUsersApi.listOwnOrgs, async (_request, caller) => {
      return { items: await accounts.orgs(caller) };
    }),
    serveReply(orgUsersApi.switchOrg, async ({ head, body }, caller) => {
      const switched = await accounts.switchOrg(caller, body);
      if (!isCookieCall(head)) return json(200, switched);
      // A browser has one cookie, so no caller holds the earlier session any more.
      await accounts.endSession(caller, caller.sessionId);
      return cookieReply(site, 200, switched);
    }),
    serveReply(accountsApi.logOut, async ({ head }, caller) => {
      await accounts.endSession(caller, caller.sessionId);
      return isCookieCall(head) ? { status: 204, headers: cleared(site) } : { status: 204 };
    }),
    serve(accountsApi.readMe, (_request, { user, org, role, hasSecondFactor }) => {
      const { code, name } = org;
      const environments = shownEnvironments(org);
      const second_factor = { enrolled: hasSecondFactor, required: org.second_factor === 'required' };
      return { user, org: { code, name, environments }, role, second_factor };
    }),
    serve(orgUsersApi.listSessions, async ({ head }, caller) => {
      const client = clientWords(head.headers['user-agent']);
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
function signInLinkRoutes({ signInLinks, site }: Pick<IdentityRouteDeps, 'signInLinks' | 'site'>) {
  const links = (): SignInLinks => {
    if (signInLinks === undefined) throw notFound();
    return signInLinks;
  };
  return [
    serve(signInLinksApi.createSignInLink, async ({ head }, caller) => {
      const issued = await links().issue(caller);
      return { url: `${siteUrl(site, head)}/sign-in/link#code=${issued.code}`, ...issued };
    }),
    serveReply(signInLinksApi.signInByLink, async ({ head, body, ip }) =>
      sessionOrStep(site, head, await links().use(body.code, { ip, site: passkeySite(site, head) })),
    ),
  ];
}

function cleared(site: ConsoleSite): Readonly<Record<string, string>> {
  return { 'Set-Cookie': sessionCookie(site, '', 0) };
}

/** The builder's own password. */
export function passwordRoutes({ accounts, site }: IdentityRouteDeps): readonly AnyRoute[] {
  return [
    serve(passwordsApi.forgotPassword, ({ head, body, ip }) => {
      accounts.forgotPassword(body, { ip, siteUrl: mailedUrl(site, head) });
      return {};
    }),
    serve(passwordsApi.resetPassword, async ({ body, ip }) => {
      await accounts.resetPassword({ body, ip });
    }),
    serve(passwordsApi.changePassword, async ({ body, ip }, caller) => {
      await accounts.changePassword(caller, { body, ip });
    }),
  ];
}
