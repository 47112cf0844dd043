import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { namesOf, settingTypes } from './org-settings.ts';

const ajv = new Ajv2020({ strict: true });
addFormats.default(ajv);

for (const type of settingTypes) {
  test(`\`${type.key}\` takes its own default as it is, and so does its schema`, () => {
    assert.deepEqual(type.parse(type.byDefault), { value: type.byDefault });
    assert.ok(ajv.validate(type.schema, type.byDefault));
    assert.ok(type.description.endsWith('.'));
  });
}

test('the name of a setting goes back to one group and one name', () => {
  for (const type of settingTypes) {
    const { group, name } = namesOf(type);
    assert.equal(`${group}.${name}`, type.key);
    assert.match(type.key, /^[a-z]+\.[a-z_]+$/);
  }
});

const open = { enabled: true, allow_signup: true, min_length: 10 };
const allow = (Action: string): object => ({ Effect: 'Allow', Action: [Action], Resource: ['*'] });
const deny = { Effect: 'Deny', Action: ['delete*'], Resource: ['*'] };
const templates = (statements: readonly object[], acl_policies: readonly string[] = []): object => ({
  policies: [{ name: 'clerk', statements }],
  groups: [{ name: 'clerks', acl_policies }],
});
const provider = { issuer: 'https://id.example', audiences: ['app'] };

/** A setting, two values, and what the second lets people do beyond the first. */
const widening: readonly (readonly [string, unknown, unknown, readonly string[]])[] = [
  ['tenancy.tenancy_type', 'single', 'multi', ['users may create workspaces']],
  ['tenancy.tenancy_type', 'multi', 'single', []],
  [
    'tenancy.founder_email',
    'a@example.com',
    null,
    ['the address that production was provisioned with becomes the first admin of its default workspace'],
  ],
  ['tenancy.founder_email', 'a@example.com', 'b@example.com', ['another user may found the default workspace']],
  [
    'tenancy.default_member_access',
    'vieweracl',
    'clerk',
    ['people who join workspaces that are founded from now on get the policy `clerk` in place of `vieweracl`'],
  ],
  ['auth.allowed_domains', ['https://a.example'], [], []],
  [
    'auth.allowed_domains',
    ['https://a.example'],
    ['https://a.example', 'https://b.example'],
    ['pages of `https://b.example` may call the app'],
  ],
  [
    'auth.app_url',
    null,
    'https://b.example/',
    ['links in mails, with the codes that they carry, lead to `https://b.example/`'],
  ],
  ['auth.issuers', [], [provider], ['users of the provider `https://id.example` may sign in']],
  ['auth.issuers', [provider], [], []],
  [
    'auth.issuers',
    [provider],
    [{ ...provider, audiences: ['app', 'other'], jwks_uri: 'https://id.example/keys' }],
    [
      'tokens of the provider `https://id.example` for `other` are taken',
      'tokens of the provider `https://id.example` are verified by other keys: those at `https://id.example/keys`',
    ],
  ],
  ['auth.issuers', [provider], [{ ...provider, name: 'Example' }], []],
  [
    'auth.issuers',
    [provider],
    [{ ...provider, email_verified_as_string: true }],
    ['`email_verified` of the provider `https://id.example` counts as a text too'],
  ],
  [
    'auth.password_login',
    { ...open, enabled: false },
    open,
    ['app users may sign in with a password', 'everyone may sign up with a password'],
  ],
  ['auth.password_login', { ...open, allow_signup: false }, open, ['everyone may sign up with a password']],
  ['auth.password_login', open, { ...open, enabled: false, min_length: 8 }, []],
  ['auth.password_login', open, { ...open, min_length: 8 }, ['passwords may have 8 characters, in place of 10']],
  ['auth.password_login', open, { ...open, min_length: 12 }, []],
  [
    'acl.cache_seconds',
    60,
    61,
    ['access that was taken away may hold for up to 61 s on other nodes, in place of 60 s'],
  ],
  ['acl.cache_seconds', 60, 0, []],
  [
    'automation.http_hosts',
    ['api.example.com'],
    ['*.example.org', 'api.example.com'],
    ['logic blocks may call `*.example.org`'],
  ],
  ['automation.http_hosts', ['api.example.com', 'example.org'], ['example.org'], []],
  ['acl.escalation_check', true, false, ['callers may grant permissions that they do not hold']],
  ['acl.escalation_check', false, true, []],
  ['tenancy.workspace_templates', { policies: [], groups: [] }, templates([deny]), []],
  [
    'tenancy.workspace_templates',
    { policies: [], groups: [] },
    templates([allow('get*')]),
    ['new workspaces get the policy `clerk`'],
  ],
  ['tenancy.workspace_templates', templates([allow('get*'), deny]), templates([allow('getorder'), deny]), []],
  [
    'tenancy.workspace_templates',
    templates([allow('get*')]),
    templates([allow('get*'), allow('list*')]),
    ['the policy `clerk` of new workspaces allows `list*` on `*`'],
  ],
  [
    'tenancy.workspace_templates',
    templates([allow('*'), deny]),
    templates([allow('*')]),
    ['the policy `clerk` of new workspaces no longer denies `delete*` on `*`'],
  ],
  [
    'tenancy.workspace_templates',
    templates([allow('*')]),
    templates([allow('*')], ['clerk']),
    ['the group `clerks` of new workspaces holds the policy `clerk`'],
  ],
  [
    'tenancy.workspace_templates',
    templates([deny], ['clerk']),
    templates([deny]),
    ['the group `clerks` of new workspaces no longer holds the policy `clerk`, which denies'],
  ],
];

for (const [key, before, after, sentences] of widening)
  test(`${key} from ${JSON.stringify(before)} to ${JSON.stringify(after)} lets people do ${sentences.length} more`, () => {
    const type = settingTypes.find((one) => one.key === key);
    for (const value of [before, after]) assert.deepEqual(type?.parse(value), { value });
    assert.deepEqual(type?.widens?.(before, after), sentences);
  });

test('a setting that widens access has cases here, and there is one for each setting', () => {
  const covered = new Set(widening.map(([key]) => key));
  for (const { key, widens } of settingTypes) assert.equal(widens !== undefined, covered.has(key), key);
});

test('who gives new members a policy that is not built in needs the templates that make it', () => {
  const needs = (value: string) => settingTypes.find(({ key }) => key.endsWith('member_access'))?.needs?.(value);
  assert.deepEqual(needs('vieweracl'), []);
  assert.deepEqual(needs('adminacl'), []);
  assert.deepEqual(
    needs('clerk')?.map(({ key }) => key),
    ['tenancy.workspace_templates'],
  );
});
