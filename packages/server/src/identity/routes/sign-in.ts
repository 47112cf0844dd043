import { signInApi } from '@freehold/contract/app/sign-in';
import { requireClientId } from '../../api/headers/client-id.ts';
import { singleHeader } from '../../api/headers/single-header.ts';
import { json, type Reply } from '../../api/reply.ts';
import type { RequestEnvelope } from '../../api/request.ts';
import type { AnyRoute } from '../../api/route.ts';
import { type Received, serve, serveReply } from '../../api/serve.ts';
import { Problem } from '../../lib/problem.ts';
import type { AppSignIn } from '../app-users/app-sign-in.ts';
import type { ExchangedToken } from '../tokens/token-exchange.ts';

/** The routes by which a person comes in. */
export function signInRoutes(signIn: AppSignIn): readonly AnyRoute[] {
  return [
    serveReply(signInApi.logIn, (request) => logIn(signIn, request)),
    serveReply(signInApi.exchangeToken, (request) => exchange(signIn, request)),
    // Says nothing of the person: an email only chooses among the providers by its domain.
    serve(signInApi.listProviders, (request) =>
      signIn.offers(request.params.org, { clientId: clientId(request), email: request.query.email }),
    ),
  ];
}

async function logIn(signIn: AppSignIn, request: Received<typeof signInApi.logIn>): Promise<Reply> {
  const { org } = request.params;
  const answer = await signIn.logIn(org, { clientId: clientId(request), body: request.body, ip: request.ip });
  return json(200, answer, tokenHeaders);
}

async function exchange(signIn: AppSignIn, request: Received<typeof signInApi.exchangeToken>): Promise<Reply> {
  const { org } = request.params;
  const oauthToken = singleHeader(request.head, 'oauthtoken');
  if (oauthToken === undefined)
    throw new Problem('token_missing', 'the header `oauthtoken` must be sent once, with an identity token');
  const { requestId, query } = request;
  const headers = { clientId: clientId(request), oauthToken, requestId, tenantCode: query.tenant_code };
  return tokenReply(await signIn.exchange(org, headers));
}

export function tokenReply(exchanged: ExchangedToken): Reply {
  return json(200, exchanged, { ...tokenHeaders, 'x-service-token': exchanged.token });
}

/** A browser may read the token's header, and no cache may store the reply. */
const tokenHeaders = {
  'Cache-Control': 'no-store',
  'Access-Control-Expose-Headers': 'x-service-token',
};

export function clientId({ head }: RequestEnvelope): string {
  return requireClientId(head);
}
