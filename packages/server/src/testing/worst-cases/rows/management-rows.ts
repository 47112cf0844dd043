/** The largest of what builders may ask. */

import { statement } from '../largest/largest-policies.ts';
import type { Rows } from '../worst-case.ts';
import { accountRows, factorRows } from './account-rows.ts';
import { draftRow } from './block-rows.ts';
import { configRows } from './config-rows.ts';
import { labRows } from './lab-rows.ts';
import { operatorRows } from './operator-rows.ts';
import { peopleRows } from './people-rows.ts';
import { json, noId, one, plain, small } from './row-kinds.ts';
import { bothMails, mailRows, templateRows } from './settings-rows.ts';
import { sharedRows } from './shared-rows.ts';

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
      { what: 'a mail', ask: () => json({ group: 'mail', name: 'invitation', ...bothMails() }) },
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
  'POST /org/providers/discover': small('/org/providers/discover'),
  'POST /org/providers/test': {
    as: 'builder',
    target: () => '/org/providers/test',
    largest: [{ what: 'a token', ask: () => json({ id_token: identityToken(), provider: issuers()[0] }) }],
  },
  'PUT /org/alerts': small('/org/alerts'),
  'GET /org/alerts/webhook': plain('/org/alerts/webhook'),
  'PUT /org/alerts/webhook': small('/org/alerts/webhook'),
  'DELETE /org/alerts/webhook': plain('/org/alerts/webhook'),
  'POST /org/alerts/webhook/test': plain('/org/alerts/webhook/test'),
  'GET /org/service-keys': small('/org/service-keys'),
  'POST /org/service-keys': small('/org/service-keys'),
  'DELETE /org/service-keys/:id': one(`/org/service-keys/${noId}`),
  'GET /runs': small('/runs'),
  'GET /runs/:id': one(`/runs/${noId}`),
  'POST /runs/:id/cancel': one(`/runs/${noId}/cancel`),
  'POST /runs/:id/retry': small(`/runs/${noId}/retry`),
  'GET /hooks': small('/hooks'),
  'GET /hooks/:name': one('/hooks/none'),
  'PUT /hooks/:name': small('/hooks/none'),
  'GET /logicblocks': {
    as: 'builder',
    target: () => `/logicblocks?pagesize=200&q=${'a'.repeat(128)}`,
    largest: [{ what: 'logic blocks', ask: () => ({ target: '/logicblocks?pagesize=200' }) }],
  },
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
  'GET /events': {
    as: 'builder',
    target: () => '/events?pagesize=200',
    largest: [{ what: 'events', ask: () => ({}) }],
  },
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
  'GET /events/deliveries/:id/attempts': one(`/events/deliveries/${noId}/attempts`),
  'POST /events/deliveries/:id/redeliver': one(`/events/deliveries/${noId}/redeliver`),
  'POST /events/deliveries/redeliver': {
    as: 'builder',
    target: () => '/events/deliveries/redeliver',
    largest: [
      {
        what: 'deliveries that are counted',
        ask: () => ({
          target: '/events/deliveries/redeliver?dry_run=true',
          ...json({ event: 'largest', state: 'dead' }),
        }),
      },
      { what: 'deliveries', status: 202, ask: () => json({ event: 'largest', state: 'dead' }) },
    ],
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
    largest: [
      { what: 'secrets', ask: () => ({}) },
      { what: 'blocks that name them', ask: () => ({ target: '/secrets?references=true' }) },
    ],
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
  'POST /org/workspaces': small('/org/workspaces'),
  'GET /org/workspaces/:tenant_code': {
    as: 'builder',
    target: () => '/org/workspaces/main',
    largest: [{ what: 'counters of every entity', ask: () => ({}) }],
  },
  'GET /org/workspaces/:tenant_code/invitations': small('/org/workspaces/main/invitations'),
  'POST /org/workspaces/:tenant_code/invitations': small('/org/workspaces/main/invitations'),
  'POST /org/workspaces/:tenant_code/invitations/:id/resend': small(`/org/workspaces/main/invitations/${noId}/resend`),
  'POST /org/workspaces/:tenant_code/suspend': small('/org/workspaces/none/suspend'),
  'POST /org/workspaces/:tenant_code/resume': small('/org/workspaces/none/resume'),
  'DELETE /org/workspaces/:tenant_code/invitations/:id': one(`/org/workspaces/main/invitations/${noId}`),
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

/** As long as a token may be, of a provider that the app has. */
function identityToken(): string {
  const [{ issuer }] = issuers() as readonly [{ readonly issuer: string }];
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ iss: issuer, aud: 'a'.repeat(5_000) })}.${'A'.repeat(64)}`;
}

function issuers(): readonly object[] {
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

export const managementRows: Rows = {
  ...accountRows,
  ...factorRows,
  ...peopleRows,
  ...orgRows,
  ...mailRows,
  ...templateRows,
  ...configRows,
  ...accessRows,
  ...labRows,
  ...operatorRows,
  ...sharedRows,
};
