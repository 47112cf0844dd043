import { platformApi } from '@freehold/contract/management/platform';
import { json } from '../../api/reply.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve, serveReply } from '../../api/serve.ts';
import type { OperatorLog } from '../../audit/operator-log.ts';
import type { IdentityRouteDeps } from './deps.ts';

/** Routes about the platform as a whole, for the operator. */
export function platformRoutes({ signingKeys, operatorLog, secondFactors }: IdentityRouteDeps): readonly AnyRoute[] {
  return [
    serve(platformApi.listSigningKeys, (_request) => {
      return { items: signingKeys.list() };
    }),
    serveReply(platformApi.rotateSigningKeys, async ({ requestId }) => {
      const { key, isNew } = await signingKeys.rotate(telling(operatorLog, requestId).made);
      return json(isNew ? 201 : 200, key);
    }),
    serve(platformApi.revokeSigningKey, async ({ params: { kid = '' }, requestId }) => {
      await signingKeys.revoke(kid, telling(operatorLog, requestId));
    }),
    serve(platformApi.resetAccountFactors, ({ body: { email, reason } }, { auditContext }) => {
      return secondFactors.resetByOperator({ email, reason: reason.trim(), auditContext });
    }),
  ];
}

function telling(operatorLog: OperatorLog, requestId: string) {
  const tell = (action: `signing_key.${string}`) => (kid: string) =>
    operatorLog.tell(requestId, { action, target: { kind: 'signing_key', id: kid } });
  return { made: tell('signing_key.made'), revoked: tell('signing_key.revoked') };
}
