import type { InputError } from '@freehold/contract/problem';
import type { SettingContent, SettingType } from './setting.ts';
import { unknownMembers } from './setting-errors.ts';

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
