/** Settings that are a single value. */
import { hostPattern } from '@freehold/contract/management/secrets';
import type { InputError } from '@freehold/contract/problem';
import type { SettingType } from '../../config/port.ts';
import { adminPolicy, viewerPolicy, workspaceTemplates } from '../../iam/port.ts';
import { emailSchema, isEmailAddress } from '../../lib/formats/email-address.ts';
import { isObject, unknownMembers, wrong } from '../../lib/unknown-names.ts';

export const tenancyType: SettingType<'single' | 'multi'> = {
  key: 'tenancy.tenancy_type',
  description: '`single`: all users share one workspace; `multi`: users create workspaces and invite others.',
  byDefault: 'single',
  schema: { enum: ['single', 'multi'] },
  parse: (input) => (input === 'single' || input === 'multi' ? { value: input } : wrong('must be `single` or `multi`')),
  widens: (_before, after) => (after === 'multi' ? ['users may create workspaces'] : []),
};

export const founderEmail: SettingType<string | null> = {
  key: 'tenancy.founder_email',
  description:
    'The verified email address of the user who may found the default workspace; `null`: in test the first user who signs in founds it, and in production the address that it was provisioned with becomes its first admin.',
  byDefault: null,
  schema: { anyOf: [emailSchema, { type: 'null' }] },
  parse: (input) =>
    input === null || (typeof input === 'string' && isEmailAddress(input))
      ? { value: input }
      : wrong('must be an email address, or `null` for anyone'),
  widens: (_before, after) => [
    after === null
      ? 'the address that production was provisioned with becomes the first admin of its default workspace'
      : 'another user may found the default workspace',
  ],
};

export const defaultMemberAccess: SettingType<string> = {
  key: 'tenancy.default_member_access',
  description: 'The name of the policy that new members get, in workspaces that are founded from now on.',
  byDefault: 'vieweracl',
  schema: { type: 'string', minLength: 1, maxLength: 128 },
  parse: (input) =>
    typeof input === 'string' && input !== '' && input.length <= 128
      ? { value: input }
      : wrong('must be the name of a policy, of 1 to 128 characters'),
  needs: (value) => {
    if (value === adminPolicy || value === viewerPolicy) return [];
    return [
      { key: workspaceTemplates.key, reason: `gives new members the policy \`${value}\`, which workspaces get by it` },
    ];
  },
  widens: (before, after) => [
    `people who join workspaces that are founded from now on get the policy \`${after}\` in place of \`${before}\``,
  ],
};

export const cacheSeconds: SettingType<number> = {
  key: 'acl.cache_seconds',
  description: 'For how many seconds a node may use policies and memberships that another node has changed.',
  byDefault: 60,
  schema: { type: 'integer', minimum: 0, maximum: 300 },
  parse: (input) =>
    typeof input === 'number' && Number.isInteger(input) && input >= 0 && input <= 300
      ? { value: input }
      : wrong('must be a whole number from 0 to 300'),
  widens: (before, after) =>
    after > before
      ? [`access that was taken away may hold for up to ${after} s on other nodes, in place of ${before} s`]
      : [],
};

export interface PasswordLogin {
  readonly enabled: boolean;
  readonly allow_signup: boolean;
  /** Characters. */
  readonly min_length: number;
}

const passwordDefaults: PasswordLogin = { enabled: true, allow_signup: true, min_length: 10 };

export const passwordLogin: SettingType<PasswordLogin> = {
  key: 'auth.password_login',
  description: 'How app users sign in with a password. A member that is left out has its default.',
  byDefault: passwordDefaults,
  schema: {
    type: 'object',
    properties: {
      enabled: { type: 'boolean', default: true },
      allow_signup: { type: 'boolean', default: true, description: 'Whether a new email can sign up.' },
      min_length: {
        type: 'integer',
        minimum: 8,
        maximum: 128,
        default: 10,
        description: 'The minimum length of new passwords.',
      },
    },
    additionalProperties: false,
  },
  parse: (input) => {
    if (!isObject(input)) return wrong('must be an object with `enabled`, `allow_signup` and `min_length`');
    const value = { ...passwordDefaults, ...input };
    const errors = [...unknownMembers(input, Object.keys(passwordDefaults))];
    for (const member of ['enabled', 'allow_signup'] as const)
      if (typeof value[member] !== 'boolean') errors.push(...wrong('must be `true` or `false`', `/${member}`).errors);
    const { min_length } = value;
    if (!Number.isInteger(min_length) || min_length < 8 || min_length > 128)
      errors.push(...wrong('must be a whole number from 8 to 128', '/min_length').errors);
    return errors.length > 0 ? { errors } : { value };
  },
  widens: (before, after) => {
    if (!after.enabled) return [];
    const isLower = after.min_length < before.min_length;
    return [
      ...(before.enabled ? [] : ['app users may sign in with a password']),
      ...(after.allow_signup && !(before.enabled && before.allow_signup)
        ? ['everyone may sign up with a password']
        : []),
      ...(isLower ? [`passwords may have ${after.min_length} characters, in place of ${before.min_length}`] : []),
    ];
  },
};

const hostsMax = 50;
const charactersMax = 253;

/** The hosts that steps of logic blocks may call. */
export const httpHosts: SettingType<readonly string[]> = {
  key: 'automation.http_hosts',
  description:
    'The hosts that `http` steps of logic blocks may call, such as `api.example.com`, or `*.example.com` for all hosts below it. Blocks call no other host.',
  byDefault: [],
  schema: {
    type: 'array',
    maxItems: hostsMax,
    items: { type: 'string', maxLength: charactersMax, pattern: hostPattern.source },
  },
  parse: (input) => {
    if (!Array.isArray(input) || input.length > hostsMax) return wrong(`must be an array of at most ${hostsMax} hosts`);
    const errors = input.flatMap((host: unknown, index): readonly InputError[] =>
      isHost(host) ? [] : wrong(expected, `/${index}`, 'invalid_host').errors,
    );
    return errors.length > 0 ? { errors } : { value: [...new Set(input.filter(isHost))] };
  },
  widens: (before, after) =>
    after.filter((host) => !before.includes(host)).map((host) => `logic blocks may call \`${host}\``),
};

const expected =
  'must be a host in lower case, such as `api.example.com` or `*.example.com`, without scheme, port and path';

function isHost(input: unknown): input is string {
  return typeof input === 'string' && input.length <= charactersMax && hostPattern.test(input);
}
