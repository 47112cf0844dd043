import { configItemKinds } from '../../../entities/config-item.ts';
import type { OrgCaller } from '../../../identity/org-accounts.ts';
import type { Clock } from '../../../lib/clock.ts';
import { notFound, Problem } from '../../../lib/problem.ts';
import type { Promotion } from '../../../promotion/promotion.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { occasionOf } from '../../pipeline/occasion.ts';
import { readPageSize } from '../../pipeline/page-size.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { json } from '../../reply.ts';
import type { GatewayRequest } from '../../request.ts';
import type { AccountServices } from './accounts.ts';

export interface DeployServices extends AccountServices {
  readonly promotion: Promotion;
  readonly clock: Clock;
}

/** The way of configuration from test to production, and back. */
export function deployRoutes(services: DeployServices): readonly ManagementRoute[] {
  return [...stagingRoutes(services), ...releaseRoutes(services), ...retiredRoutes(services)];
}

/** Production, and what is on its way there. */
function stagingRoutes({ accounts, promotion, clock }: DeployServices): readonly ManagementRoute[] {
  const askedOf = askedBy(clock);
  return [
    {
      method: 'POST',
      path: '/user/provision-prod',
      access: 'org_admin',
      handle: async (request, caller) => {
        refuseParameters(request.query);
        const asked = { orgCode: caller.org.code, occasion: occasionOf(clock, request, caller) };
        return json(200, await accounts.provisionProd(asked));
      },
    },
    {
      method: 'GET',
      path: '/deploy/diff',
      access: 'developer',
      handle: async (request, caller) => json(200, { items: await promotion.diff(askedOf(request, caller).orgCode) }),
    },
    {
      method: 'POST',
      path: '/deploy/publish',
      access: 'developer',
      takesBody: true,
      handle: async (request, caller) => json(201, await promotion.publish(askedOf(request, caller), request.body)),
    },
    {
      method: 'GET',
      path: '/deploy/staged',
      access: 'developer',
      handle: async (request, caller) => json(200, await promotion.staged(askedOf(request, caller).orgCode)),
    },
    {
      method: 'DELETE',
      path: '/deploy/staged',
      access: 'developer',
      handle: async (request, caller) => {
        await promotion.withdraw(askedOf(request, caller));
        return { status: 204 };
      },
    },
    {
      method: 'DELETE',
      path: '/deploy/staged/:kind/:name',
      access: 'developer',
      handle: async (request, caller) => {
        const { kind, name = '' } = request.params;
        const known = configItemKinds.find((one) => one === kind);
        if (known === undefined) throw notFound();
        await promotion.withdraw(askedOf(request, caller), { kind: known, name });
        return { status: 204 };
      },
    },
  ];
}

/** What is live in production, and was. */
function releaseRoutes({ promotion, clock }: DeployServices): readonly ManagementRoute[] {
  const askedOf = askedBy(clock);
  return [
    {
      method: 'POST',
      path: '/deploy/activate',
      access: 'org_admin',
      takesBody: 'where sent',
      handle: async (request, caller) => json(200, await promotion.activate(askedOf(request, caller), request.body)),
    },
    {
      method: 'POST',
      path: '/deploy/rollback',
      access: 'org_admin',
      takesBody: 'where sent',
      handle: async (request, caller) => json(200, await promotion.rollback(askedOf(request, caller), request.body)),
    },
    {
      method: 'GET',
      path: '/deploy/history',
      access: 'developer',
      handle: async (request, caller) => {
        const { orgCode } = askedOf(request, caller, ['pagesize', 'nexttoken']);
        const pageSize = readPageSize(request.query.get('pagesize'));
        return json(200, await promotion.history(orgCode, { pageSize, nexttoken: request.query.get('nexttoken') }));
      },
    },
    {
      method: 'GET',
      path: '/deploy/history/:version',
      access: 'developer',
      handle: async (request, caller) => {
        const { orgCode } = askedOf(request, caller);
        return json(200, await promotion.release(orgCode, readVersion(request.params.version ?? '')));
      },
    },
  ];
}

/** What production keeps of entities that it serves no more. */
function retiredRoutes({ promotion, clock }: DeployServices): readonly ManagementRoute[] {
  const askedOf = askedBy(clock);
  return [
    {
      method: 'GET',
      path: '/deploy/retired',
      access: 'developer',
      handle: async (request, caller) =>
        json(200, { items: await promotion.retired(askedOf(request, caller).orgCode) }),
    },
    {
      method: 'DELETE',
      path: '/deploy/retired/:name',
      access: 'org_admin',
      handle: async (request, caller) => {
        await promotion.removeRetired(askedOf(request, caller), request.params.name ?? '');
        return { status: 204 };
      },
    },
  ];
}

function askedBy(clock: Clock) {
  return (request: GatewayRequest, caller: OrgCaller, parameters: readonly string[] = []) => {
    refuseParameters(request.query, parameters);
    requireProd(caller);
    return { orgCode: caller.org.code, occasion: occasionOf(clock, request, caller) };
  };
}

export function requireProd({ org }: OrgCaller): void {
  if (org.environments.prod === null)
    throw new Problem('conflict', 'production is not provisioned: `POST /user/provision-prod` does that');
}

function readVersion(text: string): number {
  if (!/^[1-9][0-9]{0,11}$/.test(text)) throw notFound();
  return Number(text);
}
