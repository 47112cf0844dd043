import type { Clock } from '../../../lib/clock.ts';
import type { AlertWebhook, AskedWebhook } from '../../../webhooks/alert-webhook.ts';
import type { ManagementRoute, OrgRoute } from '../../management-route.ts';
import { type ConsoleSite, mailedUrl } from '../../pipeline/console-cookie.ts';
import { occasionOf } from '../../pipeline/occasion.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { json } from '../../reply.ts';

export interface AlertWebhookServices {
  readonly alertWebhook: Omit<AlertWebhook, 'announce' | 'deliver' | 'close'>;
  readonly clock: Clock;
  readonly site: ConsoleSite;
}

const path = '/org/alerts/webhook';

/** Where an org wants its alerts sent. An address can hold a secret of its receiver, so an admin alone sees it. */
export function alertWebhookRoutes({ alertWebhook, clock, site }: AlertWebhookServices): readonly ManagementRoute[] {
  const askedBy = (...[request, caller]: Parameters<OrgRoute['handle']>): AskedWebhook => ({
    orgCode: caller.org.code,
    occasion: occasionOf(clock, request, caller),
    managementUrl: mailedUrl(site, request.incoming),
  });
  return [
    {
      method: 'GET',
      path,
      access: 'org_admin',
      handle: async ({ query }, { org }) => {
        refuseParameters(query);
        return json(200, await alertWebhook.show(org.code));
      },
    },
    {
      method: 'PUT',
      path,
      access: 'org_admin',
      takesBody: true,
      handle: async (request, caller) => {
        refuseParameters(request.query);
        return json(200, await alertWebhook.set(askedBy(request, caller), request.body));
      },
    },
    {
      method: 'DELETE',
      path,
      access: 'org_admin',
      handle: async (request, caller) => {
        refuseParameters(request.query);
        await alertWebhook.remove(askedBy(request, caller));
        return { status: 204 };
      },
    },
    {
      method: 'POST',
      path: `${path}/test`,
      access: 'org_admin',
      handle: async ({ query }, { org }) => {
        refuseParameters(query);
        return json(202, await alertWebhook.test(org.code));
      },
    },
  ];
}
