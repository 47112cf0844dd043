import { accountsApi } from '@freehold/contract/management/accounts';
import { deployApi } from '@freehold/contract/management/deploy';
import { orgUsersApi } from '@freehold/contract/management/org-users';
import { mailedUrl, siteUrl } from '../../api/headers/console-cookie.ts';
import { json, type Reply } from '../../api/reply.ts';
import type { RequestEnvelope } from '../../api/request.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve, serveReply } from '../../api/serve.ts';
import type { BuilderCaller } from '../callers.ts';
import { shownEnvironments } from '../org-users/org-directory.ts';
import type { IdentityRouteDeps } from './deps.ts';

/** The org and who is in it. */
export function orgRoutes({ accounts, site, metering }: IdentityRouteDeps): readonly AnyRoute[] {
  return [
    serveReply(accountsApi.readOrg, (_request, caller) => org({ metering, accounts }, caller)),
    serve(deployApi.provisionProd, (request, caller) => {
      const asked = caller.command;
      const founderEmail = request.body?.founder_email;
      return accounts.provisionProd({ ...asked, founderEmail, builderEmail: caller.user.email });
    }),
    serve(orgUsersApi.rotateClientId, (request, caller) => {
      const asked = caller.command;
      return accounts.rotateClientId(asked, request.params.env);
    }),
    serve(orgUsersApi.listOrgUsers, async (_request, { org }) => {
      return { items: await accounts.users(org.code) };
    }),
    serve(orgUsersApi.inviteOrgUser, async (request, caller) => {
      const { head, body } = request;
      const auditContext = caller.command.auditContext;
      const asked = { orgCode: caller.org.code, auditContext, siteUrl: mailedUrl(site, head) };
      const invited = await accounts.invite(asked, body);
      // Behind the `#`, so that no log on the way to the page holds the code.
      return { ...invited, url: `${siteUrl(site, head)}/accept-invitation#code=${invited.code}` };
    }),
    serve(orgUsersApi.changeOrgUser, (request, caller) =>
      accounts.changeUser(askedPlace(request, caller), request.body),
    ),
    serve(orgUsersApi.removeOrgUser, async (request, caller) => {
      await accounts.removeUser(askedPlace(request, caller));
    }),
  ];
}

interface NamingRequest extends RequestEnvelope {
  readonly params: { readonly id: string };
}

function askedPlace(request: NamingRequest, caller: BuilderCaller) {
  return { orgCode: caller.org.code, id: request.params.id, auditContext: caller.command.auditContext };
}

async function org(
  { metering, accounts }: Pick<IdentityRouteDeps, 'metering' | 'accounts'>,
  { org }: BuilderCaller,
): Promise<Reply> {
  const { name: plan } = await metering.plans.of(org.code);
  const security = { second_factor: org.second_factor ?? 'optional' };
  const { test, prod } = shownEnvironments(org);
  const awaited_founder = await accounts.awaitedFounder(org);
  const environments = { test, prod: prod && { ...prod, ...(awaited_founder && { awaited_founder }) } };
  return json(200, { code: org.code, name: org.name, plan, environments, security });
}
