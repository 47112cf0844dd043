import { isIP } from 'node:net';
import { secondFactorsApi } from '@freehold/contract/management/account/second-factors';
import { accountsApi } from '@freehold/contract/management/accounts';
import { consoleApi } from '@freehold/contract/management/console';
import { orgUsersApi } from '@freehold/contract/management/org-users';
import { passwordsApi } from '@freehold/contract/management/passwords';
import { commandSignInsApi, signInLinksApi } from '@freehold/contract/management/sign-in-links';
import { type ConsoleSite, isCookieCall, mailedUrl, sessionCookie, siteUrl } from '../../api/headers/console-cookie.ts';
import { json, type Reply } from '../../api/reply.ts';
import type { RequestEnvelope, RequestHead } from '../../api/request.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve, serveReply } from '../../api/serve.ts';
import { notFound } from '../../lib/problem.ts';
import type { BuilderCaller } from '../callers.ts';
import { sessionSeconds } from '../org-users/org-accounts.ts';
import { shownEnvironments } from '../org-users/org-directory.ts';
import type { SignInLinks } from '../org-users/sign-in-links.ts';
import type { PeopleRouteDeps } from '../people.ts';
import type { PasskeySite } from '../second-factors/passkeys.ts';
import { clientWords, type ShownSession } from '../sessions/org-sessions.ts';

/** The builder's own account, and his sessions. */
export function accountRoutes({ accounts, commandSignIns, signInLinks, site }: PeopleRouteDeps): readonly AnyRoute[] {
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
    serve(orgUsersApi.listOwnOrgs, async (_request, caller) => ({ items: await accounts.orgs(caller) })),
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
    serve(orgUsersApi.endOtherSessions, async (_request, caller) => ({
      ended: await accounts.endOtherSessions(caller),
    })),
    serve(orgUsersApi.endSession, async ({ params }, caller) => {
      await accounts.endSession(caller, params.id);
    }),
  ];
}

/** For development: a link that is printed at a start signs in by itself. */
function signInLinkRoutes({ signInLinks, site }: Pick<PeopleRouteDeps, 'signInLinks' | 'site'>) {
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
export function passwordRoutes({ accounts, site }: PeopleRouteDeps): readonly AnyRoute[] {
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

/** Second factors of builders: how they sign in by them, and how they keep them. */
export function secondFactorRoutes(services: PeopleRouteDeps): readonly AnyRoute[] {
  return [...signInRoutes(services), ...ownRoutes(services), ...adminRoutes(services)];
}

function signInRoutes({ secondFactors, site }: PeopleRouteDeps): readonly AnyRoute[] {
  const sourceOf = ({ head, ip, requestId }: RequestEnvelope) => {
    return { ip, requestId, site: passkeySite(site, head) };
  };
  return [
    serveReply(secondFactorsApi.completeSignIn, async (request) =>
      sessionReply(site, request.head, 200, await secondFactors.completeSignIn(request.body, sourceOf(request))),
    ),
    serve(secondFactorsApi.readPasskeyChallenge, ({ head }) => secondFactors.passkeyChallenge(passkeySite(site, head))),
    serveReply(secondFactorsApi.signInByPasskey, async (request) =>
      sessionReply(site, request.head, 200, await secondFactors.signInByPasskey(request.body, sourceOf(request))),
    ),
  ];
}

interface OwnEnvelope extends RequestEnvelope {
  readonly head: RequestHead;
  readonly ip: string;
}

function ownRoutes({ secondFactors, site }: PeopleRouteDeps): readonly AnyRoute[] {
  const own = (request: OwnEnvelope, caller: BuilderCaller) => ({
    caller,
    auditContext: caller.command.auditContext,
    ip: request.ip,
    site: passkeySite(site, request.head),
  });
  return [
    serve(secondFactorsApi.listSecondFactors, (request, caller) => secondFactors.list(own(request, caller))),
    serve(secondFactorsApi.readFactorChallenge, (request, caller) => secondFactors.challenge(own(request, caller))),
    serve(secondFactorsApi.beginTotp, (request, caller) => secondFactors.beginTotp(own(request, caller), request.body)),
    serve(secondFactorsApi.confirmTotp, (request, caller) =>
      secondFactors.confirmTotp(own(request, caller), request.body),
    ),
    serve(secondFactorsApi.beginPasskey, (request, caller) =>
      secondFactors.beginPasskey(own(request, caller), request.body),
    ),
    serve(secondFactorsApi.addPasskey, (request, caller) =>
      secondFactors.addPasskey(own(request, caller), request.body),
    ),
    serve(secondFactorsApi.renamePasskey, (request, caller) =>
      secondFactors.renamePasskey(own(request, caller), { id: request.params.id, name: request.body.name }),
    ),
    serve(secondFactorsApi.removeSecondFactor, async (request, caller) => {
      await secondFactors.remove(own(request, caller), { id: request.params.id, proof: request.body });
    }),
    serve(secondFactorsApi.renewRecoveryCodes, (request, caller) =>
      secondFactors.renewRecoveryCodes(own(request, caller), request.body),
    ),
  ];
}

function adminRoutes({ secondFactors }: PeopleRouteDeps): readonly AnyRoute[] {
  return [
    serve(secondFactorsApi.changeOrgSecurity, ({ body }, caller) =>
      secondFactors.changeOrgSecurity({ caller, auditContext: caller.command.auditContext }, body),
    ),
    serve(secondFactorsApi.resetSecondFactors, async ({ params: { id } }, { command }) => {
      await secondFactors.reset({ ...command, id });
    }),
  ];
}

interface GivenSession {
  readonly token: string;
}

/** The token in the body, or for a page that asks for it in a cookie that no script can read. */
function sessionReply(site: ConsoleSite, head: RequestHead, status: number, session: GivenSession): Reply {
  return head.headers['x-session'] === 'cookie' ? cookieReply(site, status, session) : json(status, session);
}

/** The session, or the step to it: a sign-in that waits for its second factor has none yet. */
function sessionOrStep(
  site: ConsoleSite,
  head: RequestHead,
  answer: GivenSession | { readonly second_factor: unknown },
): Reply {
  return 'second_factor' in answer ? json(202, answer) : sessionReply(site, head, 200, answer);
}

function cookieReply(site: ConsoleSite, status: number, { token, ...shown }: GivenSession): Reply {
  return json(status, shown, { 'Set-Cookie': sessionCookie(site, token, sessionSeconds) });
}

/** The routes of the console's pages before their user has a session. */
export function consoleRoutes({ accounts, mode, inbox }: PeopleRouteDeps): readonly AnyRoute[] {
  return [
    serve(consoleApi.readConsoleConfig, async () => ({
      mode,
      sign_up: await accounts.maySignUp(),
      inbox: inbox !== undefined,
    })),
  ];
}

/**
 * The site at which browsers make and use passkeys: a host name over https, or the machine itself. Undefined where the
 * console has no such address. Without FREEHOLD_MANAGEMENT_URL the `Host` of a request is believed if it is
 * `localhost`, which no other site can have.
 */
function passkeySite(
  { managementUrl }: Pick<ConsoleSite, 'managementUrl'>,
  { headers }: Pick<RequestHead, 'headers'>,
): PasskeySite | undefined {
  const url = URL.parse(managementUrl ?? `http://${headers.host ?? ''}`);
  if (url === null || isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined;
  const isLocal = url.hostname === 'localhost' || url.hostname.endsWith('.localhost');
  return isLocal || url.protocol === 'https:' ? { host: url.hostname, origin: url.origin } : undefined;
}
