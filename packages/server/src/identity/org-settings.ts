import type { InputError } from '@freehold/contract/problem';
import { auditEntry, type Occasion } from '../audit/audit-entry.ts';
import { changeConfig } from '../entities/change-config.ts';
import type { ConfigReader } from '../entities/config-reader.ts';
import type { ConfigSet, StoredSetting } from '../entities/config-set.ts';
import { activeSettings } from '../entities/org-keys.ts';
import { type SettingType, valueIn } from '../entities/setting.ts';
import { isObject, unknownMembers, wrong } from '../entities/setting-errors.ts';
import type { Environment } from '../entities/workspace.ts';
import { escalationCheck } from '../iam/escalation-check.ts';
import { workspaceTemplates } from '../iam/workspace-templates.ts';
import { invalidBody } from '../lib/problem.ts';
import type { Change, Store } from '../store/port.ts';
import { allowedDomains } from './settings/allowed-domains.ts';
import { appUrl } from './settings/app-url.ts';
import { issuers } from './settings/issuers.ts';
import {
  cacheSeconds,
  defaultMemberAccess,
  founderEmail,
  passwordLogin,
  tenancyType,
} from './settings/plain-settings.ts';

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
export const settingTypes: readonly SettingType[] = [
  tenancyType,
  founderEmail,
  defaultMemberAccess,
  workspaceTemplates,
  allowedDomains,
  appUrl,
  issuers,
  passwordLogin,
  cacheSeconds,
  escalationCheck,
];

/** The two parts of a setting's name as a config item. */
export function namesOf({ key }: SettingType): { readonly group: string; readonly name: string } {
  const [group = '', name = ''] = key.split('.');
  return { group, name };
}

export interface OrgSettingsParts {
  readonly env: Environment;
  readonly store: Store;
  readonly configs: ConfigReader;
  /** On which what is asked for is done. */
  readonly occasion: Occasion;
}

export function createOrgSettings(parts: OrgSettingsParts): OrgSettings {
  return {
    list: async (orgCode, group) => {
      const set = await parts.configs.current(orgCode);
      const shown = settingTypes.map((type) => ({ ...namesOf(type), ...storedOrDefault(parts.env, type, set) }));
      return shown.filter((one) => group === undefined || one.group === group);
    },
    put: (orgCode, input) => putSetting(parts, orgCode, input),
  };
}

function storedOrDefault(env: Environment, type: SettingType, set: ConfigSet): StoredSetting {
  return set.settings.get(type.key) ?? { value: valueIn(env, type, type.byDefault), version: 0 };
}

async function putSetting(parts: OrgSettingsParts, orgCode: string, input: unknown): Promise<ShownSetting> {
  const { type, ...values } = readSetting(input);
  const { planned } = await changeConfig(parts, orgCode, async (_set, version) => {
    const stored: StoredSetting = { ...values, version };
    const put: Change = { kind: 'put', pk: activeSettings, sk: type.key, value: JSON.stringify(stored), if: 'any' };
    const target = { kind: 'setting', id: type.key };
    const audited = { action: 'setting.changed', target, env: parts.env, detail: { version } };
    return { changes: [put, auditEntry(parts.occasion, audited)], stored };
  });
  return { ...namesOf(type), ...planned.stored };
}

interface SentSetting extends Pick<StoredSetting, 'value' | 'prod_value'> {
  readonly type: SettingType;
}

const members = ['group', 'name', 'value', 'prod_value'];

function readSetting(input: unknown): SentSetting {
  if (!isObject(input)) throw invalidBody(wrong('a setting is an object with group, name and value').errors);
  const errors = [...unknownMembers(input, members)];
  const type = settingTypes.find((one) => {
    const { group, name } = namesOf(one);
    return group === input.group && name === input.name;
  });
  if (type === undefined) throw invalidBody([...errors, ...unknownSetting(input)]);
  const read = (member: 'value' | 'prod_value'): unknown => {
    const parsed = type.parse(input[member]);
    if ('value' in parsed) return parsed.value;
    errors.push(...parsed.errors.map((error) => ({ ...error, pointer: `/${member}${error.pointer}` })));
    return undefined;
  };
  const value = read('value');
  const prod = Object.hasOwn(input, 'prod_value') ? { prod_value: read('prod_value') } : {};
  if (errors.length > 0) throw invalidBody(errors);
  return { type, value, ...prod };
}

function unknownSetting({ group }: Readonly<Record<string, unknown>>): readonly InputError[] {
  const isGroup = settingTypes.some((type) => namesOf(type).group === group);
  const names = settingTypes.map(({ key }) => `\`${key}\``).join(', ');
  return wrong(`there is no such setting, only ${names}`, isGroup ? '/name' : '/group', 'unknown_setting').errors;
}
