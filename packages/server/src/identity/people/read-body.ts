import type { InputError } from '@freehold/contract/problem';
import { pointerTo } from '../../lib/json-pointer.ts';
import { invalidBody } from '../../lib/problem.ts';
import { unknownNames } from '../../lib/unknown-names.ts';

/** What a small body may hold: each member a string, needed or not. */
export type BodyShape = Readonly<Record<string, 'required' | 'optional'>>;

export type BodyOf<S extends BodyShape> = {
  readonly [M in keyof S]: S[M] extends 'required' ? string : string | undefined;
};

/** @throws Problem `validation_failed` or `unknown_field`, naming every member that is missing, unknown or no string. */
export function readBody<S extends BodyShape>(input: unknown, shape: S): BodyOf<S> {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw invalidBody([{ pointer: '', code: 'wrong_type', message: 'the body is a JSON object' }]);
  const errors: InputError[] = [];
  const members: Readonly<Record<string, unknown>> = { ...input };
  const read: Record<string, string> = {};
  for (const [name, need] of Object.entries(shape)) {
    const value = Object.hasOwn(members, name) ? members[name] : undefined;
    if (typeof value === 'string') read[name] = value;
    else if (value !== undefined) errors.push(wrong(name, 'wrong_type', `\`${name}\` must be a string`));
    else if (need === 'required') errors.push(wrong(name, 'required', `\`${name}\` is required`));
  }
  for (const name of unknownNames(input, (name) => Object.hasOwn(shape, name)))
    errors.push(wrong(name, 'unknown_field', `unknown member \`${name.slice(0, 100)}\``));
  if (errors.length > 0) throw invalidBody(errors);
  return read as BodyOf<S>;
}

function wrong(name: string, code: string, message: string): InputError {
  return { pointer: pointerTo(name), code, message };
}
