import { secondFactorsApi } from '@freehold/contract/management/account/second-factors';
import type { RequestEnvelope, RequestHead } from '../../api/request.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve, serveReply } from '../../api/serve.ts';
import type { BuilderCaller } from '../callers.ts';
import { passkeySite } from '../passkey-site.ts';
import type { IdentityRouteDeps } from './deps.ts';
import { sessionReply } from './session-reply.ts';

/** Second factors of builders: how they sign in by them, and how they keep them. */
export function secondFactorRoutes(services: IdentityRouteDeps): readonly AnyRoute[] {
  return [...signInRoutes(services), ...ownRoutes(services), ...adminRoutes(services)];
}

function signInRoutes({ secondFactors, site }: IdentityRouteDeps): readonly AnyRoute[] {
  const sourceOf = ({ head, ip, requestId }: RequestEnvelope) => {
    return { ip, requestId, site: passkeySite(site, head) };
  };
  return [
    serveReply(secondFactorsApi.completeSignIn, async (request) =>
      sessionReply(site, request.head, 200, await secondFactors.completeSignIn(request.body, sourceOf(request))),
    ),
    serve(secondFactorsApi.readPasskeyChallenge, ({ head }) => secondFactors.passkeyChallenge(passkeySite(site, head))),
    serveReply(secondFactorsApi.signInByPasskey, async (request) =>
      sessionReply(site, request.head, 200, await secondFactors.signInByPasskey(request.body, sourceOf(request))),
    ),
  ];
}

interface OwnEnvelope extends RequestEnvelope {
  readonly head: RequestHead;
  readonly ip: string;
}

function ownRoutes({ secondFactors, site }: IdentityRouteDeps): readonly AnyRoute[] {
  const own = (request: OwnEnvelope, caller: BuilderCaller) => ({
    caller,
    auditContext: caller.command.auditContext,
    ip: request.ip,
    site: passkeySite(site, request.head),
  });
  return [
    serve(secondFactorsApi.listSecondFactors, (request, caller) => secondFactors.list(own(request, caller))),
    serve(secondFactorsApi.readFactorChallenge, (request, caller) => secondFactors.challenge(own(request, caller))),
    serve(secondFactorsApi.beginTotp, (request, caller) => secondFactors.beginTotp(own(request, caller), request.body)),
    serve(secondFactorsApi.confirmTotp, (request, caller) =>
      secondFactors.confirmTotp(own(request, caller), request.body),
    ),
    serve(secondFactorsApi.beginPasskey, (request, caller) =>
      secondFactors.beginPasskey(own(request, caller), request.body),
    ),
    serve(secondFactorsApi.addPasskey, (request, caller) =>
      secondFactors.addPasskey(own(request, caller), request.body),
    ),
    serve(secondFactorsApi.renamePasskey, (request, caller) =>
      secondFactors.renamePasskey(own(request, caller), { id: request.params.id, name: request.body.name }),
    ),
    serve(secondFactorsApi.removeSecondFactor, async (request, caller) => {
      await secondFactors.remove(own(request, caller), { id: request.params.id, proof: request.body });
    }),
    serve(secondFactorsApi.renewRecoveryCodes, (request, caller) =>
      secondFactors.renewRecoveryCodes(own(request, caller), request.body),
    ),
  ];
}

function adminRoutes({ secondFactors }: IdentityRouteDeps): readonly AnyRoute[] {
  return [
    serve(secondFactorsApi.changeOrgSecurity, (request, caller) => {
      const auditContext = caller.command.auditContext;
      return secondFactors.changeOrgSecurity({ caller, auditContext }, request.body);
    }),
    serve(secondFactorsApi.resetSecondFactors, async (request, caller) => {
      const auditContext = caller.command.auditContext;
      await secondFactors.reset({ orgCode: caller.org.code, id: request.params.id, auditContext });
    }),
  ];
}
