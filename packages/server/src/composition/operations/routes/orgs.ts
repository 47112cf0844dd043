import { setImmediate as nextTurn } from 'node:timers/promises';
import { platformOrgsApi } from '@freehold/contract/management/operator/orgs';
import type { ReplyOf } from '@freehold/contract/route';
import type { AnyRoute } from '../../../api/route.ts';
import { serve } from '../../../api/serve.ts';
import type { Metering } from '../../../metering/metering.ts';
import type { People } from '../../../people/people.ts';
import type { Promotion } from '../../../promotion/port.ts';

type PlatformOrgs = People['management']['platformOrgs'];

export interface OrgRouteDeps {
  readonly platformOrgs: PlatformOrgs;
  readonly metering: Pick<Metering, 'plans' | 'month' | 'usage'>;
  readonly promotion: Promotion;
}

type ShownOrg = ReplyOf<typeof platformOrgsApi.listPlatformOrgs>['items'][number];
type OrgDetails = ReplyOf<typeof platformOrgsApi.readPlatformOrg>;

/** The orgs of the platform, for the operator: names and numbers, and nothing that an org stores. */
export function operatorOrgRoutes(services: OrgRouteDeps): readonly AnyRoute[] {
  const { platformOrgs } = services;
  return [
    serve(platformOrgsApi.listPlatformOrgs, async ({ query }) => {
      const { q: prefix = '', part = '', pagesize: pageSize, nexttoken } = query;
      const page = await platformOrgs.list({ prefix, part, pageSize, nexttoken });
      const items: ShownOrg[] = [];
      for (const org of page.orgs) {
        items.push(await shownOrg(services, org));
        // Reads need not wait for anything, and others want to be served too.
        await nextTurn();
      }
      return { items, nexttoken: page.nexttoken };
    }),
    serve(platformOrgsApi.readPlatformOrg, ({ params }) => orgDetails(services, params.org)),
  ];
}

type LoadedOrg = Awaited<ReturnType<PlatformOrgs['find']>>;

async function shownOrg(
  { platformOrgs, metering }: OrgRouteDeps,
  { code, name, created_at, environments }: LoadedOrg,
): Promise<ShownOrg> {
  const [plan, usage, org_users] = await Promise.all([
    metering.plans.of(code),
    metering.month(code),
    platformOrgs.builders(code),
  ]);
  return { code, name, created_at, plan, usage, org_users, has_prod: environments.prod !== null };
}

async function orgDetails({ platformOrgs, metering, promotion }: OrgRouteDeps, orgCode: string): Promise<OrgDetails> {
  const { code, name, created_at, environments, second_factor } = await platformOrgs.find(orgCode);
  const hasProd = environments.prod !== null;
  const [usage, org_users, release] = await Promise.all([
    metering.usage(code, { hasProd }),
    platformOrgs.builders(code),
    hasProd ? promotion.live(code) : undefined,
  ]);
  const { plan, month, records, caps, limits } = usage;
  const prod = environments.prod && {
    created_at: environments.prod.provisioned_at ?? null,
    records: records.prod,
    entities: caps.entities.prod ?? 0,
    indexes: caps.indexes.prod ?? 0,
    release: release ?? null,
  };
  return {
    ...{ code, name, created_at, plan, usage: month, org_users, used: usage.used, limits },
    requires_second_factor: second_factor === 'required',
    environments: {
      test: { created_at, records: records.test, entities: caps.entities.test, indexes: caps.indexes.test },
      prod,
    },
  };
}
