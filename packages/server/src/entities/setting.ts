import type { InputError } from '@freehold/contract/problem';
import type { ConfigSet } from './config-set.ts';
import type { Environment } from './workspace.ts';

/** One setting that there is: what it may be, and what it is where nobody has set it. */
export interface SettingType<Value = unknown> {
  /** `<group>.<name>`, which is its name as a config item. */
  readonly key: string;
  readonly byDefault: Value;
  /** The value in its one form, or what is wrong with it; pointers begin at the value. */
  readonly parse: (input: unknown) => { readonly value: Value } | { readonly errors: readonly InputError[] };
}

/** The value that holds in an environment. */
export function settingOf<Value>(set: ConfigSet, env: Environment, type: SettingType<Value>): Value {
  const stored = set.settings.get(type.key);
  if (stored === undefined) return type.byDefault;
  return (env === 'prod' && stored.prod_value !== undefined ? stored.prod_value : stored.value) as Value;
}
