import { providersApi } from '@freehold/contract/management/settings/providers';
import type { InputError } from '@freehold/contract/problem';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { IdentityRouteDeps } from './deps.ts';

/** What a builder finds out about a sign-in provider before the app trusts it. */
export function providerRoutes({ providerTrials }: IdentityRouteDeps): readonly AnyRoute[] {
  return [
    serve(providersApi.discoverProvider, ({ body }, { org }) => providerTrials.discover(org.code, body.issuer)),
    serve(
      providersApi.testSignIn,
      ({ query, body, requestId }, { org }) =>
        providerTrials.test({ env: query.env, orgCode: org.code, requestId }, body),
      { mistakes: testMistakes },
    ),
  ];
}

function testMistakes(body: unknown): readonly InputError[] {
  const isObject = typeof body === 'object' && body !== null;
  if (!isObject || 'id_token' in body !== 'code' in body) return [];
  return [{ pointer: '', code: 'wrong_type', message: 'the body must have either `id_token` or `code`' }];
}
