/** The largest of what builders may ask. */

import { statement } from '../largest/largest-policies.ts';
import type { Rows } from '../worst-case.ts';
import { draftRow } from './block-rows.ts';
import { configRows } from './config-rows.ts';
import { labRows } from './lab-rows.ts';
import { operatorRows } from './operator-rows.ts';
import { json, noId } from './requested-json.ts';
import { bothMails, mailRows } from './settings-rows.ts';

/** A new password has at most 256 bytes. */
const password = 'a'.repeat(256);

const accountRows: Rows = {
  'POST /auth/signup': { members: () => ({ password, org_code: undefined }) },
  'POST /auth/reset-password': { members: () => ({ new_password: password }) },
  'POST /auth/password': { members: () => ({ new_password: password }) },
  'POST /auth/logout': { largest: [], notSentAnything: 'it ends the session that all others are sent with' },
};

const orgRows: Rows = {
  'POST /org/providers/discover': {
    largest: [
      {
        what: 'an issuer that is not there',
        status: 400,
        ask: () => json({ issuer: `https://id.example/${'a'.repeat(450)}` }),
      },
    ],
  },
  // Others would find the workspace suspended, or be held to a plan.
  'POST /org/workspaces/:tenant_code/suspend': { target: () => '/org/workspaces/none/suspend' },
  'PUT /platform/orgs/:org/plan': { target: () => '/platform/orgs/none/plan' },
  'POST /org/app-users': { members: () => ({ tenant_code: 'main' }) },
  'POST /org/workspaces/:tenant_code/invitations': { members: () => ({ acl_policy_id: undefined }) },
  'PUT /org/settings': {
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
  'POST /org/providers/test': {
    largest: [{ what: 'a token', ask: () => json({ id_token: identityToken(), provider: issuers()[0] }) }],
  },
  'POST /logicblocks/test': draftRow,
  'POST /logicblocks/:name/run': {
    largest: [
      { what: 'an input', status: 404, ask: () => json({ tenant_code: 'main', input: { text: 'a'.repeat(900_000) } }) },
    ],
  },
  'POST /events/deliveries/redeliver': {
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
    largest: [{ what: 'a record', status: 404, ask: () => json({ record: { text: 'a'.repeat(900_000) } }) }],
  },
  'PUT /secrets/:name': {
    target: () => '/secrets/largest',
    largest: [
      { what: 'a value and hosts', ask: () => json({ value: '~'.repeat(4096), hosts: hosts(20) }) },
      { what: 'a value that is too long', status: 400, ask: () => json({ value: '~'.repeat(900_000), hosts: [] }) },
      { what: 'hosts that are too many', status: 400, ask: () => json({ value: 'x', hosts: hosts(4_000) }) },
    ],
  },
  'GET /audit': {
    largest: [
      { what: 'entries', ask: () => ({ target: '/audit?pagesize=200' }) },
      {
        what: 'entries that are passed over',
        ask: () => ({ target: `/audit?pagesize=200&target=${'x'.repeat(12_000)}` }),
      },
    ],
  },
  'GET /audit/export': {
    largest: [
      { what: 'entries', ask: () => ({}) },
      { what: 'entries that are passed over', ask: () => ({ target: `/audit/export?target=${'x'.repeat(12_000)}` }) },
    ],
  },
  'POST /audit/chains/verify': {
    largest: [{ what: 'entries', ask: () => json({ restart: true, tenant_code: 'main' }) }],
  },
  'GET /observability': {
    largest: [{ what: 'days', ask: () => ({ target: '/observability?days=400&explain=api_calls.today' }) }],
  },
  'GET /observability/export': {
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
  'GET /acl/members/:id': { target: ({ restricted }) => `/acl/members/${restricted.id}` },
  'POST /acl/simulate': {
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
    target: () => '/acl/matrix?tenant_code=main',
    largest: [
      { what: 'members, entities and policies', ask: () => ({}) },
      {
        what: 'entities for one member',
        ask: ({ restricted }) => ({ target: `/acl/matrix?tenant_code=main&user_id=${restricted.id}` }),
      },
    ],
  },
  'GET /acl/holders': {
    target: () => `/acl/holders?tenant_code=main&policy_id=${noId}`,
    largest: [
      { what: 'members', ask: () => ({ target: `/acl/holders?tenant_code=main&group_id=${noId}&pagesize=200` }) },
    ],
  },
};

export const managementRows: Rows = {
  ...accountRows,
  ...orgRows,
  ...mailRows,
  ...configRows,
  ...accessRows,
  ...labRows,
  ...operatorRows,
};
