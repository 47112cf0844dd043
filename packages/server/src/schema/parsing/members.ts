import { pointerTo } from '../../lib/json-pointer.ts';
import { unknownNames } from '../../lib/unknown-names.ts';

/** Takes one mistake of a definition: its pointer, its code and its sentence. */
export type AddError = (pointer: string, code: string, message: string) => void;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function errorCount(add: AddError): { add: AddError; count: () => number } {
  let count = 0;
  return {
    add: (pointer, code, message) => {
      count += 1;
      add(pointer, code, message);
    },
    count: () => count,
  };
}

/** An object within a definition, and its pointer. */
export interface DefinitionPart {
  readonly item: Readonly<Record<string, unknown>>;
  readonly pointer: string;
}

/** A list within a definition: its name, and how many objects it may hold. */
interface ListPosition {
  readonly name: string;
  readonly pointer: string;
  readonly max: number;
}

/** The objects of a list. What is no list, is too long or holds something else is a mistake. */
export function partsOf(
  input: unknown,
  { name, pointer, max }: ListPosition,
  add: AddError,
): readonly DefinitionPart[] {
  if (!Array.isArray(input)) {
    add(pointer, 'wrong_type', `\`${name}\` must be an array`);
    return [];
  }
  if (input.length > max) add(pointer, 'too_many', `\`${name}\` may have at most ${max} elements`);
  return input.slice(0, max).flatMap((item: unknown, index): readonly DefinitionPart[] => {
    const at = `${pointer}/${index}`;
    if (isObject(item)) return [{ item, pointer: at }];
    add(at, 'wrong_type', `an element of \`${name}\` must be an object`);
    return [];
  });
}

/** @param what names the part in the sentence "unknown member `x` in …". */
export function refuseUnknownMembers(
  part: DefinitionPart,
  { what, known }: { readonly what: string; readonly known: readonly string[] },
  add: AddError,
): void {
  for (const member of unknownNames(part.item, (name) => known.includes(name)))
    add(part.pointer + pointerTo(member), 'unknown_field', `unknown member \`${member.slice(0, 100)}\` in ${what}`);
}
