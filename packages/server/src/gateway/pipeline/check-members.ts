import type { InputError } from '@freehold/contract/problem';
import { pointerTo } from '../../lib/json-pointer.ts';
import { unknownNames } from '../../lib/unknown-names.ts';

export type Members = Readonly<Record<string, unknown>>;

/** What a member of a body may be. */
export interface MemberRule {
  readonly isRight: (value: unknown) => boolean;
  /** What it must be, as the rest of a sentence. */
  readonly demand: string;
  readonly isNeeded?: boolean;
}

export const aText: MemberRule = { isRight: isText, demand: 'must be a string that is not empty' };
export const anObject: MemberRule = { isRight: isObject, demand: 'must be a JSON object' };

export const anything: MemberRule = { isRight: () => true, demand: '' };
export const anEnvironment: MemberRule = {
  isRight: (value) => value === 'test' || value === 'prod',
  demand: 'must be `test` or `prod`',
};

export function needed(rule: MemberRule): MemberRule {
  return { ...rule, isNeeded: true };
}

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Everything that is wrong with the members of an object: what is missing, of another kind, or not known. */
export function checkMembers(
  input: unknown,
  rules: Readonly<Record<string, MemberRule>>,
  place = '',
): readonly InputError[] {
  if (!isObject(input)) {
    const what = place === '' ? 'the body is' : `\`${place.slice(1)}\` must be`;
    return [{ pointer: place, code: 'wrong_type', message: `${what} a JSON object` }];
  }
  const wrong = (name: string, code: string, message: string): InputError => ({
    pointer: place + pointerTo(name),
    code,
    message,
  });
  const errors: InputError[] = [];
  for (const [name, { isRight, demand, isNeeded }] of Object.entries(rules)) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (value === undefined) {
      if (isNeeded === true) errors.push(wrong(name, 'required', `\`${name}\` is required`));
    } else if (!isRight(value)) errors.push(wrong(name, 'wrong_type', `\`${name}\` ${demand}`));
  }
  for (const name of unknownNames(input, (name) => Object.hasOwn(rules, name)))
    errors.push(wrong(name, 'unknown_field', `unknown member \`${name.slice(0, 100)}\``));
  return errors;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
