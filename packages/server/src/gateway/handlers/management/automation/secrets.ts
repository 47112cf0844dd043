import { secretsApi } from '@freehold/contract/management/secrets';
import type { SecretCommand, SecretReferences, SecretVault } from '../../../../automation/port.ts';
import type { OrgCaller } from '../../../../identity/port.ts';
import type { Clock } from '../../../../lib/clock.ts';
import type { Environment } from '../../../../tenancy/port.ts';
import { auditContextOf } from '../../../pipeline/audit-context.ts';
import type { RequestEnvelope } from '../../../../api/request.ts';
import { requireProd } from '../../../../identity/deploy-caller.ts';
import type { ManagementRoute } from '../../../routing/management-route.ts';
import { serve } from '../../../../api/serve.ts';

export interface SecretServices {
  readonly secretVault: SecretVault;
  readonly secretReferences: SecretReferences;
  readonly clock: Clock;
}

interface SecretRequest extends RequestEnvelope {
  readonly query: { readonly env: Environment };
  readonly params: { readonly name: string };
}

/** Secrets belong to an environment and are no configuration, so production's are set here too. */
export function secretRoutes({ secretVault, secretReferences, clock }: SecretServices): readonly ManagementRoute[] {
  const commandOf = (request: SecretRequest, caller: OrgCaller): SecretCommand => {
    const { env } = request.query;
    if (env === 'prod') requireProd(caller);
    const auditContext = auditContextOf(clock, request, caller);
    return { env, orgCode: caller.org.code, name: request.params.name, auditContext };
  };
  return [
    serve(secretsApi.listSecrets, async ({ query }, { org }) => {
      const items = await secretVault.list(query.env, org.code);
      if (!query.references) return { items };
      const { byName, isPartial } = await secretReferences(query.env, org.code);
      return {
        items: items.map((item) => ({ ...item, referenced_by: [...(byName.get(item.name) ?? [])] })),
        ...(isPartial ? { partial: true as const } : {}),
      };
    }),
    serve(secretsApi.setSecret, (request, caller) => secretVault.set(commandOf(request, caller), request.body)),
    serve(secretsApi.removeSecret, async (request, caller) => {
      await secretVault.remove(commandOf(request, caller));
    }),
  ];
}
