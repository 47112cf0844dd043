import type { InputError } from '@freehold/contract/problem';
import { pointerTo } from '../lib/json-pointer.ts';
import type { JsonSchema } from '../lib/json-schema.ts';
import { unknownNames } from '../lib/unknown-names.ts';
import type { Environment } from '../tenancy/port.ts';
import type { ConfigItemKind, ConfigSet, StoredSetting } from './config-set.ts';

/** A setting: its allowed values, and its default. */
export interface SettingType<Value = unknown> {
  /** `<group>.<name>`, which is its name as a config item. */
  readonly key: string;
  readonly description: string;
  readonly byDefault: Value;
  /** JSON Schema (2020-12) of the values. It may take a few that `parse` refuses, and refuses none that it takes. */
  readonly schema: JsonSchema;
  /** The value in its one form, or what is wrong with it; pointers begin at the value. */
  readonly parse: (input: unknown) => { readonly value: Value } | { readonly errors: readonly InputError[] };
  /** What a value comes to in production that was not said for production itself; left out, it stays as it is. */
  inProduction?(value: Value): Value;
  /** The other settings without which a value means nothing; the reason goes after "setting `x`". */
  needs?(value: Value): readonly { readonly key: string; readonly reason: string }[];
  /** What differs between two values, a sentence each; left out, general sentences say it. */
  describe?(before: Value, after: Value): readonly string[];
  /** What of a value is likely not to mean what it says, and was not so in the one before, a sentence each. */
  advise?(before: Value, after: Value, around: Surroundings): Promise<readonly string[]>;
  /** What a value lets people do that the one before it did not, a sentence each; left out, nothing ever does. */
  widens?(before: Value, after: Value): readonly string[];
}

/** What there is beside a setting, once it holds. */
export interface Surroundings extends Pick<ConfigSet, 'entity'> {
  readonly namesOf: (kind: ConfigItemKind) => readonly string[];
}

/** What is settled of one thing. Where `prod_value` is there, production uses it. */
export type SettingContent = Pick<StoredSetting, 'value' | 'prod_value'>;

/** The value that holds in an environment. */
export function settingOf<Value>(set: ConfigSet, env: Environment, type: SettingType<Value>): Value {
  return effectiveValue(env, type, set.settings.get(type.key));
}

/** The same of what is settled; undefined where nothing is. */
export function effectiveValue<Value>(
  env: Environment,
  type: SettingType<Value>,
  content: SettingContent | undefined,
): Value {
  const { value, prod_value } = content ?? { value: type.byDefault };
  if (env === 'prod' && prod_value !== undefined) return prod_value as Value;
  return valueIn(env, type, value as Value);
}

/** What a value comes to in an environment for which it was not said alone. */
export function valueIn<Value>(env: Environment, type: SettingType<Value>, value: Value): Value {
  return env === 'prod' && type.inProduction !== undefined ? type.inProduction(value) : value;
}

/** What is sent of a setting, in its one form, or everything that is wrong with it. `others` may stand beside it. */
export function readSettingContent(
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

// What is wrong with the value of a setting.

export function wrong(message: string, pointer = '', code = 'wrong_type'): { readonly errors: readonly InputError[] } {
  return { errors: [{ pointer, code, message }] };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of an object that its setting does not know. */
export function unknownMembers(
  input: Readonly<Record<string, unknown>>,
  known: readonly string[],
  pointer = '',
): readonly InputError[] {
  return unknownNames(input, (member) => known.includes(member)).map((member) => ({
    pointer: pointer + pointerTo(member),
    code: 'unknown_field',
    message: `unknown member \`${member.slice(0, 100)}\``,
  }));
}
