import { mailsApi } from '@freehold/contract/app/mails';
import { selfApi } from '@freehold/contract/app/self';
import { signInApi } from '@freehold/contract/app/sign-in';
import { requireClientId, singleHeader } from '../../api/headers/client-id.ts';
import { json, type Reply } from '../../api/reply.ts';
import type { RequestEnvelope } from '../../api/request.ts';
import type { AnyRoute, ServedRoute } from '../../api/route.ts';
import { type Received, serve, serveReply } from '../../api/serve.ts';
import { Problem } from '../../lib/problem.ts';
import type { ExchangedToken } from '../app-users/app-sign-in.ts';
import type { PeopleRouteDeps } from '../people.ts';

/** The routes by which a person comes in. */
export function signInRoutes({ signIn }: PeopleRouteDeps): readonly AnyRoute[] {
  return [
    serveReply(signInApi.logIn, (request) => logIn(signIn, request)),
    serveReply(signInApi.exchangeToken, (request) => exchange(signIn, request)),
    // Says nothing of the person: an email only chooses among the providers by its domain.
    serve(signInApi.listProviders, (request) =>
      signIn.offers(request.params.org, { clientId: clientId(request), email: request.query.email }),
    ),
  ];
}

async function logIn(signIn: PeopleRouteDeps['signIn'], request: Received<typeof signInApi.logIn>): Promise<Reply> {
  const { org } = request.params;
  const answer = await signIn.logIn(org, { clientId: clientId(request), body: request.body, ip: request.ip });
  return json(200, answer, tokenHeaders);
}

async function exchange(
  signIn: PeopleRouteDeps['signIn'],
  request: Received<typeof signInApi.exchangeToken>,
): Promise<Reply> {
  const { org } = request.params;
  const oauthToken = singleHeader(request.head, 'oauthtoken');
  if (oauthToken === undefined)
    throw new Problem('token_missing', 'the header `oauthtoken` must be sent once, with an identity token');
  const { requestId, query } = request;
  const headers = { clientId: clientId(request), oauthToken, requestId, tenantCode: query.tenant_code };
  return tokenReply(await signIn.exchange(org, headers));
}

function tokenReply(exchanged: ExchangedToken): Reply {
  return json(200, exchanged, { ...tokenHeaders, 'x-service-token': exchanged.token });
}

/** A browser may read the token's header, and no cache may store the reply. */
const tokenHeaders = {
  'Cache-Control': 'no-store',
  'Access-Control-Expose-Headers': 'x-service-token',
};

function clientId({ head }: RequestEnvelope): string {
  return requireClientId(head);
}

/** The routes about the person who calls: a token is enough, and none of them names anybody else. */
export function selfRoutes({ self }: PeopleRouteDeps): readonly AnyRoute[] {
  return [
    serve(selfApi.readMe, (_request, caller) => self.read(caller)),
    serve(selfApi.updateMe, ({ body }, caller) => self.update(caller, body)),
    serveReply(selfApi.changePassword, async ({ body, ip }, caller) => {
      return tokenReply(await self.changePassword(caller, { body, ip }));
    }),
    serve(selfApi.endTokens, async ({ body }, caller) => {
      await self.logOut(caller, body);
    }),
    serve(selfApi.readPermissions, ({ ip, head }, caller) => {
      return self.permissions(caller, { ip, origin: head.headers.origin });
    }),
  ];
}

/** The actions of a person with the codes in his mails, and the requests for these mails. */
export function mailRoutes({ mails }: PeopleRouteDeps): readonly AnyRoute[] {
  return [
    serve(mailsApi.forgotPassword, async (request) => {
      const { params, body, ip } = request;
      await mails.forgotPassword(params.org, { clientId: clientId(request), body, ip });
      return {};
    }),
    serve(mailsApi.resetPassword, async (request) => {
      const { params, body, ip, requestId } = request;
      await mails.resetPassword(params.org, { clientId: clientId(request), body, ip, requestId });
    }),
    serve(mailsApi.verifyEmail, async (request) => {
      const { params, body, requestId } = request;
      await mails.verifyEmail(params.org, { clientId: clientId(request), body, requestId });
    }),
    serve(mailsApi.sendVerification, async ({ ip }, caller) => {
      await mails.sendVerification(caller, ip);
      return {};
    }),
    serve(mailsApi.sendJoinLink, async ({ ip }, caller) => {
      await mails.sendJoinLink(caller, ip);
      return {};
    }),
  ];
}

const forVerifiers = { 'Cache-Control': 'public, max-age=300' };

/** The keys by which services and gateways verify app tokens. */
export function verifierRoutes({ jwks, discovery }: PeopleRouteDeps): readonly ServedRoute<'public'>[] {
  return [
    {
      method: 'GET',
      path: '/.well-known/jwks.json',
      access: 'public',
      handle: () => json(200, jwks(), forVerifiers),
    },
    {
      method: 'GET',
      path: '/.well-known/openid-configuration',
      access: 'public',
      handle: () => json(200, discovery(), forVerifiers),
    },
  ];
}
