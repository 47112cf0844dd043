import type { SigningKeyAdmin } from '../../../identity/signing-keys.ts';
import type { OperatorRoute } from '../../management-route.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { json } from '../../reply.ts';

export interface PlatformServices {
  readonly signingKeys: SigningKeyAdmin;
}

/** What concerns the platform as a whole, for whoever runs it. */
export function platformRoutes({ signingKeys }: PlatformServices): readonly OperatorRoute[] {
  return [
    {
      method: 'GET',
      path: '/platform/keys',
      access: 'operator',
      handle: ({ query }) => {
        refuseParameters(query);
        return json(200, { items: signingKeys.list() });
      },
    },
    {
      method: 'POST',
      path: '/platform/keys/rotate',
      access: 'operator',
      handle: async ({ query }) => {
        refuseParameters(query);
        const { key, isNew } = await signingKeys.rotate();
        return json(isNew ? 201 : 200, key);
      },
    },
    {
      method: 'DELETE',
      path: '/platform/keys/:kid',
      access: 'operator',
      handle: async ({ params, query }) => {
        refuseParameters(query);
        await signingKeys.revoke(params.kid ?? '');
        return { status: 204 };
      },
    },
  ];
}
