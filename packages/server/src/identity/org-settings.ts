import type { InputError } from '@freehold/contract/problem';
import { changeConfig } from '../entities/change-config.ts';
import type { ConfigReader } from '../entities/config-reader.ts';
import type { ConfigSet, StoredSetting } from '../entities/config-set.ts';
import { activeSettings } from '../entities/org-keys.ts';
import type { SettingType } from '../entities/setting.ts';
import type { Environment } from '../entities/workspace.ts';
import { escalationCheck } from '../iam/escalation-check.ts';
import { invalidBody } from '../lib/problem.ts';
import type { Change, Store } from '../store/port.ts';
import { allowedDomains, domainsOf } from './settings/allowed-domains.ts';
import { issuers } from './settings/issuers.ts';
import { cacheSeconds, defaultMemberAccess, founderEmail, passwordLogin } from './settings/plain-settings.ts';
import { isObject, unknownMembers } from './settings/setting-errors.ts';

/** What an org has settled: read by builders, changed by them in the test environment. */
export interface OrgSettings {
  list(orgCode: string, group: string | undefined): Promise<readonly ShownSetting[]>;
  /** @throws Problem `validation_failed`, `unknown_field`. */
  put(orgCode: string, input: unknown): Promise<ShownSetting>;
}

/** `version` is 0 where the value is the default. */
export interface ShownSetting extends StoredSetting {
  readonly group: string;
  readonly name: string;
}

/** Every setting that there is. */
const settings: readonly SettingType[] = [
  founderEmail,
  defaultMemberAccess,
  allowedDomains,
  issuers,
  passwordLogin,
  cacheSeconds,
  escalationCheck,
];

export interface OrgSettingsParts {
  readonly store: Store;
  readonly configs: ConfigReader;
}

export function createOrgSettings(parts: OrgSettingsParts): OrgSettings {
  return {
    list: async (orgCode, group) => {
      const set = await parts.configs.current(orgCode);
      return settings.map((type) => shown(type, set)).filter((one) => group === undefined || one.group === group);
    },
    put: (orgCode, input) => putSetting(parts, orgCode, input),
  };
}

/** The origins whose pages may call in an environment. The default is the test environment's alone. */
export function allowedOrigins(set: ConfigSet, env: Environment): readonly string[] {
  const stored = set.settings.get(allowedDomains.key) ?? { value: allowedDomains.byDefault };
  return domainsOf(stored as Parameters<typeof domainsOf>[0], env);
}

function shown({ key, byDefault }: SettingType, set: ConfigSet): ShownSetting {
  const [group = '', name = ''] = key.split('.');
  return { group, name, ...(set.settings.get(key) ?? { value: byDefault, version: 0 }) };
}

async function putSetting(parts: OrgSettingsParts, orgCode: string, input: unknown): Promise<ShownSetting> {
  const { type, value, prod_value } = readSetting(input);
  const { planned } = await changeConfig(parts, orgCode, async (_set, version) => {
    const stored: StoredSetting = { value, ...(prod_value === undefined ? {} : { prod_value }), version };
    const put: Change = { kind: 'put', pk: activeSettings, sk: type.key, value: JSON.stringify(stored), if: 'any' };
    return { changes: [put], stored };
  });
  const [group = '', name = ''] = type.key.split('.');
  return { group, name, ...planned.stored };
}

function readSetting(input: unknown): {
  readonly type: SettingType;
  readonly value: unknown;
  readonly prod_value: unknown;
} {
  if (!isObject(input))
    throw invalidBody([
      { pointer: '', code: 'wrong_type', message: 'a setting is an object with group, name and value' },
    ]);
  const errors: InputError[] = [...unknownMembers(input, ['group', 'name', 'value', 'prod_value'])];
  const type = settings.find(({ key }) => key === `${input.group}.${input.name}`);
  if (type === undefined) {
    const known = settings.map(({ key }) => key).join(', ');
    errors.push({ pointer: '/name', code: 'unknown_setting', message: `there is no such setting, only ${known}` });
    throw invalidBody(errors);
  }
  const read = (member: 'value' | 'prod_value'): unknown => {
    const parsed = type.parse(input[member]);
    if ('value' in parsed) return parsed.value;
    errors.push(...parsed.errors.map((error) => ({ ...error, pointer: `/${member}${error.pointer}` })));
    return undefined;
  };
  const value = read('value');
  const prod_value = input.prod_value === undefined ? undefined : read('prod_value');
  if (errors.length > 0) throw invalidBody(errors);
  return { type, value, prod_value };
}
