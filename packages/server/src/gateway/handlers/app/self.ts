import type { AppSelf } from '../../../identity/port.ts';
import type { SelfRoute } from '../../app-route.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { json } from '../../reply.ts';
import { tokenReply } from './sign-in.ts';

/** The routes about the person who calls: a token is enough, and none of them names anybody else. */
export function selfRoutes(self: AppSelf): readonly SelfRoute[] {
  return [
    {
      method: 'GET',
      path: '/app/:org/user/me',
      access: 'self',
      takesAnyone: true,
      handle: async ({ query }, caller) => {
        refuseParameters(query);
        return json(200, await self.read(caller));
      },
    },
    {
      method: 'PUT',
      path: '/app/:org/user/me',
      access: 'self',
      isGated: true,
      takesBody: true,
      handle: async ({ query, body }, caller) => {
        refuseParameters(query);
        return json(200, await self.update(caller, body));
      },
    },
    {
      method: 'POST',
      path: '/app/:org/user/password',
      access: 'self',
      takesBody: true,
      handle: async ({ query, body, ip }, caller) => {
        refuseParameters(query);
        return tokenReply(await self.changePassword(caller, { body, ip }));
      },
    },
    {
      method: 'POST',
      path: '/app/:org/user/logout',
      access: 'self',
      takesBody: 'where sent',
      handle: async ({ query, body }, caller) => {
        refuseParameters(query);
        await self.logOut(caller, body ?? {});
        return { status: 204 };
      },
    },
    {
      method: 'GET',
      path: '/app/:org/user/permissions',
      access: 'self',
      takesAnyone: true,
      handle: async ({ query, ip, incoming }, caller) => {
        refuseParameters(query);
        return json(200, await self.permissions(caller, { ip, origin: incoming.headers.origin }));
      },
    },
  ];
}
