import { accountsApi } from '@freehold/contract/management/accounts';
import { orgUsersApi } from '@freehold/contract/management/org-users';
import { type OrgCaller, shownEnvironments } from '../../../identity/port.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Metering } from '../../../metering/metering.ts';
import { auditContextOf } from '../../pipeline/audit-context.ts';
import { mailedUrl, siteUrl } from '../../../api/console-cookie.ts';
import { json, type Reply } from '../../../api/reply.ts';
import type { RequestEnvelope } from '../../../api/request.ts';
import type { ManagementRoute } from '../../routing/management-route.ts';
import { serve, serveReply } from '../../../api/serve.ts';
import type { AccountServices } from './accounts.ts';

export interface OrgServices extends AccountServices {
  readonly metering: Pick<Metering, 'plans'>;
  readonly clock: Clock;
}

/** The org and who is in it. */
export function orgRoutes({ accounts, site, clock, metering }: OrgServices): readonly ManagementRoute[] {
  return [
    serveReply(accountsApi.readOrg, (_request, caller) => org({ metering, accounts }, caller)),
    serve(orgUsersApi.rotateClientId, (request, caller) => {
      const asked = { orgCode: caller.org.code, auditContext: auditContextOf(clock, request, caller) };
      return accounts.rotateClientId(asked, request.params.env);
    }),
    serve(orgUsersApi.listOrgUsers, async (_request, { org }) => {
      return { items: await accounts.users(org.code) };
    }),
    serve(orgUsersApi.inviteOrgUser, async (request, caller) => {
      const { incoming, body } = request;
      const auditContext = auditContextOf(clock, request, caller);
      const asked = { orgCode: caller.org.code, auditContext, siteUrl: mailedUrl(site, incoming) };
      const invited = await accounts.invite(asked, body);
      // Behind the `#`, so that no log on the way to the page holds the code.
      return { ...invited, url: `${siteUrl(site, incoming)}/accept-invitation#code=${invited.code}` };
    }),
    serve(orgUsersApi.changeOrgUser, (request, caller) =>
      accounts.changeUser(askedPlace(clock, request, caller), request.body),
    ),
    serve(orgUsersApi.removeOrgUser, async (request, caller) => {
      await accounts.removeUser(askedPlace(clock, request, caller));
    }),
  ];
}

interface NamingRequest extends RequestEnvelope {
  readonly params: { readonly id: string };
}

function askedPlace(clock: Clock, request: NamingRequest, caller: OrgCaller) {
  return { orgCode: caller.org.code, id: request.params.id, auditContext: auditContextOf(clock, request, caller) };
}

async function org(
  { metering, accounts }: Pick<OrgServices, 'metering' | 'accounts'>,
  { org }: OrgCaller,
): Promise<Reply> {
  const { name: plan } = await metering.plans.of(org.code);
  const security = { second_factor: org.second_factor ?? 'optional' };
  const { test, prod } = shownEnvironments(org);
  const awaited_founder = await accounts.awaitedFounder(org);
  const environments = { test, prod: prod && { ...prod, ...(awaited_founder && { awaited_founder }) } };
  return json(200, { code: org.code, name: org.name, plan, environments, security });
}
