import type { Workspaces } from '../../../identity/port.ts';
import type { AppRoute } from '../../app-route.ts';
import { refuseParameters } from '../../pipeline/read-query.ts';
import { json } from '../../reply.ts';

/** The workspaces that a person is in, and the one that the token is of. */
export function workspaceRoutes(workspaces: Workspaces): readonly AppRoute[] {
  return [
    {
      method: 'GET',
      path: '/app/:org/user/tenants',
      access: 'self',
      handle: async ({ query }, { claims }) => {
        refuseParameters(query);
        return json(200, { items: await workspaces.tenants(claims) });
      },
    },
    {
      method: 'POST',
      path: '/app/:org/user/workspace',
      access: 'self',
      isGated: true,
      takesBody: true,
      handle: async ({ query, body, requestId }, { claims }) => {
        refuseParameters(query);
        return json(201, await workspaces.create(claims, body, requestId));
      },
    },
    {
      method: 'PUT',
      path: '/app/:org/user/workspace',
      access: 'updateworkspace',
      isGated: true,
      takesBody: true,
      readTexts: { name: (text) => text.trim() },
      handle: async ({ query, body }, context) => {
        refuseParameters(query);
        return json(200, await workspaces.update(context, body));
      },
    },
    {
      method: 'DELETE',
      path: '/app/:org/user/workspace',
      access: 'deleteworkspace',
      takesBody: true,
      handle: async ({ query, body }, context) => {
        refuseParameters(query);
        await workspaces.remove(context, body);
        return { status: 204 };
      },
    },
    {
      method: 'POST',
      path: '/app/:org/user/switch-tenant',
      access: 'self',
      takesBody: true,
      handle: async ({ query, body }, { claims }) => {
        refuseParameters(query);
        return json(200, await workspaces.switchTo(claims, body));
      },
    },
    {
      method: 'POST',
      path: '/app/:org/user/leave',
      access: 'self',
      takesBody: true,
      handle: async ({ query, body, requestId }, { claims }) => {
        refuseParameters(query);
        await workspaces.leave(claims, body, requestId);
        return { status: 204 };
      },
    },
  ];
}
