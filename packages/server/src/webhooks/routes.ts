import { alertWebhookApi } from '@freehold/contract/management/alert-webhook';
import { type ConsoleSite, mailedUrl } from '../api/headers/console-cookie.ts';
import type { RequestEnvelope } from '../api/request.ts';
import type { AnyRoute, Callers } from '../api/route.ts';
import { serve } from '../api/serve.ts';
import type { AlertWebhook, WebhookCommand } from './alert-webhook.ts';

interface AlertRouteDeps {
  readonly alertWebhook: Omit<AlertWebhook, 'announce' | 'deliver' | 'close'>;
  readonly site: ConsoleSite;
}

/** The webhook for an org's alerts. An address can hold a secret of its receiver, so an admin alone sees it. */
export function alertRoutes({ alertWebhook, site }: AlertRouteDeps): readonly AnyRoute[] {
  const commandOf = (request: RequestEnvelope, { command }: Callers['org_admin']): WebhookCommand => ({
    ...command,
    managementUrl: mailedUrl(site, request.head),
  });
  return [
    serve(alertWebhookApi.showAlertWebhook, (_request, { org }) => alertWebhook.show(org.code)),
    serve(alertWebhookApi.setAlertWebhook, (request, caller) =>
      alertWebhook.set(commandOf(request, caller), request.body),
    ),
    serve(alertWebhookApi.removeAlertWebhook, async (request, caller) => {
      await alertWebhook.remove(commandOf(request, caller));
    }),
    serve(alertWebhookApi.testAlertWebhook, (_request, { org }) => alertWebhook.test(org.code)),
  ];
}
