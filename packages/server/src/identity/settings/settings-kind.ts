import { isDeepStrictEqual } from 'node:util';
import {
  effectiveValue,
  isObject,
  liveSettings,
  readSettingContent,
  type SettingContent,
  type SettingType,
  wrong,
} from '../../config/port.ts';
import { closedObjectOf, type JsonSchema } from '../../lib/json-schema.ts';
import {
  type ConfigKind,
  type ContentChange,
  describeMembers,
  type ItemStorage,
  plainStorage,
  shown,
} from '../../promotion/port.ts';

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
  const said = settled(after).flatMap(([member, value]) => {
    const was = before?.[member] ?? before?.value ?? type.byDefault;
    return (type.describe?.(was, value) ?? []).map((sentence) => `${label(name, member)}: ${sentence}`);
  });
  const isLeftOut = before !== undefined && 'prod_value' in before && !('prod_value' in after);
  return isLeftOut ? [...said, `${label(name, 'prod_value')} is not said any more`] : said;
}

type Settled = readonly (readonly ['value' | 'prod_value', unknown])[];

function settled({ value, ...others }: SettingContent): Settled {
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
