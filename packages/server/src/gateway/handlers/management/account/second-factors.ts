import type { IncomingMessage } from 'node:http';
import { secondFactorsApi } from '@freehold/contract/management/account/second-factors';
import type { OrgCaller, SecondFactors } from '../../../../identity/port.ts';
import type { Clock } from '../../../../lib/clock.ts';
import { auditContextOf } from '../../../pipeline/audit-context.ts';
import type { ConsoleSite } from '../../../../api/console-cookie.ts';
import { passkeySite } from '../../../../identity/passkey-site.ts';
import type { RequestEnvelope } from '../../../../api/request.ts';
import type { ManagementRoute } from '../../../routing/management-route.ts';
import { serve, serveReply } from '../../../../api/serve.ts';
import { sessionReply } from '../../session-reply.ts';

export interface SecondFactorServices {
  readonly secondFactors: SecondFactors;
  readonly clock: Clock;
  readonly site: ConsoleSite;
}

/** Second factors of builders: how they sign in by them, and how they keep them. */
export function secondFactorRoutes(services: SecondFactorServices): readonly ManagementRoute[] {
  return [...signInRoutes(services), ...ownRoutes(services), ...adminRoutes(services)];
}

function signInRoutes({ secondFactors, site }: SecondFactorServices): readonly ManagementRoute[] {
  const sourceOf = ({ incoming, ip, requestId }: RequestEnvelope) => {
    return { ip, requestId, site: passkeySite(site, incoming) };
  };
  return [
    serveReply(secondFactorsApi.completeSignIn, async (request) =>
      sessionReply(site, request.incoming, 200, await secondFactors.completeSignIn(request.body, sourceOf(request))),
    ),
    serve(secondFactorsApi.readPasskeyChallenge, ({ incoming }) =>
      secondFactors.passkeyChallenge(passkeySite(site, incoming)),
    ),
    serveReply(secondFactorsApi.signInByPasskey, async (request) =>
      sessionReply(site, request.incoming, 200, await secondFactors.signInByPasskey(request.body, sourceOf(request))),
    ),
  ];
}

interface OwnEnvelope extends RequestEnvelope {
  readonly incoming: IncomingMessage;
  readonly ip: string;
}

function ownRoutes({ secondFactors, clock, site }: SecondFactorServices): readonly ManagementRoute[] {
  const own = (request: OwnEnvelope, caller: OrgCaller) => ({
    caller,
    auditContext: auditContextOf(clock, request, caller),
    ip: request.ip,
    site: passkeySite(site, request.incoming),
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

function adminRoutes({ secondFactors, clock }: SecondFactorServices): readonly ManagementRoute[] {
  return [
    serve(secondFactorsApi.changeOrgSecurity, (request, caller) => {
      const auditContext = auditContextOf(clock, request, caller);
      return secondFactors.changeOrgSecurity({ caller, auditContext }, request.body);
    }),
    serve(secondFactorsApi.resetSecondFactors, async (request, caller) => {
      const auditContext = auditContextOf(clock, request, caller);
      await secondFactors.reset({ orgCode: caller.org.code, id: request.params.id, auditContext });
    }),
  ];
}
