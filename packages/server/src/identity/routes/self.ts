import { selfApi } from '@freehold/contract/app/self';
import type { AnyRoute } from '../../api/route.ts';
import { serve, serveReply } from '../../api/serve.ts';
import type { AppSelf } from '../app-users/app-self.ts';
import { tokenReply } from './sign-in.ts';

/** The routes about the person who calls: a token is enough, and none of them names anybody else. */
export function selfRoutes(self: AppSelf): readonly AnyRoute[] {
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
