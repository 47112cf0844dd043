import { json } from '../../api/reply.ts';
import type { ServedRoute } from '../../api/route.ts';
import type { IdentityRouteDeps } from './deps.ts';

const forVerifiers = { 'Cache-Control': 'public, max-age=300' };

/** What services and gateways verify app tokens by. */
export function verifierRoutes({ jwks, discovery }: IdentityRouteDeps): readonly ServedRoute<'public'>[] {
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
