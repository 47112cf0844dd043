import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyRoute } from '../../api/route.ts';
import { rejectImpersonation } from '../../gateway/app-gateway.ts';
import { Problem } from '../../lib/problem.ts';
import type { AppCaller } from '../../people/sessions/app-sessions.ts';
import { servedRoutes } from '../served-routes.ts';

const routes = servedRoutes.app.filter(({ access }) => access !== 'public');

type Who = Pick<AppCaller, 'kind'> & {
  readonly env: 'test' | 'prod';
  readonly act?: { readonly sub: string };
  readonly isSuspended?: boolean;
};

function refusal(route: AnyRoute, { kind, isSuspended = false, ...claims }: Who): string {
  try {
    rejectImpersonation(route, { kind, claims, place: { isSuspended } } as AppCaller);
    return '';
  } catch (error) {
    assert.ok(error instanceof Problem);
    return error.code;
  }
}

/** By code, the routes that are refused. */
function refused(who: Who): Readonly<Record<string, readonly string[]>> {
  const codes = Map.groupBy(routes, (route) => refusal(route, who));
  const named = Array.from(codes, ([code, found]) => [code, found.map(({ method, path }) => `${method} ${path}`)]);
  return Object.fromEntries(named);
}

test('a person is refused nothing here', () => {
  for (const env of ['test', 'prod'] as const) assert.deepEqual(Object.keys(refused({ kind: 'person', env })), ['']);
});

test('in production an impersonating builder may only call what changes nothing', () => {
  const {
    '': allowed = [],
    prod_read_only = [],
    ...others
  } = refused({ kind: 'person', env: 'prod', act: { sub: 'b' } });
  assert.deepEqual(others, {});
  const requested = ['POST /app/:org/access/v1/evaluation', 'POST /app/:org/access/v1/evaluations'];
  assert.deepEqual(allowed.filter((route) => !route.startsWith('GET ')).sort(), requested);
  assert.ok(prod_read_only.length > 10 && prod_read_only.every((route) => !route.startsWith('GET ')));
  for (const written of ['POST /app/:org/batch', 'POST /app/:org/import/:entity', 'POST /app/:org/create/:entity'])
    assert.ok(prod_read_only.includes(written));
});

test('in a suspended workspace an impersonating builder may only call what changes nothing', () => {
  for (const kind of ['person', 'builder'] as const) {
    const who: Who = { kind, env: 'test', act: { sub: 'b' }, isSuspended: true };
    const written = routes.filter(({ method, path }) => method !== 'GET' && !path.includes('/access/v1/'));
    assert.deepEqual(
      written.filter((route) => refusal(route, who) === ''),
      [],
    );
  }
});

test('what a GET serves has no effect that a caller asks for', () => {
  const reads = routes.filter(({ method }) => method === 'GET').map(({ access, path }) => `${access} ${path}`);
  assert.deepEqual(reads.sort(), [
    'count /app/:org/count/:entity',
    'get /app/:org/item/:entity/:id',
    'list /app/:org/aggregate/:entity',
    'list /app/:org/export/:entity',
    'list /app/:org/list/:entity',
    'listinvitation /app/:org/user/invitations',
    'self /app/:org/jobs/:id',
    'self /app/:org/openapi.json',
    'self /app/:org/runs/:id',
    'self /app/:org/user/invitations/mine',
    'self /app/:org/user/me',
    'self /app/:org/user/permissions',
    'self /app/:org/user/tenants',
  ]);
});

test('in test an impersonating builder changes nothing of the user’s account', () => {
  const { access_denied = [], ...others } = refused({ kind: 'person', env: 'test', act: { sub: 'b' } });
  const writes = routes.filter(({ access, method }) => access === 'self' && method !== 'GET');
  assert.deepEqual(
    access_denied,
    writes.map(({ method, path }) => `${method} ${path}`),
  );
  assert.deepEqual(Object.keys(others), ['']);
});

test('who is no person gets of the routes about persons those about what the caller may do', () => {
  for (const kind of ['service_key', 'builder'] as const) {
    const { '': allowed = [] } = refused({ kind, env: 'test' });
    assert.deepEqual(
      allowed
        .filter((route) =>
          routes.some(({ access, method, path }) => access === 'self' && route === `${method} ${path}`),
        )
        .sort(),
      [
        'DELETE /app/:org/jobs/:id',
        'GET /app/:org/jobs/:id',
        'GET /app/:org/openapi.json',
        'GET /app/:org/runs/:id',
        'GET /app/:org/user/me',
        'GET /app/:org/user/permissions',
      ],
    );
  }
});

test('a builder in his own name cannot invite, since an invitation is good for as long as its sender is a member', () => {
  const { access_denied = [] } = refused({ kind: 'builder', env: 'test', act: { sub: 'b' } });
  assert.ok(access_denied.includes('POST /app/:org/user/invitations'));
  assert.ok(access_denied.includes('POST /app/:org/user/invitations/:id/resend'));
});
