import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AppGatewayDeps, appRoutes } from '../app-gateway.ts';
import { type ManagementGatewayDeps, managementRoutes } from '../management-gateway.ts';
import { type MetricsGatewayDeps, metricsRoutes } from '../metrics-gateway.ts';

interface Listed {
  readonly method: string;
  readonly path: string;
  readonly access: string;
}

/** No handler is called, so the tables need nothing to stand on. */
function inventory(routes: readonly Listed[]): readonly string[] {
  return routes.map(({ method, path, access }) => `${access} ${method} ${path}`).sort();
}

test('B11: every route of the app gateway is known here with what it takes to get in', () => {
  assert.deepEqual(inventory(appRoutes({} as AppGatewayDeps)), [
    'count GET /app/:org/count/:entity',
    'create POST /app/:org/create/:entity',
    'create POST /app/:org/import/:entity',
    'createinvitation POST /app/:org/user/invitations',
    'createinvitation POST /app/:org/user/invitations/:id/resend',
    'delete DELETE /app/:org/delete/:entity/:id',
    'deleteinvitation DELETE /app/:org/user/invitations/:id',
    'deleteworkspace DELETE /app/:org/user/workspace',
    'each POST /app/:org/access/v1/evaluation',
    'each POST /app/:org/access/v1/evaluations',
    'each POST /app/:org/batch',
    'get GET /app/:org/item/:entity/:id',
    'list GET /app/:org/export/:entity',
    'list GET /app/:org/list/:entity',
    'listinvitation GET /app/:org/user/invitations',
    'public GET /.well-known/jwks.json',
    'public GET /app/:org/providers',
    'public GET /app/:org/token',
    'public GET /healthz',
    'public GET /problems/:code',
    'public GET /readyz',
    'public POST /app/:org/login',
    'public POST /app/:org/password/forgot',
    'public POST /app/:org/password/reset',
    'public POST /app/:org/verify-email',
    'run POST /app/:org/logicblocks/:name',
    'run POST /app/:org/logicblocks/:name/:path',
    'self DELETE /app/:org/jobs/:id',
    'self GET /app/:org/jobs/:id',
    'self GET /app/:org/openapi.json',
    'self GET /app/:org/user/invitations/mine',
    'self GET /app/:org/user/me',
    'self GET /app/:org/user/permissions',
    'self GET /app/:org/user/tenants',
    'self POST /app/:org/user/acceptinvitation',
    'self POST /app/:org/user/leave',
    'self POST /app/:org/user/logout',
    'self POST /app/:org/user/password',
    'self POST /app/:org/user/switch-tenant',
    'self POST /app/:org/user/verification',
    'self POST /app/:org/user/workspace',
    'self PUT /app/:org/user/me',
    'update PUT /app/:org/update/:entity/:id',
    'updateworkspace PUT /app/:org/user/workspace',
  ]);
});

test('every route that changes production, what signs its callers in, secrets, or a plan says what a refusal is called in the audit log', () => {
  const routes = managementRoutes({} as ManagementGatewayDeps);
  const changing = routes.filter(
    ({ method, path }) =>
      method !== 'GET' &&
      /^\/deploy\/(?!keys)|^\/platform\/|rotate|provision|suspended-accounts|^\/secrets|^\/runs|^\/schedules|^\/events\/(?!:name\/test)/.test(
        path,
      ),
  );
  assert.ok(changing.length > 10);
  assert.deepEqual(inventory(changing.filter((route) => !('refusedAs' in route))), []);
});

test('B11: the address for metrics has these routes alone', () => {
  assert.deepEqual(inventory(metricsRoutes({} as MetricsGatewayDeps)), [
    'public GET /healthz',
    'public GET /metrics',
    'public GET /problems/:code',
    'public GET /readyz',
  ]);
});

test('B11: every route of the management gateway is known here with the role it takes', () => {
  assert.deepEqual(inventory(managementRoutes({} as ManagementGatewayDeps)), [
    'activate POST /deploy/activate',
    'activate POST /deploy/rollback',
    'developer DELETE /api/entity',
    'developer DELETE /auth/sessions/:id',
    'developer DELETE /config/:kind/:name',
    'developer DELETE /jobs/:id',
    'developer GET /acl/decisions',
    'developer GET /acl/decisions/:decision_id',
    'developer GET /acl/groups',
    'developer GET /acl/groups/:id',
    'developer GET /acl/holders',
    'developer GET /acl/matrix',
    'developer GET /acl/members',
    'developer GET /acl/members/:id',
    'developer GET /acl/policies',
    'developer GET /acl/policies/:id',
    'developer GET /api/entities',
    'developer GET /api/entity',
    'developer GET /api/entity/endpoints',
    'developer GET /api/openapi.json',
    'developer GET /auth/me',
    'developer GET /auth/orgs',
    'developer GET /auth/sessions',
    'developer GET /config',
    'developer GET /config/:kind',
    'developer GET /config/:kind/:name',
    'developer GET /config/:kind/:name/versions',
    'developer GET /config/:kind/:name/versions/:version',
    'developer GET /events/deliveries',
    'developer GET /jobs',
    'developer GET /jobs/:id',
    'developer GET /observability',
    'developer GET /observability/export',
    'developer GET /org',
    'developer GET /org/overview',
    'developer GET /org/refused-origins',
    'developer GET /org/settings',
    'developer GET /org/workspaces',
    'developer GET /org/workspaces/:tenant_code',
    'developer GET /runs',
    'developer GET /runs/:id',
    'developer GET /schedules',
    'developer POST /acl/lint',
    'developer POST /acl/simulate',
    'developer POST /api/:apiname',
    'developer POST /auth/logout',
    'developer POST /auth/password',
    'developer POST /auth/sign-in-links',
    'developer POST /auth/switch-org',
    'developer POST /config/:kind',
    'developer POST /config/:kind/:name/restore',
    'developer POST /events/:name/test',
    'developer POST /events/deliveries/:id/redeliver',
    'developer POST /events/deliveries/redeliver',
    'developer POST /org/impersonate',
    'developer POST /runs/:id/cancel',
    'developer POST /runs/:id/retry',
    'developer POST /schedules/:name/pause',
    'developer POST /schedules/:name/resume',
    'developer PUT /api/:apiname',
    'developer PUT /config/:kind/:name',
    'operator DELETE /platform/keys/:kid',
    'operator GET /metrics',
    'operator GET /platform/audit',
    'operator GET /platform/keys',
    'operator GET /platform/orgs/:org/plan',
    'operator POST /platform/keys/rotate',
    'operator PUT /platform/orgs/:org/plan',
    'org_admin DELETE /deploy/keys/:id',
    'org_admin DELETE /deploy/retired/:name',
    'org_admin DELETE /org/alerts/webhook',
    'org_admin DELETE /org/service-keys/:id',
    'org_admin DELETE /org/suspended-accounts/:id',
    'org_admin DELETE /org/users/:id',
    'org_admin DELETE /secrets/:name',
    'org_admin GET /audit',
    'org_admin GET /deploy/keys',
    'org_admin GET /events/:name/secret',
    'org_admin GET /org/alerts/webhook',
    'org_admin GET /org/service-keys',
    'org_admin GET /org/suspended-accounts',
    'org_admin GET /org/users',
    'org_admin GET /secrets',
    'org_admin POST /deploy/keys',
    'org_admin POST /events/:name/secret',
    'org_admin POST /org/alerts/webhook/test',
    'org_admin POST /org/environments/:env/rotate-client-id',
    'org_admin POST /org/service-keys',
    'org_admin POST /org/suspended-accounts/:id/merge',
    'org_admin POST /org/users',
    'org_admin POST /user/provision-prod',
    'org_admin PUT /org/alerts/webhook',
    'org_admin PUT /org/settings',
    'org_admin PUT /org/users/:id',
    'org_admin PUT /secrets/:name',
    'public GET /console/config',
    'public GET /healthz',
    'public GET /inbox',
    'public GET /openapi.json',
    'public GET /problems/:code',
    'public GET /readyz',
    'public POST /auth/accept-invitation',
    'public POST /auth/forgot-password',
    'public POST /auth/login',
    'public POST /auth/reset-password',
    'public POST /auth/sign-in-by-link',
    'public POST /auth/signup',
    'publish DELETE /deploy/staged',
    'publish DELETE /deploy/staged/:kind/:name',
    'publish POST /deploy/import',
    'publish POST /deploy/publish',
    'watch GET /deploy/diff',
    'watch GET /deploy/export',
    'watch GET /deploy/history',
    'watch GET /deploy/history/:version',
    'watch GET /deploy/retired',
    'watch GET /deploy/staged',
  ]);
});
