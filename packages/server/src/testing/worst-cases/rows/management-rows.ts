/** The largest of what builders and the operator may ask. */

import { statement } from '../largest/largest-policies.ts';
import type { Caller } from '../send.ts';
import type { Asked, Row, Rows } from '../worst-case.ts';
import { draftRow } from './block-rows.ts';
import { configRows } from './config-rows.ts';
import { nothingAsked, nothingOfOneItem, nothingToChoose } from './reasons.ts';
import { sharedRows } from './shared-rows.ts';

const noId = '01890a5d-ac96-774b-bcce-b302099a8057';

const json = (value: unknown): Asked => ({ body: JSON.stringify(value) });

const small = (target: string, as: Caller = 'builder'): Row => ({ as, target: () => target, largest: nothingToChoose });
const one = (target: string, as: Caller = 'builder'): Row => ({ as, target: () => target, largest: nothingOfOneItem });
const plain = (target: string, as: Caller = 'builder'): Row => ({ as, target: () => target, largest: nothingAsked });

const accountRows: Rows = {
  'POST /auth/signup': small('/auth/signup', 'anyone'),
  'POST /auth/login': small('/auth/login', 'anyone'),
  'POST /auth/sign-in-links': plain('/auth/sign-in-links'),
  'POST /auth/command-sign-ins': small('/auth/command-sign-ins'),
  'POST /auth/command-sign-in': small('/auth/command-sign-in', 'anyone'),
  'POST /auth/sign-in-by-link': small('/auth/sign-in-by-link', 'anyone'),
  'POST /auth/accept-invitation': small('/auth/accept-invitation', 'anyone'),
  'POST /auth/forgot-password': small('/auth/forgot-password', 'anyone'),
  'POST /auth/reset-password': small('/auth/reset-password', 'anyone'),
  'POST /auth/logout': {
    ...plain('/auth/logout'),
    notSentAnything: 'it ends the session that all others are sent with',
  },
  'GET /auth/me': plain('/auth/me'),
  'GET /auth/orgs': plain('/auth/orgs'),
  'POST /auth/password': small('/auth/password'),
  'POST /auth/switch-org': small('/auth/switch-org'),
  'GET /auth/sessions': plain('/auth/sessions'),
  'DELETE /auth/sessions': plain('/auth/sessions'),
  'DELETE /auth/sessions/:id': one(`/auth/sessions/${noId}`),
};

const factorRows: Rows = {
  'POST /auth/second-factor': small('/auth/second-factor', 'anyone'),
  'GET /auth/passkey-challenge': plain('/auth/passkey-challenge', 'anyone'),
  'POST /auth/passkey-sign-in': small('/auth/passkey-sign-in', 'anyone'),
  'GET /auth/second-factors': plain('/auth/second-factors'),
  'GET /auth/second-factors/challenge': plain('/auth/second-factors/challenge'),
  'POST /auth/second-factors/totp': small('/auth/second-factors/totp'),
  'POST /auth/second-factors/totp/confirm': small('/auth/second-factors/totp/confirm'),
  'POST /auth/second-factors/:id/remove': small('/auth/second-factors/none/remove'),
  'POST /auth/passkeys/options': small('/auth/passkeys/options'),
  'POST /auth/passkeys': small('/auth/passkeys'),
  'PUT /auth/passkeys/:id': small('/auth/passkeys/none'),
  'POST /auth/recovery-codes': small('/auth/recovery-codes'),
  'PUT /org/security': small('/org/security'),
  'POST /org/users/:id/reset-second-factors': one(`/org/users/${noId}/reset-second-factors`),
};

const orgRows: Rows = {
  'GET /console/config': plain('/console/config', 'anyone'),
  'GET /org': plain('/org'),
  'POST /org/environments/:env/rotate-client-id': one('/org/environments/none/rotate-client-id'),
  'GET /org/users': plain('/org/users'),
  'POST /org/users': small('/org/users'),
  'PUT /org/users/:id': small(`/org/users/${noId}`),
  'DELETE /org/users/:id': one(`/org/users/${noId}`),
  'GET /org/settings': {
    as: 'builder',
    target: () => '/org/settings',
    largest: [{ what: 'settings', ask: () => ({}) }],
  },
  'PUT /org/settings': {
    as: 'builder',
    target: () => '/org/settings',
    largest: [
      { what: 'providers', ask: () => json({ group: 'auth', name: 'issuers', value: issuers() }) },
      { what: 'origins', ask: () => json({ group: 'auth', name: 'allowed_domains', value: origins(100) }) },
      {
        what: 'origins that are too many',
        status: 400,
        ask: () => json({ group: 'auth', name: 'allowed_domains', value: origins(30_000) }),
      },
      { what: 'templates', ask: () => json({ group: 'tenancy', name: 'workspace_templates', value: templates(20) }) },
      {
        what: 'templates that are wrong',
        status: 400,
        ask: () =>
          json({
            group: 'tenancy',
            name: 'workspace_templates',
            value: { groups: [{ name: 'a', acl_policies: Array.from({ length: 90_000 }, (_, index) => `${index}`) }] },
          }),
      },
    ],
  },
  'GET /org/refused-origins': plain('/org/refused-origins'),
  'GET /org/alerts/webhook': plain('/org/alerts/webhook'),
  'PUT /org/alerts/webhook': small('/org/alerts/webhook'),
  'DELETE /org/alerts/webhook': plain('/org/alerts/webhook'),
  'POST /org/alerts/webhook/test': plain('/org/alerts/webhook/test'),
  'GET /org/suspended-accounts': small('/org/suspended-accounts'),
  'POST /org/suspended-accounts/:id/merge': one(`/org/suspended-accounts/${noId}/merge`),
  'DELETE /org/suspended-accounts/:id': one(`/org/suspended-accounts/${noId}`),
  'GET /org/service-keys': small('/org/service-keys'),
  'POST /org/service-keys': small('/org/service-keys'),
  'DELETE /org/service-keys/:id': one(`/org/service-keys/${noId}`),
  'GET /runs': small('/runs'),
  'GET /runs/:id': one(`/runs/${noId}`),
  'POST /runs/:id/cancel': one(`/runs/${noId}/cancel`),
  'POST /runs/:id/retry': small(`/runs/${noId}/retry`),
  'GET /hooks': small('/hooks'),
  'PUT /hooks/:name': small('/hooks/none'),
  'POST /logicblocks/test': draftRow,
  'POST /logicblocks/:name/run': {
    as: 'builder',
    target: () => '/logicblocks/none/run',
    largest: [
      { what: 'an input', status: 404, ask: () => json({ tenant_code: 'main', input: { text: 'a'.repeat(900_000) } }) },
    ],
  },
  'POST /events/:name/pause': one('/events/none/pause'),
  'POST /events/:name/resume': one('/events/none/resume'),
  'GET /events/state': {
    as: 'builder',
    target: () => '/events/state',
    largest: [{ what: 'events', ask: () => ({}) }],
  },
  'GET /schedules': small('/schedules'),
  'POST /schedules/:name/pause': small('/schedules/none/pause'),
  'POST /schedules/:name/resume': small('/schedules/none/resume'),
  'GET /events/deliveries': {
    as: 'builder',
    target: () => '/events/deliveries?pagesize=200&state=dead',
    largest: [{ what: 'deliveries', ask: () => ({}) }],
  },
  'POST /events/deliveries/:id/redeliver': one(`/events/deliveries/${noId}/redeliver`),
  'POST /events/deliveries/redeliver': {
    as: 'builder',
    target: () => '/events/deliveries/redeliver',
    largest: [{ what: 'deliveries', status: 202, ask: () => json({ event: 'largest', state: 'dead' }) }],
  },
  'POST /events/:name/test': {
    as: 'builder',
    target: () => '/events/none/test',
    largest: [{ what: 'a record', status: 404, ask: () => json({ record: { text: 'a'.repeat(900_000) } }) }],
  },
  'GET /events/:name/secret': one('/events/none/secret'),
  'POST /events/:name/secret': one('/events/none/secret'),
  'GET /secrets': {
    as: 'builder',
    target: () => '/secrets',
    largest: [{ what: 'secrets', ask: () => ({}) }],
  },
  'PUT /secrets/:name': {
    as: 'builder',
    target: () => '/secrets/largest',
    largest: [
      { what: 'a value and hosts', ask: () => json({ value: '~'.repeat(4096), hosts: hosts(20) }) },
      { what: 'a value that is too long', status: 400, ask: () => json({ value: '~'.repeat(900_000), hosts: [] }) },
      { what: 'hosts that are too many', status: 400, ask: () => json({ value: 'x', hosts: hosts(4_000) }) },
    ],
  },
  'DELETE /secrets/:name': one('/secrets/none'),
  'GET /org/overview': {
    as: 'builder',
    target: () => '/org/overview?workspaces=20&first_steps=true',
    largest: [{ what: 'entities', ask: () => ({}) }],
  },
  'GET /jobs': {
    as: 'builder',
    target: () => '/jobs',
    largest: [{ what: 'entities', ask: () => ({ target: '/jobs?pagesize=50' }) }],
  },
  'GET /jobs/:id': one(`/jobs/${'a'.repeat(4000)}`),
  'DELETE /jobs/:id': one(`/jobs/${'a'.repeat(4000)}`),
  'GET /org/workspaces': {
    as: 'builder',
    target: () => '/org/workspaces',
    largest: [{ what: 'counters of every entity', ask: () => ({ target: '/org/workspaces?pagesize=50' }) }],
  },
  'GET /org/workspaces/:tenant_code': {
    as: 'builder',
    target: () => '/org/workspaces/main',
    largest: [{ what: 'counters of every entity', ask: () => ({}) }],
  },
  'POST /org/impersonate': small('/org/impersonate'),
  'GET /audit': {
    as: 'builder',
    target: () => '/audit',
    largest: [
      { what: 'entries', ask: () => ({ target: '/audit?pagesize=200' }) },
      {
        what: 'entries that are passed over',
        ask: () => ({ target: `/audit?pagesize=200&target=${'x'.repeat(12_000)}` }),
      },
    ],
  },
  'GET /audit/export': {
    as: 'builder',
    target: () => '/audit/export',
    largest: [
      { what: 'entries', ask: () => ({}) },
      { what: 'entries that are passed over', ask: () => ({ target: `/audit/export?target=${'x'.repeat(12_000)}` }) },
    ],
  },
  'GET /audit/chains': plain('/audit/chains'),
  'POST /audit/chains/verify': {
    as: 'builder',
    target: () => '/audit/chains/verify',
    largest: [{ what: 'entries', ask: () => json({ restart: true, tenant_code: 'main' }) }],
  },
  'GET /observability': {
    as: 'builder',
    target: () => '/observability',
    largest: [{ what: 'days', ask: () => ({ target: '/observability?days=400&explain=api_calls.today' }) }],
  },
  'GET /observability/export': {
    as: 'builder',
    target: () => '/observability/export',
    largest: [{ what: 'days', ask: () => ({ target: '/observability/export?from=2020-01-01&to=2026-11-20' }) }],
  },
};

function issuers(): unknown {
  return Array.from({ length: 20 }, (_, index) => ({
    issuer: `https://id${index}.example/${'a'.repeat(450)}`,
    audiences: Array.from({ length: 20 }, (_, audience) => `${audience}${'a'.repeat(190)}`),
    email_domains: Array.from({ length: 20 }, (_, domain) => `d${domain}.example`),
  }));
}

function origins(count: number): unknown {
  return Array.from({ length: count }, (_, index) => `https://a${index}.example`);
}

/** Each as long as a host may be. */
function hosts(count: number): unknown {
  return Array.from({ length: count }, (_, index) => `${`${'a'.repeat(49)}.`.repeat(4)}a${index}.${'b'.repeat(45)}`);
}

function templates(policies: number): unknown {
  return {
    policies: Array.from({ length: policies }, (_, policy) => ({
      name: `t${policy}`,
      statements: Array.from({ length: 50 }, (_, index) => statement(policy * 50 + index)),
    })),
    groups: Array.from({ length: 20 }, (_, group) => ({ name: `g${group}`, acl_policies: ['t0', 't1', 't2'] })),
  };
}

const statements = Array.from({ length: 450 }, (_, index) => statement(index));
/** As many as a body holds. */
const mostStatements = Array.from({ length: 5_000 }, (_, index) => statement(index));

const accessRows: Rows = {
  'POST /acl/simulate': {
    as: 'builder',
    target: () => '/acl/simulate',
    largest: [
      {
        what: 'a record under a draft',
        ask: ({ org }) =>
          json({
            statements: statements.slice(0, 50),
            method: 'GET',
            path: `/app/${org}/item/note/${noId}`,
            record: { title: 'x', note: 'a'.repeat(800_000) },
          }),
      },
      {
        what: 'a draft',
        status: 400,
        ask: ({ org }) =>
          json({
            statements: mostStatements,
            method: 'GET',
            path: `/app/${org}/item/note/${noId}`,
            record: { title: 'x' },
          }),
      },
      {
        what: 'what a member holds',
        ask: ({ org, restricted }) =>
          json({
            tenant_code: 'main',
            user_id: restricted.id,
            method: 'GET',
            path: `/app/${org}/list/note`,
            record: { title: 'x', note: 'a' },
          }),
      },
    ],
  },
  'POST /acl/lint': {
    as: 'builder',
    target: () => '/acl/lint',
    largest: [
      { what: 'statements', ask: () => json({ statements }) },
      { what: 'statements of a body', ask: () => json({ statements: mostStatements }) },
      {
        what: 'patterns',
        ask: () =>
          json({
            statements: Array.from({ length: 450 }, (_, index) => ({
              Effect: 'Allow',
              Action: [`*a*b*c*${index}*`, '*n*o*t*'],
              Resource: [`/*a*b*c*d*e*f*g*${index}`, `/*${'?*'.repeat(12)}`],
            })),
          }),
      },
    ],
  },
  'GET /acl/matrix': {
    as: 'builder',
    target: () => '/acl/matrix?tenant_code=main',
    largest: [
      { what: 'members, entities and policies', ask: () => ({}) },
      {
        what: 'entities for one member',
        ask: ({ restricted }) => ({ target: `/acl/matrix?tenant_code=main&user_id=${restricted.id}` }),
      },
    ],
  },
  'GET /acl/members': {
    as: 'builder',
    target: () => '/acl/members?tenant_code=main',
    largest: [
      { what: 'members and their policies', ask: () => ({ target: '/acl/members?tenant_code=main&pagesize=50' }) },
      {
        what: 'members that a search does not find',
        ask: () => ({ target: `/acl/members?tenant_code=main&pagesize=50&q=${'a'.repeat(128)}` }),
      },
    ],
  },
  'GET /acl/members/:id': {
    as: 'builder',
    target: () => '/acl/members/none?tenant_code=main',
    largest: [
      {
        what: 'policies of a member',
        ask: ({ restricted }) => ({ target: `/acl/members/${restricted.id}?tenant_code=main` }),
      },
    ],
  },
  'GET /acl/policies': {
    as: 'builder',
    target: () => '/acl/policies?tenant_code=main',
    largest: [
      { what: 'policies', ask: () => ({ target: '/acl/policies?tenant_code=main&pagesize=50' }) },
      { what: 'names', ask: () => ({ target: `/acl/policies?tenant_code=main&q=${'z'.repeat(128)}` }) },
    ],
  },
  'GET /acl/policies/:id': one(`/acl/policies/${noId}?tenant_code=main`),
  'GET /acl/groups/:id': one(`/acl/groups/${noId}?tenant_code=main`),
  'GET /acl/groups': {
    as: 'builder',
    target: () => '/acl/groups?tenant_code=main',
    largest: [{ what: 'groups', ask: () => ({ target: '/acl/groups?tenant_code=main&pagesize=50' }) }],
  },
  'GET /acl/holders': {
    as: 'builder',
    target: () => `/acl/holders?tenant_code=main&policy_id=${noId}`,
    largest: [
      { what: 'members', ask: () => ({ target: `/acl/holders?tenant_code=main&group_id=${noId}&pagesize=200` }) },
    ],
  },
  'GET /acl/decisions': {
    as: 'builder',
    target: () => '/acl/decisions',
    largest: [{ what: 'denials', ask: () => ({ target: '/acl/decisions?pagesize=200' }) }],
  },
  'GET /acl/decisions/:decision_id': one(`/acl/decisions/${noId}`),
};

const operatorRows: Rows = {
  'GET /metrics': plain('/metrics', 'operator'),
  'GET /platform/audit': small('/platform/audit', 'operator'),
  'GET /platform/keys': plain('/platform/keys', 'operator'),
  'POST /platform/keys/rotate': plain('/platform/keys/rotate', 'operator'),
  'DELETE /platform/keys/:kid': one('/platform/keys/none', 'operator'),
  'GET /platform/orgs/:org/plan': one('/platform/orgs/none/plan', 'operator'),
  'PUT /platform/orgs/:org/plan': small('/platform/orgs/none/plan', 'operator'),
  'GET /openapi.json': plain('/openapi.json', 'anyone'),
  'GET /inbox': {
    as: 'anyone',
    target: () => '/inbox',
    largest: [{ what: 'mails', ask: () => ({ headers: { accept: 'application/json' } }) }],
  },
};

export const managementRows: Rows = {
  ...accountRows,
  ...factorRows,
  ...orgRows,
  ...configRows,
  ...accessRows,
  ...operatorRows,
  ...sharedRows,
};
