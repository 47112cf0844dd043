import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InputError } from '@freehold/contract/problem';
import { assertProblem } from './assert-problem.ts';
import { call, type Reply } from './call.ts';
import { act, foundedOrg, manage, newEmail, newOrgCode, password } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);

const signUp = (names: object) => {
  const body = { email: newEmail('b'), password, name: 'Ann', org_name: 'Shop', org_code: newOrgCode(), ...names };
  return call('POST', `${org.management}/auth/signup`, { body });
};
const templates = (name: string) => ({
  group: 'tenancy',
  name: 'workspace_templates',
  value: { policies: [{ name, statements: [] }] },
});

const routes: readonly (readonly [what: string, pointer: string, ask: (name: string) => Promise<Reply<unknown>>])[] = [
  ['a builder', '/name', (name) => signUp({ name })],
  ['an org', '/org_name', (name) => signUp({ org_name: name })],
  ['a workspace', '/name', (name) => act(founder, 'POST', '/user/workspace', { body: { name } })],
  ['a workspace that is renamed', '/name', (name) => act(founder, 'PUT', '/user/workspace', { body: { name } })],
  ['a deploy key', '/name', (name) => manage(org, 'POST', '/deploy/keys', { body: { name, scope: 'publish' } })],
  [
    'a service key',
    '/name',
    (name) =>
      manage(org, 'POST', '/org/service-keys', { body: { env: 'test', tenant_code: 'main', name, policies: [] } }),
  ],
  ['a policy', '/name', (name) => act(founder, 'POST', '/create/aclpolicy', { body: { name, statements: [] } })],
  ['a group', '/name', (name) => act(founder, 'POST', '/create/group', { body: { name } })],
  [
    'a policy of new workspaces',
    '/value/policies/0/name',
    (name) => manage(org, 'PUT', '/org/settings', { body: templates(name) }),
  ],
];

for (const [what, pointer, ask] of routes)
  test(`the name of ${what} is too short where it is empty, and too long where it is that`, async () => {
    for (const [name, code] of [
      ['', 'too_short'],
      ['x'.repeat(129), 'too_long'],
    ] as const) {
      const { errors = [] } = assertProblem(await ask(name), 'validation_failed');
      const warnings = (errors as readonly InputError[]).filter((one) => one.pointer === pointer);
      assert.deepEqual(
        warnings.map((one) => one.code),
        [code],
        JSON.stringify(errors),
      );
    }
  });
