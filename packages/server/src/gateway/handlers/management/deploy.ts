import { configItemKinds } from '../../../config/port.ts';
import type { Clock } from '../../../lib/clock.ts';
import { notFound } from '../../../lib/problem.ts';
import type { Promotion } from '../../../promotion/port.ts';
import { askDeploy, builderAsDeployer } from '../../deploy-caller.ts';
import { longJson } from '../../long-json.ts';
import type { ManagementRoute } from '../../management-route.ts';
import { occasionOf } from '../../pipeline/occasion.ts';
import { readPageSize } from '../../pipeline/page-size.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { json } from '../../reply.ts';
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
  return [
    {
      method: 'POST',
      path: '/user/provision-prod',
      access: 'org_admin',
      refusedAs: 'environment.provision_refused',
      handle: async (request, caller) => {
        refuseParameters(request.query);
        const asked = { orgCode: caller.org.code, occasion: occasionOf(clock, request, caller) };
        return json(200, await accounts.provisionProd(asked));
      },
    },
    {
      method: 'GET',
      path: '/deploy/diff',
      access: 'watch',
      handle: async (request, caller) =>
        longJson(200, { items: await promotion.diff(askDeploy(clock, request, { caller }).orgCode) }),
    },
    {
      method: 'POST',
      path: '/deploy/publish',
      access: 'publish',
      refusedAs: 'deploy.publication_refused',
      takesBody: true,
      handle: async (request, caller) =>
        json(201, await promotion.publish(askDeploy(clock, request, { caller }), request.body)),
    },
    {
      method: 'GET',
      path: '/deploy/staged',
      access: 'watch',
      handle: async (request, caller) =>
        json(200, await promotion.staged(askDeploy(clock, request, { caller }).orgCode)),
    },
    {
      method: 'DELETE',
      path: '/deploy/staged',
      access: 'publish',
      refusedAs: 'deploy.withdrawal_refused',
      handle: async (request, caller) => {
        await promotion.withdraw(askDeploy(clock, request, { caller }));
        return { status: 204 };
      },
    },
    {
      method: 'DELETE',
      path: '/deploy/staged/:kind/:name',
      access: 'publish',
      refusedAs: 'deploy.withdrawal_refused',
      handle: async (request, caller) => {
        const { kind, name = '' } = request.params;
        const known = configItemKinds.find((one) => one === kind);
        if (known === undefined) throw notFound();
        await promotion.withdraw(askDeploy(clock, request, { caller }), { kind: known, name });
        return { status: 204 };
      },
    },
  ];
}

/** What is live in production, and was. */
function releaseRoutes({ promotion, clock }: DeployServices): readonly ManagementRoute[] {
  return [
    {
      method: 'POST',
      path: '/deploy/activate',
      access: 'activate',
      refusedAs: 'deploy.activation_refused',
      takesBody: 'where sent',
      handle: async (request, caller) =>
        json(200, await promotion.activate(askDeploy(clock, request, { caller }), request.body)),
    },
    {
      method: 'POST',
      path: '/deploy/rollback',
      access: 'activate',
      refusedAs: 'deploy.rollback_refused',
      takesBody: 'where sent',
      handle: async (request, caller) =>
        json(200, await promotion.rollback(askDeploy(clock, request, { caller }), request.body)),
    },
    {
      method: 'GET',
      path: '/deploy/history',
      access: 'watch',
      handle: async (request, caller) => {
        const { orgCode } = askDeploy(clock, request, { caller, parameters: ['pagesize', 'nexttoken'] });
        const pageSize = readPageSize(request.query.get('pagesize'));
        return longJson(200, await promotion.history(orgCode, { pageSize, nexttoken: request.query.get('nexttoken') }));
      },
    },
    {
      method: 'GET',
      path: '/deploy/history/:version',
      access: 'watch',
      handle: async (request, caller) => {
        const { orgCode } = askDeploy(clock, request, { caller });
        return longJson(200, await promotion.release(orgCode, readVersion(request.params.version ?? '')));
      },
    },
  ];
}

/** What production keeps of entities that it serves no more. */
function retiredRoutes({ promotion, clock }: DeployServices): readonly ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/deploy/retired',
      access: 'watch',
      handle: async (request, caller) =>
        json(200, { items: await promotion.retired(askDeploy(clock, request, { caller }).orgCode) }),
    },
    {
      method: 'DELETE',
      path: '/deploy/retired/:name',
      access: 'org_admin',
      refusedAs: 'deploy.removal_refused',
      handle: async (request, caller) => {
        await promotion.removeRetired(
          askDeploy(clock, request, { caller: builderAsDeployer(caller) }),
          request.params.name ?? '',
        );
        return { status: 204 };
      },
    },
  ];
}

function readVersion(text: string): number {
  if (!/^[1-9][0-9]{0,11}$/.test(text)) throw notFound();
  return Number(text);
}
