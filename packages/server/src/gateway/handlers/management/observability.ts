import { invalidInput } from '../../../lib/problem.ts';
import type { Metering } from '../../../metering/metering.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { type ConsoleSite, siteUrl } from '../../pipeline/console-cookie.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { json } from '../../reply.ts';

export interface ObservabilityServices {
  readonly metering: Pick<Metering, 'report' | 'plans' | 'caps'>;
  readonly site: ConsoleSite;
  /** Where an org gets more; left out, a page of this gateway says what a limit is. */
  readonly upgradeUrl: string | undefined;
}

/** What an org uses of its plan. */
export function observabilityRoutes({ metering, site, upgradeUrl }: ObservabilityServices): readonly ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/observability',
      access: 'developer',
      handle: async ({ query, incoming }, { org }) => {
        refuseParameters(query, ['days', 'explain']);
        const report = await metering.report({
          orgCode: org.code,
          hasProd: org.environments.prod !== null,
          days: readDays(query.get('days')),
          explain: query.get('explain'),
          upgradeUrl: upgradeUrl ?? `${siteUrl(site, incoming)}/problems/plan_limit_exceeded`,
        });
        const hasProd = org.environments.prod !== null;
        return json(200, { ...report, caps: await metering.caps.show(org.code, { hasProd }) });
      },
    },
  ];
}

const daysShown = 31;
const daysMax = 400;

function readDays(text: string | undefined): number {
  if (text === undefined) return daysShown;
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= daysMax) return days;
  const message = `\`days\` must be a whole number from 1 to ${daysMax}`;
  throw invalidInput('invalid_request', [{ pointer: '/days', code: 'wrong_type', message }]);
}
