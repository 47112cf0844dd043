import { usageApi } from '@freehold/contract/management/usage';
import type { InputError } from '@freehold/contract/problem';
import { siteUrl } from '../../api/headers/console-cookie.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serve } from '../../api/serve.ts';
import type { MeteringRouteDeps } from './deps.ts';

/** What an org uses of its plan. */
export function observabilityRoutes(services: MeteringRouteDeps): readonly AnyRoute[] {
  const { metering, site, upgradeUrl } = services;
  return [
    serve(usageApi.showUsage, async ({ query, head }, { org }) => {
      const report = await metering.report({
        orgCode: org.code,
        hasProd: org.environments.prod !== null,
        days: query.days,
        explain: query.explain,
        upgradeUrl: upgradeUrl(siteUrl(site, head)),
      });
      const hasProd = org.environments.prod !== null;
      const [caps, alert_percents] = await Promise.all([
        metering.caps.show(org.code, { hasProd }),
        metering.alertPercents.of(org.code),
      ]);
      return { ...report, caps, alert_percents };
    }),
    serve(
      usageApi.changeAlertPercents,
      async (request, caller) => {
        const auditContext = caller.command.auditContext;
        return { percents: await metering.alertPercents.set(caller.org.code, request.body.percents, auditContext) };
      },
      { mistakes: percentMistakes },
    ),
  ];
}

/** A limit that is reached stops writes, of which an org is always told. */
function percentMistakes(body: unknown): readonly InputError[] {
  const { percents } = (body ?? {}) as { readonly percents?: unknown };
  if (!Array.isArray(percents)) return [];
  const said = (code: string, message: string): InputError => ({ pointer: '/percents', code, message });
  return [
    ...(percents.includes(100) ? [] : [said('required', 'must contain 100: a limit that is reached stops writes')]),
    ...(new Set(percents).size === percents.length ? [] : [said('duplicate', 'must contain each number once')]),
  ];
}
