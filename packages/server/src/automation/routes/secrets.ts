import { secretsApi } from '@freehold/contract/management/secrets';
import { requireProd } from '../../api/environments.ts';
import type { RequestEnvelope } from '../../api/request.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { BuilderCaller } from '../../identity/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { SecretCommand } from '../vault/secret-vault.ts';
import type { AutomationRouteDeps } from './deps.ts';

interface SecretRequest extends RequestEnvelope {
  readonly query: { readonly env: Environment };
  readonly params: { readonly name: string };
}

/** Secrets belong to an environment and are no configuration, so production's are set here too. */
export function secretRoutes({ secretVault, secretReferences }: AutomationRouteDeps): readonly AnyRoute[] {
  const commandOf = (request: SecretRequest, caller: BuilderCaller): SecretCommand => {
    const { env } = request.query;
    if (env === 'prod') requireProd(caller);
    const auditContext = caller.command.auditContext;
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
