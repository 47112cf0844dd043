/** What is wrong with the value of a setting. */
import type { InputError } from '@freehold/contract/problem';
import { pointerTo } from '../lib/json-pointer.ts';
import { unknownNames } from '../lib/unknown-names.ts';

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
