import type { InputError } from '@freehold/contract/problem';
import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import {
  type ConfigReader,
  type ConfigSet,
  changeConfig,
  isObject,
  itemBodies,
  itemChanged,
  liveSettings,
  readSettingContent,
  type SettingContent,
  type SettingType,
  type StoredSetting,
  unknownMembers,
  valueIn,
  wrong,
} from '../../config/port.ts';
import { escalationCheck, recordDecisions, workspaceTemplates } from '../../iam/port.ts';
import { invalidBody } from '../../lib/problem.ts';
import type { Change, Store } from '../../store/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import { mailSettingTypes } from '../mails/mail-settings.ts';
import { allowedDomains } from './allowed-domains.ts';
import { appUrl } from './app-url.ts';
import { issuers } from './issuers.ts';
import {
  cacheSeconds,
  defaultMemberAccess,
  founderEmail,
  httpHosts,
  passwordLogin,
  tenancyType,
} from './plain-settings.ts';

/** What an org has settled: read by builders, changed by them in the test environment. */
export interface OrgSettings {
  list(orgCode: string, group: string | undefined): Promise<readonly ListedSetting[]>;
  /** @throws Problem `validation_failed`, `unknown_field`. */
  put(orgCode: string, input: unknown): Promise<ShownSetting>;
}

/** `version` is 0 where the value is the default. */
export interface ShownSetting extends StoredSetting {
  readonly group: string;
  readonly name: string;
}

/** With what holds in the environment where nothing is set. */
export interface ListedSetting extends ShownSetting {
  readonly default: unknown;
  readonly description: string;
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
  recordDecisions,
  httpHosts,
  ...mailSettingTypes,
];

/** The two parts of a setting's name as a config item. */
export function namesOf({ key }: SettingType): { readonly group: string; readonly name: string } {
  const [group = '', name = ''] = key.split('.');
  return { group, name };
}

export interface OrgSettingsDeps {
  readonly env: Environment;
  readonly store: Store;
  readonly configs: ConfigReader;
  /** On which what is asked for is done. */
  readonly auditContext: AuditContext;
}

export function createOrgSettings(deps: OrgSettingsDeps): OrgSettings {
  return {
    list: async (orgCode, group) => {
      const set = await deps.configs.current(orgCode);
      const shown = settingTypes.map((type) => ({
        ...namesOf(type),
        ...storedOrDefault(deps.env, type, set),
        default: valueIn(deps.env, type, type.byDefault),
        description: type.description,
      }));
      return shown.filter((one) => group === undefined || one.group === group);
    },
    put: (orgCode, input) => putSetting(deps, orgCode, input),
  };
}

function storedOrDefault(env: Environment, type: SettingType, set: ConfigSet): StoredSetting {
  return set.settings.get(type.key) ?? { value: valueIn(env, type, type.byDefault), version: 0 };
}

async function putSetting(deps: OrgSettingsDeps, orgCode: string, input: unknown): Promise<ShownSetting> {
  const { type, content } = readSetting(input);
  const item = { kind: 'settings', name: type.key } as const;
  const { planned } = await changeConfig(deps, orgCode, async (set, version) => {
    const stored: StoredSetting = { ...content, version };
    const action = set.settings.has(type.key) ? 'changed' : 'created';
    const target = { kind: 'setting', id: type.key };
    const audited = { action: 'setting.changed', target, env: deps.env, detail: { version } };
    const changes: readonly Change[] = [
      liveSettings.put(type.key, stored, { if: 'any' }),
      itemBodies.insert({ ...item, version }, content),
      itemChanged(item, deps.auditContext, { version, action }),
      auditEntry(deps.auditContext, audited),
    ];
    return { changes, stored };
  });
  return { ...namesOf(type), ...planned.stored };
}

interface SentSetting {
  readonly type: SettingType;
  readonly content: SettingContent;
}

function readSetting(input: unknown): SentSetting {
  if (!isObject(input)) throw invalidBody(wrong('a setting must be an object with group, name and value').errors);
  const type = settingTypes.find((one) => {
    const { group, name } = namesOf(one);
    return group === input.group && name === input.name;
  });
  if (type === undefined) throw invalidBody([...unknownMembers(input, members), ...unknownSetting(input)]);
  const read = readSettingContent(type, input, ['group', 'name']);
  if ('errors' in read) throw invalidBody(read.errors);
  return { type, content: read.content };
}

const members = ['group', 'name', 'value', 'prod_value'];

function unknownSetting({ group }: Readonly<Record<string, unknown>>): readonly InputError[] {
  const isGroup = settingTypes.some((type) => namesOf(type).group === group);
  const names = settingTypes.map(({ key }) => `\`${key}\``).join(', ');
  return wrong(`there is no such setting: the settings are ${names}`, isGroup ? '/name' : '/group', 'unknown_setting')
    .errors;
}
