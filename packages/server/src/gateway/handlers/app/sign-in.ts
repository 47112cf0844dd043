import type { AppSignIn, ExchangedToken } from '../../../identity/port.ts';
import { Problem } from '../../../lib/problem.ts';
import type { AppRoute } from '../../app-route.ts';
import { requireClientId } from '../../pipeline/client-id.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { singleHeader } from '../../pipeline/single-header.ts';
import { json, type Reply } from '../../reply.ts';
import type { GatewayRequest } from '../../request.ts';

/** The routes by which a person comes in. */
export function signInRoutes(signIn: AppSignIn): readonly AppRoute[] {
  return [
    {
      method: 'POST',
      path: '/app/:org/login',
      access: 'public',
      isMetered: true,
      takesBody: true,
      handle: (request) => logIn(signIn, request),
    },
    {
      method: 'GET',
      path: '/app/:org/token',
      access: 'public',
      isMetered: true,
      handle: (request) => exchange(signIn, request),
    },
    { method: 'GET', path: '/app/:org/providers', access: 'public', handle: (request) => providers(signIn, request) },
  ];
}

async function logIn(signIn: AppSignIn, request: GatewayRequest): Promise<Reply> {
  const { org = '' } = request.params;
  const answer = await signIn.logIn(org, { clientId: clientId(request), body: request.body, ip: request.ip });
  return json(200, answer, tokenHeaders);
}

async function exchange(signIn: AppSignIn, request: GatewayRequest): Promise<Reply> {
  const { org = '' } = request.params;
  const oauthToken = singleHeader(request.incoming, 'oauthtoken');
  if (oauthToken === undefined)
    throw new Problem('token_missing', 'the header `oauthtoken` must come once, with an identity token');
  const { requestId } = request;
  return tokenReply(await signIn.exchange(org, { clientId: clientId(request), oauthToken, requestId }));
}

/** Says nothing of the person: an email only chooses among the providers by its domain. */
async function providers(signIn: AppSignIn, request: GatewayRequest): Promise<Reply> {
  refuseParameters(request.query, ['email']);
  const { org = '' } = request.params;
  return json(200, await signIn.offers(org, { clientId: clientId(request), email: request.query.get('email') }));
}

export function tokenReply(exchanged: ExchangedToken): Reply {
  return json(200, exchanged, { ...tokenHeaders, 'x-service-token': exchanged.token });
}

/** A browser may read the token's header, and nobody may keep the reply. */
const tokenHeaders = {
  'Cache-Control': 'no-store',
  'Access-Control-Expose-Headers': 'x-service-token',
};

export function clientId({ incoming }: GatewayRequest): string {
  return requireClientId(incoming);
}
