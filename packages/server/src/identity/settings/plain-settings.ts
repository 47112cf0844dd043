/** Settings that are a single value. */

import type { SettingType } from '../../entities/setting.ts';
import { isEmailAddress } from '../../lib/email-address.ts';
import { isObject, unknownMembers, wrong } from './setting-errors.ts';

export const founderEmail: SettingType<string | null> = {
  key: 'tenancy.founder_email',
  byDefault: null,
  parse: (input) =>
    input === null || (typeof input === 'string' && isEmailAddress(input))
      ? { value: input }
      : wrong('must be an email address, or `null` for anyone'),
};

export const defaultMemberAccess: SettingType<string> = {
  key: 'tenancy.default_member_access',
  byDefault: 'vieweracl',
  parse: (input) =>
    typeof input === 'string' && input !== '' && input.length <= 128
      ? { value: input }
      : wrong('must be the name of a policy, of 1 to 128 characters'),
};

export const cacheSeconds: SettingType<number> = {
  key: 'acl.cache_seconds',
  byDefault: 60,
  parse: (input) =>
    typeof input === 'number' && Number.isInteger(input) && input >= 0 && input <= 300
      ? { value: input }
      : wrong('must be a whole number from 0 to 300'),
};

/** How app users come in with a password. */
export interface PasswordLogin {
  readonly enabled: boolean;
  readonly allow_signup: boolean;
  /** Characters. */
  readonly min_length: number;
}

const passwordDefaults: PasswordLogin = { enabled: true, allow_signup: true, min_length: 10 };

export const passwordLogin: SettingType<PasswordLogin> = {
  key: 'auth.password_login',
  byDefault: passwordDefaults,
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
};
