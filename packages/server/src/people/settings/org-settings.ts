import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import {
  type ConfigReader,
  type ConfigSet,
  changeConfig,
  effectiveValue,
  itemBodies,
  liveSettings,
  type SettingType,
  type StoredSetting,
  valueIn,
} from '../../config/port.ts';
import { escalationCheck, recordDecisions, workspaceTemplates } from '../../iam/port.ts';
import { closedObjectOf, type JsonSchema } from '../../lib/json-schema.ts';
import { invalidBody } from '../../lib/problem.ts';
import { isObject, unknownMembers, wrong } from '../../lib/unknown-names.ts';
import {
  type ConfigKind,
  type ContentChange,
  describeMembers,
  type ItemStorage,
  itemChanged,
  plainStorage,
  shown,
} from '../../promotion/port.ts';
import type { Change, Store } from '../../store/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import { mailSettingTypes } from '../mails/mail-settings.ts';
import { allowedDomains, appUrl } from './allowed-domains.ts';
import { issuers } from './issuers.ts';
import {
  cacheSeconds,
  defaultMemberAccess,
  founderEmail,
  httpHosts,
  passwordLogin,
  tenancyType,
} from './plain-settings.ts';

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
  /** Every setting. */
  readonly types: readonly SettingType[];
  readonly store: Store;
  readonly configs: ConfigReader;
  /** On which what is asked for is done. */
  readonly auditContext: AuditContext;
}

export type OrgSettings = ReturnType<typeof createOrgSettings>;

/** The settings of an org: read by builders, changed by them in the test environment. */
export function createOrgSettings(deps: OrgSettingsDeps) {
  return {
    list: async (orgCode: string, group: string | undefined): Promise<readonly ListedSetting[]> => {
      const set = await deps.configs.current(orgCode);
      const shown = deps.types.map((type) => ({
        ...namesOf(type),
        ...storedOrDefault(deps.env, type, set),
        default: valueIn(deps.env, type, type.byDefault),
        description: type.description,
      }));
      return shown.filter((one) => group === undefined || one.group === group);
    },
    /** @throws Problem `validation_failed`, `unknown_field`. */
    put: (orgCode: string, input: unknown) => putSetting(deps, orgCode, input),
  };
}

function storedOrDefault(env: Environment, type: SettingType, set: ConfigSet): StoredSetting {
  return set.settings.get(type.key) ?? { value: valueIn(env, type, type.byDefault), version: 0 };
}

async function putSetting(deps: OrgSettingsDeps, orgCode: string, input: unknown): Promise<ShownSetting> {
  const { type, content } = readSetting(deps.types, input);
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

function readSetting(types: readonly SettingType[], input: unknown) {
  if (!isObject(input)) throw invalidBody(wrong('a setting must be an object with group, name and value').errors);
  const type = types.find((one) => {
    const { group, name } = namesOf(one);
    return group === input.group && name === input.name;
  });
  if (type === undefined) throw invalidBody([...unknownMembers(input, members), ...unknownSetting(types, input)]);
  const read = readSettingContent(type, input, ['group', 'name']);
  if ('errors' in read) throw invalidBody(read.errors);
  return { type, content: read.content };
}

const members = ['group', 'name', 'value', 'prod_value'];

function unknownSetting(
  types: readonly SettingType[],
  { group }: Readonly<Record<string, unknown>>,
): readonly InputError[] {
  const isGroup = types.some((type) => namesOf(type).group === group);
  const names = types.map(({ key }) => `\`${key}\``).join(', ');
  return wrong(`there is no such setting: the settings are ${names}`, isGroup ? '/name' : '/group', 'unknown_setting')
    .errors;
}

/** The row of a live setting holds it as a whole, so that a request has all of them with the configuration. */
const settingsStorage: ItemStorage = {
  ...plainStorage,
  liveNames: (set) => [...set.settings.keys()],
  liveVersions: (set, { name }) => set.settings.get(name)?.version,
  liveContent: (set, name) => {
    const setting = set.settings.get(name);
    if (setting === undefined) return undefined;
    const { version: _, ...content } = setting;
    return content;
  },
  liveRow: {
    put: ({ name, version, content }, condition) =>
      liveSettings.put(name, { ...(content as SettingContent), version }, condition),
    remove: ({ name }) => liveSettings.remove(name, 'present'),
  },
};

/** @param types every setting that there is. */
export function settingsKind(types: readonly SettingType[]): ConfigKind<SettingContent> {
  const typeOf = (name: string): SettingType | undefined => types.find(({ key }) => key === name);
  return {
    kind: 'settings',
    storage: settingsStorage,
    singular: 'setting',
    needsAdmin: true,
    hasDefaults: true,
    settings: types,
    schema: schemaOf(types),
    parse: (name, input) => {
      const type = typeOf(name);
      if (type !== undefined) return parseSetting(type, input);
      const names = types.map(({ key }) => `\`${key}\``).join(', ');
      return wrong(`there is no setting \`${name.slice(0, 100)}\`: the settings are ${names}`, '', 'unknown_setting');
    },
    references: (content, name) => {
      const type = typeOf(name);
      if (type === undefined) return [];
      return settled(content).flatMap(([member, value]) =>
        (type.needs?.(value) ?? []).map(({ key, reason }) => ({
          kind: 'settings',
          name: key,
          pointer: `/${member}`,
          reason,
        })),
      );
    },
    describe: (change) => {
      const own = ownWords(typeOf(change.name), change);
      if (own.length > 0) return own;
      const { name, before, after } = change;
      if (before === undefined)
        return after === undefined
          ? []
          : settled(after).map(([member, value]) => `${label(name, member)} is settled: ${shown(value)}`);
      if (after === undefined) return [`setting \`${name}\` is taken out: its default holds${defaultOf(typeOf(name))}`];
      return describeMembers(`setting \`${name}\`: `, { before, after });
    },
    advise: async ({ name, before, after }, around) => {
      const type = typeOf(name);
      if (type?.advise === undefined || after === undefined) return [];
      const sentences: string[] = [];
      for (const [member, value] of settled(after)) {
        const was = before?.[member] ?? before?.value ?? type.byDefault;
        for (const one of await type.advise(was, value, around)) sentences.push(`${label(name, member)}: ${one}`);
      }
      return sentences;
    },
    widening: (change) => {
      const type = typeOf(change.name);
      return type?.widens === undefined ? [] : widened(type, change);
    },
  };
}

/** By the setting, which knows its values; what it says nothing of is left to general words. */
function ownWords(
  type: SettingType | undefined,
  { name, before, after }: ContentChange<SettingContent>,
): readonly string[] {
  if (type?.describe === undefined || after === undefined) return [];
  const reported = settled(after).flatMap(([member, value]) => {
    const was = before?.[member] ?? before?.value ?? type.byDefault;
    return (type.describe?.(was, value) ?? []).map((sentence) => `${label(name, member)}: ${sentence}`);
  });
  const isLeftOut = before !== undefined && 'prod_value' in before && !('prod_value' in after);
  return isLeftOut ? [...reported, `${label(name, 'prod_value')} is not said any more`] : reported;
}

type SettledValues = readonly (readonly ['value' | 'prod_value', unknown])[];

function settled({ value, ...others }: SettingContent): SettledValues {
  return 'prod_value' in others
    ? [
        ['value', value],
        ['prod_value', others.prod_value],
      ]
    : [['value', value]];
}

function label(name: string, member: 'value' | 'prod_value'): string {
  return member === 'value' ? `setting \`${name}\`` : `setting \`${name}\` of production`;
}

function defaultOf(type: SettingType | undefined): string {
  return type === undefined ? '' : `, ${shown(type.byDefault)}`;
}

function schemaOf(types: readonly SettingType[]): JsonSchema {
  const each = types.map(({ schema: { $defs, ...schema }, key, description }) => ({
    title: key,
    description,
    ...closedObjectOf({ value: schema, prod_value: { title: 'Value in production', ...schema } }, ['prod_value']),
  }));
  const definitions = Object.assign({}, ...types.map(({ schema }) => schema.$defs ?? {}));
  return { type: 'object', anyOf: each, $defs: definitions };
}

function parseSetting(type: SettingType, input: unknown): ReturnType<ConfigKind<SettingContent>['parse']> {
  if (isObject(input)) return readSettingContent(type, input);
  return wrong('a setting must be an object with `value`, and optionally `prod_value`');
}

/** By what holds in production, where promotion brings it. */
function widened(type: SettingType, { before, after }: ContentChange<SettingContent>): readonly string[] {
  const was = effectiveValue('prod', type, before);
  const is = effectiveValue('prod', type, after);
  return isDeepStrictEqual(was, is) ? [] : (type.widens?.(was, is) ?? []);
}

/** The value of one setting. Where `prod_value` is there, production uses it. */
export type SettingContent = Pick<StoredSetting, 'value' | 'prod_value'>;

/** A setting as it was sent, in its one form, or everything that is wrong with it. `others` may be sent beside it. */
function readSettingContent(
  type: SettingType,
  input: Readonly<Record<string, unknown>>,
  others: readonly string[] = [],
): { readonly content: SettingContent } | { readonly errors: readonly InputError[] } {
  const errors = [...unknownMembers(input, [...others, 'value', 'prod_value'])];
  const read = (member: 'value' | 'prod_value'): unknown => {
    const parsed = type.parse(input[member]);
    if ('value' in parsed) return parsed.value;
    errors.push(...parsed.errors.map((error) => ({ ...error, pointer: `/${member}${error.pointer}` })));
    return undefined;
  };
  const value = read('value');
  const prod = Object.hasOwn(input, 'prod_value') ? { prod_value: read('prod_value') } : {};
  return errors.length > 0 ? { errors } : { content: { value, ...prod } };
}
