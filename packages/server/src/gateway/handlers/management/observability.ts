import { usageApi } from '@freehold/contract/management/usage';
import type { Metering } from '../../../metering/metering.ts';
import { type ConsoleSite, siteUrl } from '../../pipeline/headers/console-cookie.ts';
import type { ManagementRoute } from '../../routing/management-route.ts';
import { serve } from '../../serve.ts';

export interface ObservabilityServices {
  readonly metering: Pick<Metering, 'report' | 'plans' | 'caps'>;
  readonly site: ConsoleSite;
  /** Where an org gets more; left out, a page of this gateway says what a limit is. */
  readonly upgradeUrl: string | undefined;
}

/** What an org uses of its plan. */
export function observabilityRoutes({ metering, site, upgradeUrl }: ObservabilityServices): readonly ManagementRoute[] {
  return [
    serve(usageApi.showUsage, async ({ query, incoming }, { org }) => {
      const report = await metering.report({
        orgCode: org.code,
        hasProd: org.environments.prod !== null,
        days: query.days,
        explain: query.explain,
        upgradeUrl: upgradeUrl ?? `${siteUrl(site, incoming)}/problems/plan_limit_exceeded`,
      });
      const hasProd = org.environments.prod !== null;
      return { ...report, caps: await metering.caps.show(org.code, { hasProd }) };
    }),
  ];
}
