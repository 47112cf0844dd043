import type { InputError } from '@freehold/contract/problem';
import { pointerTo } from './json-pointer.ts';
import { errorsMax } from './problem.ts';

/** The members of an object that are not known: of very many as many as a refusal names, and one more. */
export function unknownNames(input: object, isKnown: (name: string) => boolean): readonly string[] {
  const unknown: string[] = [];
  for (const name of Object.keys(input)) {
    if (isKnown(name)) continue;
    unknown.push(name);
    if (unknown.length > errorsMax) break;
  }
  return unknown;
}

/** One mistake in a value. */
export function wrong(message: string, pointer = '', code = 'wrong_type'): { readonly errors: readonly InputError[] } {
  return { errors: [{ pointer, code, message }] };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same as the errors of a refusal. */
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
