import type { InputError } from '@freehold/contract/problem';
import type { JsonSchema } from '../lib/json-schema.ts';
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
  advise?(before: Value, after: Value, around: SettingContext): Promise<readonly string[]>;
  /** What a value lets people do that the one before it did not, a sentence each; left out, nothing ever does. */
  widens?(before: Value, after: Value): readonly string[];
}

/** What there is beside a setting, once it holds. */
export interface SettingContext extends Pick<ConfigSet, 'entity'> {
  readonly namesOf: (kind: ConfigItemKind) => readonly string[];
}

/** The value that holds in an environment. */
export function settingOf<Value>(set: ConfigSet, env: Environment, type: SettingType<Value>): Value {
  return effectiveValue(env, type, set.settings.get(type.key));
}

/** The same of what is settled; undefined where nothing is. */
export function effectiveValue<Value>(
  env: Environment,
  type: SettingType<Value>,
  content: Pick<StoredSetting, 'value' | 'prod_value'> | undefined,
): Value {
  const { value, prod_value } = content ?? { value: type.byDefault };
  if (env === 'prod' && prod_value !== undefined) return prod_value as Value;
  return valueIn(env, type, value as Value);
}

/** What a value comes to in an environment for which it was not said alone. */
export function valueIn<Value>(env: Environment, type: SettingType<Value>, value: Value): Value {
  return env === 'prod' && type.inProduction !== undefined ? type.inProduction(value) : value;
}
