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
  /** The value for production where none was set for production itself; left out, it stays as it is. */
  inProduction?(value: Value): Value;
  /** The other settings without which a value means nothing; the reason goes after "setting `x`". */
  needs?(value: Value): readonly { readonly key: string; readonly reason: string }[];
  /** The differences between two values, a sentence each; left out, general sentences describe them. */
  describe?(before: Value, after: Value): readonly string[];
  /** Likely mistakes in a value that were not in the one before, a sentence each. */
  advise?(before: Value, after: Value, around: SettingContext): Promise<readonly string[]>;
  /** The new rights that a value gives people over the one before it, a sentence each; left out, it never gives any. */
  widens?(before: Value, after: Value): readonly string[];
}

/** The configuration beside a setting, once it holds. */
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

/** The effective value in an environment for which none was set alone. */
export function valueIn<Value>(env: Environment, type: SettingType<Value>, value: Value): Value {
  return env === 'prod' && type.inProduction !== undefined ? type.inProduction(value) : value;
}
